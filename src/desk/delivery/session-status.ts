import { type Chat, ChatError, type ThreadStatus } from '../../domain/ports/chat.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/**
 * The status that people see on threads. Best effort; never delays work. The latest status of a
 * thread wins.
 */
export interface SessionStatusWriter {
  set(thread: ThreadKey, status: ThreadStatus): void;
  /** Low priority, for threads that nobody is watching. */
  setLater(thread: ThreadKey, status: ThreadStatus): void;
  /** Resolves when no write is pending. */
  settled(): Promise<void>;
  /** Stops renewals and retries. */
  stop(): void;
}

/** Slack ends `processing` after an hour. https://docs.slack.dev/ai/agent-sessions */
const RENEW_MS = 50 * 60_000;
/** Within this time the same status is not set again. */
const REPEAT_MS = 30_000;
/**
 * Slack allows about 50 a minute:
 * https://docs.slack.dev/reference/methods/agents.sessions.setStatus
 */
const LATER_INTERVAL_MS = 3_000;
const MAX_TRIES = 6;
const FIRST_RETRY_MS = 2_000;
const MAX_REMEMBERED = 5_000;

/** Creates the status writer of one process. */
export function createSessionStatusWriter(deps: {
  readonly chat: Pick<Chat, 'setStatus'>;
  readonly clock: Clock;
  readonly log: Log;
}): SessionStatusWriter {
  const { chat, clock, log } = deps;
  const wanted = new Map<ThreadKey, ThreadStatus>();
  const writing = new Map<ThreadKey, Promise<void>>();
  const later = new Map<ThreadKey, ThreadStatus>();
  const timers = new Map<ThreadKey, Cancel>();
  const shown = createShownStatuses(clock);
  let cancelLater: Cancel | undefined;
  let isStopped = false;

  function set(thread: ThreadKey, status: ThreadStatus): void {
    const isBusy = wanted.has(thread) || writing.has(thread);
    if (!isBusy && shown.isRecent(thread, status)) return;
    later.delete(thread);
    cancelTimer(thread);
    wanted.set(thread, shown.withRepeat(thread, status));
    if (!writing.has(thread)) writing.set(thread, writeAll(thread));
  }

  async function writeAll(thread: ThreadKey): Promise<void> {
    for (;;) {
      const status = wanted.get(thread);
      if (status === undefined) break;
      wanted.delete(thread);
      await write(thread, status, 0);
    }
    writing.delete(thread);
  }

  async function write(thread: ThreadKey, status: ThreadStatus, tries: number): Promise<void> {
    try {
      if ((await chat.setStatus(thread, status)) === 'words') return;
      shown.remember(thread, status);
      if (status.session === 'processing') schedule(thread, RENEW_MS, status, 0);
    } catch (error) {
      log.warn({ err: error, thread }, 'Could not set the status of a thread.');
      if (isWorthRetry(error) && tries + 1 < MAX_TRIES) retry(thread, status, error, tries);
    }
  }

  function retry(thread: ThreadKey, status: ThreadStatus, error: unknown, tries: number): void {
    const asked = error instanceof ChatError ? error.retryAfterMs : undefined;
    schedule(thread, asked ?? FIRST_RETRY_MS * 2 ** tries, status, tries + 1);
  }

  function schedule(thread: ThreadKey, inMs: number, status: ThreadStatus, tries: number): void {
    if (isStopped || wanted.has(thread)) return;
    cancelTimer(thread);
    const again = () => {
      timers.delete(thread);
      writing.set(
        thread,
        write(thread, status, tries).then(() => writeAll(thread)),
      );
    };
    timers.set(thread, clock.schedule(clock.now() + inMs, again));
  }

  function cancelTimer(thread: ThreadKey): void {
    timers.get(thread)?.();
    timers.delete(thread);
  }

  function nextLater(): void {
    cancelLater = undefined;
    const [first] = later;
    if (first === undefined || isStopped) return;
    set(...first);
    later.delete(first[0]);
    if (later.size > 0) cancelLater = clock.schedule(clock.now() + LATER_INTERVAL_MS, nextLater);
  }

  return {
    set,
    setLater(thread, status) {
      if (isStopped || wanted.has(thread)) return;
      later.set(thread, status);
      cancelLater ??= clock.schedule(clock.now() + LATER_INTERVAL_MS, nextLater);
    },
    async settled() {
      while (writing.size > 0) await Promise.all(writing.values());
    },
    stop() {
      isStopped = true;
      cancelLater?.();
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}

/** The last statuses that this process has set. */
function createShownStatuses(clock: Clock) {
  const shown = new Map<ThreadKey, { readonly session: string; readonly at: number }>();
  return {
    /** Keeps `isRepeat` only if this process has set the status that people see. */
    withRepeat(thread: ThreadKey, status: ThreadStatus): ThreadStatus {
      const { isRepeat: _, ...fresh } = status;
      return shown.get(thread)?.session === status.session ? status : fresh;
    },
    /**
     * False for the end of a turn, which is always written: another process may have set a status
     * in between.
     */
    isRecent(thread: ThreadKey, { session }: ThreadStatus): boolean {
      const last = shown.get(thread);
      if (session === 'active') return false;
      return last?.session === session && clock.now() - last.at < REPEAT_MS;
    },
    remember(thread: ThreadKey, { session }: ThreadStatus): void {
      shown.delete(thread);
      if (session === 'active') return;
      shown.set(thread, { session, at: clock.now() });
      const [oldest] = shown.keys();
      if (shown.size > MAX_REMEMBERED && oldest !== undefined) shown.delete(oldest);
    },
  };
}

function isWorthRetry(error: unknown): boolean {
  return error instanceof ChatError && ['rate-limited', 'temporary'].includes(error.code);
}
