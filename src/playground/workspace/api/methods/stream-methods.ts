import { checkMessage, checkStreamText } from '../../blocks/check-arguments.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { assignIds } from '../../blocks/walk-blocks.ts';
import { announceChange, announcePost, toEventMessage } from '../../delivery/message-events.ts';
import { isJson, type Json, toRecords, toText } from '../../json-value.ts';
import type { AgentSessions, SessionStatus } from '../../state/agent-sessions.ts';
import type { StoredMessage } from '../../state/message-store.ts';
import type { DirectoryChannel } from '../../state/slack-directory.ts';
import type { ThreadStatuses } from '../../state/thread-statuses.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { findWritable, newBlockId, postAsApp } from '../post-message.ts';
import { isStatus } from './session-methods.ts';

/** Slack ends a stream after five minutes, even with appends: slackapi/node-slack-sdk#2702. */
const STREAM_LIFE_MS = 300_000;

interface Stream {
  readonly startedAt: number;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly tasks: ReadonlyMap<string, Json>;
  readonly planTitle?: string;
}

/** The streams of the app. */
export interface Streams {
  readonly methods: ApiMethods;
  /** Ends the streams of a thread, as when a person stops them. Returns their timestamps. */
  endByPerson(channel: string, threadTs: string): readonly string[];
}

/**
 * Creates the `chat.*Stream` methods. A stream's text is Markdown; its message is `streaming` until
 * it stops.
 */
export function createStreams(
  core: WorkspaceCore,
  statuses: ThreadStatuses,
  sessions: AgentSessions,
): Streams {
  const streams = new Map<string, Stream>();
  const stoppedByPerson = new Set<string>();

  /**
   * Streams change the status of their thread's session. https://docs.slack.dev/ai/agent-sessions
   */
  function moveSession({ channel, threadTs }: StoredMessage, status: SessionStatus): void {
    if (core.form === 'agent' && threadTs !== undefined) {
      sessions.set({ channel, threadTs, status });
    }
  }

  async function start(args: Json): Promise<Json> {
    const writable = await findWritable(core, toText(args.channel));
    if ('refusal' in writable) {
      return writable.refusal;
    }
    const empty: Stream = { startedAt: core.clock.now(), text: '', blocks: [], tasks: new Map() };
    const missing = checkStart(writable.channel, args);
    const extended = missing === undefined ? extend(empty, args) : { refusal: missing };
    if ('refusal' in extended) {
      return extended.refusal;
    }
    return begin(writable.channel, toText(args.thread_ts), extended.stream);
  }

  async function begin(channel: DirectoryChannel, threadTs: string, stream: Stream) {
    const draft = toContent(stream);
    const posted = await postAsApp(core, channel, draft, { threadTs, streaming: true });
    if ('refusal' in posted) {
      return posted.refusal;
    }
    const message: StoredMessage = { ...posted.message, isStream: true };
    core.messages.put(message);
    streams.set(`${message.channel} ${message.ts}`, stream);
    moveSession(message, 'processing');
    statuses.clear(message.channel, threadTs);
    void announcePost(core, message);
    return slackOk({ channel: message.channel, ts: message.ts });
  }

  function find(args: Json): { message: StoredMessage; stream: Stream; key: string } | Json {
    const message = core.messages.find(toText(args.channel), toText(args.ts));
    if (message === undefined) {
      return slackError('message_not_found');
    }
    const key = `${message.channel} ${message.ts}`;
    if (stoppedByPerson.has(key)) {
      return slackError('stopped_by_user');
    }
    const stream = streams.get(key);
    const hasEnded = stream === undefined || core.clock.now() - stream.startedAt >= STREAM_LIFE_MS;
    if (stream === undefined || hasEnded) {
      streams.delete(key);
      if (message.streaming) {
        core.messages.put({ ...message, streaming: false });
        moveSession(message, 'active');
      }
      return slackError('message_not_in_streaming_state');
    }
    return { message, stream, key };
  }

  function append(args: Json): Json {
    const found = find(args);
    if (!isFound(found)) {
      return found;
    }
    const extended = extend(found.stream, args);
    if ('refusal' in extended) {
      return extended.refusal;
    }
    streams.set(found.key, extended.stream);
    core.messages.put({ ...found.message, ...toContent(extended.stream) });
    return slackOk({ channel: found.message.channel, ts: found.message.ts });
  }

  async function stop(args: Json): Promise<Json> {
    const found = find(args);
    if (!isFound(found)) {
      return found;
    }
    const read = readStop(found.stream, args);
    if ('refusal' in read) {
      return read.refusal;
    }
    const { status, content, blocks } = read;
    const after: StoredMessage = {
      ...found.message,
      text: content.text,
      blocks,
      ...(isJson(args.metadata) ? { metadata: args.metadata } : {}),
      streaming: false,
    };
    const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.update', {
      channel: after.channel,
      ts: after.ts,
      text: after.text,
      blocks,
      ...(after.metadata === undefined ? {} : { metadata: after.metadata }),
    });
    if (answer.ok !== true) {
      return answer;
    }
    streams.delete(found.key);
    core.messages.put(after);
    moveSession(after, status);
    void announceChange(core, found.message, after);
    return slackOk({
      channel: after.channel,
      ts: after.ts,
      message: toEventMessage(core, after),
    });
  }

  return {
    methods: { 'chat.startStream': start, 'chat.appendStream': append, 'chat.stopStream': stop },
    endByPerson: (channel, threadTs) =>
      [...streams.keys()].flatMap((key) => {
        const [of = '', ts = ''] = key.split(' ');
        const message = core.messages.find(of, ts);
        if (message === undefined || of !== channel || message.threadTs !== threadTs) {
          return [];
        }
        streams.delete(key);
        stoppedByPerson.add(key);
        core.messages.put({ ...message, streaming: false });
        return [ts];
      }),
  };
}

/** Returns the final content with the blocks added by the stop, and the session's status. */
function readStop(
  stream: Stream,
  args: Json,
):
  | { status: SessionStatus; content: ReturnType<typeof toContent>; blocks: readonly Json[] }
  | { refusal: Json } {
  const { session_status: status = 'active' } = args;
  if (!isStatus(status)) {
    return { refusal: slackError('invalid_status') };
  }
  const extended = extend(stream, args);
  if ('refusal' in extended) {
    return extended;
  }
  const content = toContent(extended.stream);
  const closing = assignIds(toRecords(args.blocks), newBlockId);
  // Streamed content was checked when it arrived; only these blocks are new.
  const refusal = checkMessage({ blocks: closing, metadata: args.metadata, text: ' ' });
  return refusal === undefined
    ? { status, content, blocks: [...content.blocks, ...closing] }
    : { refusal };
}

/**
 * Streams need a thread, and in a channel also a recipient.
 * https://docs.slack.dev/reference/methods/chat.startStream
 */
function checkStart(channel: DirectoryChannel, args: Json): Json | undefined {
  if (toText(args.thread_ts) === '') {
    return slackError('invalid_arguments', { errors: ['missing required field: thread_ts'] });
  }
  const missing = ['recipient_team_id', 'recipient_user_id'].find(
    (name) => channel.kind !== 'im' && toText(args[name]) === '',
  );
  return missing === undefined ? undefined : slackError(`missing_${missing}`);
}

function isFound<T extends { message: StoredMessage; stream: Stream; key: string }>(
  value: T | Json,
): value is T {
  return 'stream' in value && 'message' in value && !('ok' in value);
}

/** Adds the content of one call: its text, then its chunks in order. */
function extend(stream: Stream, args: Json): { stream: Stream } | { refusal: Json } {
  const chunks = [
    ...(args.markdown_text === undefined
      ? []
      : [{ type: 'markdown_text', text: args.markdown_text }]),
    ...toRecords(args.chunks),
  ];
  let next = stream;
  for (const chunk of chunks) {
    const refusal = checkChunk(chunk);
    if (refusal !== undefined) {
      return { refusal };
    }
    next = addChunk(next, chunk);
  }
  return { stream: next };
}

function checkChunk(chunk: Json): Json | undefined {
  switch (chunk.type) {
    case 'markdown_text':
      return checkStreamText(toText(chunk.text));
    case 'blocks':
      return checkMessage({ blocks: chunk.blocks });
    case 'task_update':
    case 'plan_update':
      return [...toText(chunk.title)].length > LIMITS.chunkText.max
        ? slackError('invalid_chunks', { errors: ['title is too long'] })
        : undefined;
    default:
      return slackError('invalid_chunks', { errors: [`unsupported chunk type: ${chunk.type}`] });
  }
}

function addChunk(stream: Stream, chunk: Json): Stream {
  switch (chunk.type) {
    case 'markdown_text':
      return { ...stream, text: stream.text + toText(chunk.text) };
    case 'blocks':
      return { ...stream, blocks: [...stream.blocks, ...toRecords(chunk.blocks)] };
    case 'plan_update':
      return { ...stream, planTitle: toText(chunk.title) };
    default: {
      const { id, title, status } = chunk;
      const task = { type: 'task_card', task_id: id, title, status };
      return { ...stream, tasks: new Map([...stream.tasks, [toText(id), task]]) };
    }
  }
}

/** Converts a stream to blocks. Slack shows its text as Markdown, and groups tasks in a plan. */
function toContent(stream: Stream): { text: string; blocks: readonly Json[] } {
  const tasks = [...stream.tasks.values()];
  const taskBlocks =
    stream.planTitle === undefined ? tasks : [{ type: 'plan', title: stream.planTitle, tasks }];
  const markdown = stream.text === '' ? [] : [{ type: 'markdown', text: stream.text }];
  return {
    text: stream.text,
    blocks: assignIds([...taskBlocks, ...markdown, ...stream.blocks], newBlockId),
  };
}
