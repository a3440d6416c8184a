/**
 * Shows the status of threads in Slack: as agent sessions, or as a line of text if the app has no
 * sessions (older installations). Never both, since each overwrites the other.
 */
import type { WebClient } from '@slack/web-api';
import type { Chat, SessionStatus, ThreadStatus } from '../../domain/ports/chat.ts';
import type { Log } from '../../domain/ports/log.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { chatTitleOf } from '../text/chat-title.ts';
import { slackErrorName } from '../transport/slack-errors.ts';
import { withSlackErrors } from '../transport/with-slack-errors.ts';
import { createPlainTextWriter } from './plain-text-writer.ts';

/** The agent sessions of a workspace. */
export interface AgentSessions extends Pick<Chat, 'setStatus'> {
  /** Returns the session status to send when a stream ends. Without it Slack sets the session to ready. */
  atStreamEnd(thread: ThreadKey): { readonly session_status?: SessionStatus };
  /** Returns whether Slack shows its own stop button. */
  hasStopButton(): boolean;
}

/** Slack’s errors if the app has no sessions here. */
const NO_SESSIONS: ReadonlySet<string | undefined> = new Set([
  'feature_disabled',
  'not_agent_app',
  'unknown_method',
]);

const NO_STOP_EVENT = 'missing_agent_session_stopped_event_subscription';
const MAX_KEPT = 5_000;

/** Creates the agent sessions of a workspace. */
export function createAgentSessions({
  client,
  log,
}: {
  readonly client: WebClient;
  readonly log: Log;
}): AgentSessions {
  const writePlain = createPlainTextWriter(client);
  const wanted = new Map<ThreadKey, SessionStatus>();
  let mode: 'unknown' | 'sessions' | 'words' = 'unknown';
  let hasStopButton = false;

  function remember(thread: ThreadKey, session: SessionStatus): void {
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
    const isMissingStopEvent = answer.response_metadata?.warnings?.includes(NO_STOP_EVENT) ?? false;
    if (isMissingStopEvent && mode === 'unknown') {
      log.warn(
        {},
        'The app does not receive clicks on Slack’s stop button. Install it again with manifest.yml.',
      );
    }
    mode = 'sessions';
    hasStopButton = !isMissingStopEvent;
  }

  async function setText(thread: ThreadKey, status: ThreadStatus): Promise<void> {
    if (status.isSeen) return;
    const { channel, root } = placeOf(thread);
    const words = await writePlain(status.words);
    await client.assistant.threads.setStatus({
      channel_id: channel,
      thread_ts: root,
      status: words,
    });
  }

  /** Returns false if the app has no sessions. It does not try again until the next start. */
  async function trySession(thread: ThreadKey, status: ThreadStatus): Promise<boolean> {
    try {
      await setSession(thread, status);
      return true;
    } catch (error) {
      if (mode === 'sessions' || !NO_SESSIONS.has(slackErrorName(error))) throw error;
      log.info({}, 'Slack has no agent sessions for this app. It shows its status as text.');
      mode = 'words';
      return false;
    }
  }

  return {
    async setStatus(thread, status) {
      remember(thread, status.session);
      return await withSlackErrors('show the status of a thread', async () => {
        const isRepeat = status.isRepeat === true && mode === 'sessions';
        if (isRepeat || (mode !== 'words' && (await trySession(thread, status)))) return 'session';
        await setText(thread, status);
        return 'words';
      });
    },
    atStreamEnd: (thread) =>
      mode === 'sessions' ? { session_status: wanted.get(thread) ?? 'active' } : {},
    hasStopButton: () => hasStopButton,
  };
}
