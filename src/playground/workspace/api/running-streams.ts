import type { Json } from '../json-value.ts';
import type { AgentSessions, SessionStatus } from '../state/agent-sessions.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { slackError } from './api-method.ts';
import type { Stream } from './stream-content.ts';

/** Slack ends a stream after five minutes, even with appends: slackapi/node-slack-sdk#2702. */
const STREAM_LIFE_MS = 300_000;

interface RunningStream {
  readonly message: StoredMessage;
  readonly stream: Stream;
}

/** Creates the running streams, initially none. Their messages are `streaming`. */
export function createRunningStreams(core: WorkspaceCore, sessions: AgentSessions) {
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

  function find(channel: string, ts: string): RunningStream | { readonly refusal: Json } {
    const message = core.messages.find(channel, ts);
    if (message === undefined) {
      return { refusal: slackError('message_not_found') };
    }
    const key = keyOf(message);
    if (stoppedByPerson.has(key)) {
      return { refusal: slackError('stopped_by_user') };
    }
    const stream = streams.get(key);
    const hasEnded = stream === undefined || core.clock.now() - stream.startedAt >= STREAM_LIFE_MS;
    if (stream === undefined || hasEnded) {
      streams.delete(key);
      if (message.streaming) {
        core.messages.put({ ...message, streaming: false });
        moveSession(message, 'active');
      }
      return { refusal: slackError('message_not_in_streaming_state') };
    }
    return { message, stream };
  }

  return {
    find,
    start(message: StoredMessage, stream: Stream): void {
      core.messages.put(message);
      streams.set(keyOf(message), stream);
      moveSession(message, 'processing');
    },
    extend(message: StoredMessage, stream: Stream): void {
      streams.set(keyOf(message), stream);
      core.messages.put(message);
    },
    end(message: StoredMessage, status: SessionStatus): void {
      streams.delete(keyOf(message));
      core.messages.put(message);
      moveSession(message, status);
    },
    /** Ends the streams of a thread, as when a person stops them. Returns their timestamps. */
    endByPerson: (channel: string, threadTs: string): readonly string[] =>
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

const keyOf = ({ channel, ts }: StoredMessage): string => `${channel} ${ts}`;
