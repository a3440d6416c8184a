import { type Chat, ChatError, type ThreadStatus } from '../../domain/ports/chat.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** How threads stand, as people see it: a courtesy that never holds up the work; the newest status of a thread wins. */
export interface SessionStatusWriter {
  set(thread: ThreadKey, status: ThreadStatus): void;
  /** Sets it when there is room: nobody looks at the thread. */
  setLater(thread: ThreadKey, status: ThreadStatus): void;
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>;
  /** Renews and retries nothing from now on. */
  stop(): void;
}

/** Slack ends `processing` after an hour. https://docs.slack.dev/ai/agent-sessions */
const RENEW_MS = 50 * 60_000;
/** The same again within this time says nothing new. */
const SAME_MS = 30_000;
/** Slack takes some 50 a minute: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
const LATER_EVERY_MS = 3_000;
const MAX_TRIES = 6;
const FIRST_RETRY_MS = 2_000;
const MAX_REMEMBERED = 5_000;

/** Creates the statuses of one process on top of the chat. */
export function createSessionStatusWriter(deps: {
  readonly chat: Pick<Chat, 'setStatus'>;
  readonly clock: Clock;
  readonly log: Log;
}): SessionStatusWriter {
  const { chat, clock, log } = deps;
  const wanted = new Map<ThreadKey, ThreadStatus>();
  const underWay = new Map<ThreadKey, Promise<void>>();
  const later = new Map<ThreadKey, ThreadStatus>();
  const timers = new Map<ThreadKey, Cancel>();
  const shown = new Map<ThreadKey, { readonly session: string; readonly at: number }>();
  let cancelLater: Cancel | undefined;
  let isStopped = false;

  function set(thread: ThreadKey, status: ThreadStatus): void {
    if (isSame(thread, status)) return;
    later.delete(thread);
    cancelTimer(thread);
    wanted.set(thread, asNews(thread, status));
    if (!underWay.has(thread)) underWay.set(thread, bringUp(thread));
  }

  /** It is no repeat where people see another status, or one that another process has set. */
  function asNews(thread: ThreadKey, status: ThreadStatus): ThreadStatus {
    const { isRepeat: _, ...news } = status;
    return shown.get(thread)?.session === status.session ? status : news;
  }

  /** What ends a turn is always set: another process may have set something between. */
  function isSame(thread: ThreadKey, { session }: ThreadStatus): boolean {
    const last = shown.get(thread);
    if (wanted.has(thread) || underWay.has(thread) || session === 'active') return false;
    return last?.session === session && clock.now() - last.at < SAME_MS;
  }

  async function bringUp(thread: ThreadKey): Promise<void> {
    for (;;) {
      const status = wanted.get(thread);
      if (status === undefined) break;
      wanted.delete(thread);
      await show(thread, status, 0);
    }
    underWay.delete(thread);
  }

  async function show(thread: ThreadKey, status: ThreadStatus, tries: number): Promise<void> {
    try {
      if ((await chat.setStatus(thread, status)) === 'words') return;
      remember(thread, status);
    } catch (error) {
      log.warn({ err: error, thread }, 'How a thread stands could not be shown.');
      if (isWorthRetry(error) && tries + 1 < MAX_TRIES) retry(thread, status, error, tries);
    }
  }

  function remember(thread: ThreadKey, status: ThreadStatus): void {
    const { session } = status;
    shown.delete(thread);
    if (session === 'active') return;
    shown.set(thread, { session, at: clock.now() });
    const [oldest] = shown.keys();
    if (shown.size > MAX_REMEMBERED && oldest !== undefined) shown.delete(oldest);
    if (session === 'processing') schedule(thread, RENEW_MS, status, 0);
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
      underWay.set(
        thread,
        show(thread, status, tries).then(() => bringUp(thread)),
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
    if (later.size > 0) cancelLater = clock.schedule(clock.now() + LATER_EVERY_MS, nextLater);
  }

  return {
    set,
    setLater(thread, status) {
      if (isStopped || wanted.has(thread)) return;
      later.set(thread, status);
      cancelLater ??= clock.schedule(clock.now() + LATER_EVERY_MS, nextLater);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
    stop() {
      isStopped = true;
      cancelLater?.();
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}

function isWorthRetry(error: unknown): boolean {
  return error instanceof ChatError && ['rate-limited', 'temporary'].includes(error.code);
}
