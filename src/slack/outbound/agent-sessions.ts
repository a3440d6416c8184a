/**
 * How threads stand in Slack: as sessions of the app, or where an installation of the older form has
 * none, as its line of text. Never both, for each overwrites the other.
 */
import type { WebClient } from '@slack/web-api';
import type { Chat, SessionStatus, ThreadStatus } from '../../domain/ports/chat.ts';
import type { Log } from '../../domain/ports/log.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { chatTitleOf } from '../assistant/greeting.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import { createPlainTextWriter } from './plain-text-writer.ts';

/** The sessions of a workspace. */
export interface AgentSessions extends Pick<Chat, 'setStatus'> {
  /** What the end of a stream must say of its session: without it Slack says that the session is ready. */
  atStreamEnd(thread: ThreadKey): { readonly session_status?: SessionStatus };
  /** Tells whether Slack shows a stop button of its own. */
  hasStopButton(): boolean;
}

/** Slack's answers that say that the app has no sessions here. */
const NO_SESSIONS: ReadonlySet<string | undefined> = new Set([
  'feature_disabled',
  'not_agent_app',
  'unknown_method',
]);

const NO_STOP_EVENT = 'missing_agent_session_stopped_event_subscription';
const MAX_KEPT = 5_000;

/** Makes the sessions of a workspace. */
export function createAgentSessions({
  client,
  log,
}: {
  readonly client: WebClient;
  readonly log: Log;
}): AgentSessions {
  const writePlain = createPlainTextWriter(client);
  const wanted = new Map<ThreadKey, SessionStatus>();
  let form: 'unknown' | 'sessions' | 'words' = 'unknown';
  let hasStopButton = false;

  function keep(thread: ThreadKey, session: SessionStatus): void {
    wanted.delete(thread);
    wanted.set(thread, session);
    const [oldest] = wanted.keys();
    if (wanted.size > MAX_KEPT && oldest !== undefined) wanted.delete(oldest);
  }

  async function setSession(thread: ThreadKey, { session, title }: ThreadStatus): Promise<void> {
    const { channel, root } = placeOf(thread);
    const name = title === undefined ? '' : chatTitleOf(title);
    const answer = await client.agents.sessions.setStatus({
      channel_id: channel,
      thread_ts: root,
      status: session,
      ...(name !== '' && { title: name }),
    });
    const isDeaf = answer.response_metadata?.warnings?.includes(NO_STOP_EVENT) ?? false;
    if (isDeaf && form === 'unknown') {
      log.warn(
        {},
        'The app does not hear Slack’s stop button. Install it again with manifest.yml.',
      );
    }
    form = 'sessions';
    hasStopButton = !isDeaf;
  }

  async function setWords(thread: ThreadKey, status: ThreadStatus): Promise<void> {
    if (status.isSeen) return;
    const { channel, root } = placeOf(thread);
    const words = await writePlain(status.words);
    await client.assistant.threads.setStatus({
      channel_id: channel,
      thread_ts: root,
      status: words,
    });
  }

  /** False where the app has no sessions; it has none until the next start then. */
  async function trySession(thread: ThreadKey, status: ThreadStatus): Promise<boolean> {
    try {
      await setSession(thread, status);
      return true;
    } catch (error) {
      if (form === 'sessions' || !NO_SESSIONS.has(slackErrorName(error))) throw error;
      log.info({}, 'Slack has no agent sessions for this app: it shows its status as text.');
      form = 'words';
      return false;
    }
  }

  return {
    async setStatus(thread, status) {
      keep(thread, status.session);
      return await withSlackErrors('show how a thread stands', async () => {
        const isRepeat = status.isRepeat === true && form === 'sessions';
        if (isRepeat || (form !== 'words' && (await trySession(thread, status)))) return 'session';
        await setWords(thread, status);
        return 'words';
      });
    },
    atStreamEnd: (thread) =>
      form === 'sessions' ? { session_status: wanted.get(thread) ?? 'active' } : {},
    hasStopButton: () => hasStopButton,
  };
}
