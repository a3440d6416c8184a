import { checkMessage } from '../../blocks/check-arguments.ts';
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
import { createRunningStreams } from '../running-streams.ts';
import { extendStream, type Stream, toContent } from '../stream-content.ts';
import { isStatus } from './session-methods.ts';

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
  const running = createRunningStreams(core, sessions);

  async function start(args: Json): Promise<Json> {
    const writable = await findWritable(core, toText(args.channel));
    if ('refusal' in writable) {
      return writable.refusal;
    }
    const empty: Stream = { startedAt: core.clock.now(), text: '', blocks: [], tasks: new Map() };
    const missing = checkStart(writable.channel, args);
    const extended = missing === undefined ? extendStream(empty, args) : { refusal: missing };
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
    running.start(message, stream);
    statuses.clear(message.channel, threadTs);
    void announcePost(core, message);
    return slackOk({ channel: message.channel, ts: message.ts });
  }

  function append(args: Json): Json {
    const found = running.find(toText(args.channel), toText(args.ts));
    if ('refusal' in found) {
      return found.refusal;
    }
    const extended = extendStream(found.stream, args);
    if ('refusal' in extended) {
      return extended.refusal;
    }
    running.extend({ ...found.message, ...toContent(extended.stream) }, extended.stream);
    return slackOk({ channel: found.message.channel, ts: found.message.ts });
  }

  async function stop(args: Json): Promise<Json> {
    const found = running.find(toText(args.channel), toText(args.ts));
    if ('refusal' in found) {
      return found.refusal;
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
    running.end(after, status);
    void announceChange(core, found.message, after);
    return slackOk({
      channel: after.channel,
      ts: after.ts,
      message: toEventMessage(core, after),
    });
  }

  return {
    methods: { 'chat.startStream': start, 'chat.appendStream': append, 'chat.stopStream': stop },
    endByPerson: running.endByPerson,
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
  const extended = extendStream(stream, args);
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
