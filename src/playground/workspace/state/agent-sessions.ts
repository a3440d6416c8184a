import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import { NO_PERSISTENCE, type PersistedState } from './persisted-state.ts';

/** A prompt suggested by the app. */
export interface SuggestedPrompt {
  readonly title: string;
  readonly message: string;
}

/** The status of an agent session. https://docs.slack.dev/ai/agent-sessions */
export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed';

/** A thread that is a session of the app, with the values that the app set. */
export interface AgentSession {
  readonly channel: string;
  readonly threadTs: string;
  readonly title?: string;
  /** Absent with `assistant_view`, which has no statuses. */
  readonly status?: SessionStatus;
}

/**
 * Suggested prompts: for one thread with `assistant_view`, otherwise at the top of the Messages
 * tab.
 */
export interface OfferedPrompts {
  readonly channel: string;
  readonly threadTs?: string;
  readonly prompts: readonly SuggestedPrompt[];
}

/** The sessions and suggested prompts of the app. */
export interface AgentSessions {
  list(): readonly AgentSession[];
  find(channel: string, threadTs: string): AgentSession | undefined;
  /** Sets the given fields of a session, and creates it if needed. */
  set(session: AgentSession): void;
  prompts(): readonly OfferedPrompts[];
  /** Replaces the prompts suggested there. */
  offer(offered: OfferedPrompts): void;
  close(): void;
}

/** Slack resets `processing` by itself after this time. https://docs.slack.dev/ai/agent-sessions */
const PROCESSING_LIFE_MS = 3_600_000;

/** Creates the sessions from the stored ones. Calls `changed` after each change. */
export function createAgentSessions(
  clock: Clock,
  changed: () => void,
  persisted: PersistedState = NO_PERSISTENCE,
): AgentSessions {
  const sessions = new Map<string, AgentSession>();
  const offers = new Map<string, OfferedPrompts>();
  const expiries = new Map<string, Cancel>();

  const putSession = (session: AgentSession): void => {
    const key = keyOf(session.channel, session.threadTs);
    sessions.set(key, { ...sessions.get(key), ...session });
    if (session.status !== undefined) {
      expiries.get(key)?.();
      expiries.delete(key);
    }
    if (session.status === 'processing') {
      const { channel, threadTs } = session;
      const expire = () => set({ channel, threadTs, status: 'active' });
      expiries.set(key, clock.schedule(clock.now() + PROCESSING_LIFE_MS, expire));
    }
  };
  const set = (session: AgentSession): void => {
    const key = keyOf(session.channel, session.threadTs);
    putSession(session);
    persisted.keep('session', key, sessions.get(key));
    changed();
  };

  for (const session of persisted.all('session')) putSession(session as AgentSession);
  for (const offer of persisted.all('offer')) {
    const { channel, threadTs = '' } = offer as OfferedPrompts;
    offers.set(keyOf(channel, threadTs), offer as OfferedPrompts);
  }

  return {
    list: () => [...sessions.values()],
    find: (channel, threadTs) => sessions.get(keyOf(channel, threadTs)),
    set,
    prompts: () => [...offers.values()],
    offer: (offered) => {
      const key = keyOf(offered.channel, offered.threadTs ?? '');
      offers.set(key, offered);
      persisted.keep('offer', key, offered);
      changed();
    },
    close: () => {
      for (const cancel of expiries.values()) cancel();
    },
  };
}

function keyOf(channel: string, threadTs: string): string {
  return `${channel} ${threadTs}`;
}
