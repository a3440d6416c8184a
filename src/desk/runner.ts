/**
 * Does what the agenda says: claims due keys, holds their leases while the work goes on, and puts
 * off what failed. The agenda decides who works; nothing here is remembered over a restart.
 */
import type { Agenda, AgendaTask, Lease } from '../domain/agenda.ts';
import { ChatError, UnmendedError } from '../domain/chat.ts';
import type { Cancel, Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { StaleFenceError } from '../domain/store.ts';
import type { Work } from './deps.ts';

const LEASE_MS = 30_000;
/** A lease is renewed so often in its time that a renewal may fail once. */
const RENEWALS = 3;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;
/** About two hours of trying: longer than most outages, shorter than a night. */
const MAX_TRIES = 30;
const MAX_AT_ONCE = 64;
/** What does not even end when it is aborted must not keep the process; its lease runs out instead. */
const LAST_WORDS_MS = 2_000;

export type AgendaHandlers = Readonly<
  Record<AgendaTask, (id: string, work: Work) => Promise<void>>
>;

export interface Runner {
  start(): void;
  /** Looks for due work now; called after every wake-up. */
  nudge(): void;
  /** Resolves when no work is under way and none is due. */
  idle(): Promise<void>;
  /** Claims nothing more, gives running work `graceMs` to end, then aborts it, and waits no longer than a moment more. */
  stop(graceMs: number): Promise<void>;
}

/** A lease of work under way. */
interface Hold {
  isOverdue(): boolean;
  renew(): Promise<void>;
}

/** Creates the runner of one worker. */
export function createRunner(deps: {
  readonly agenda: Agenda;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: AgendaHandlers;
  /** After it, what a worker that is not heard of had claimed is another's. (Default: 30 s.) */
  readonly leaseMs?: number;
}): Runner {
  const { agenda, clock, log, handlers, leaseMs = LEASE_MS } = deps;
  const underWay = new Map<Promise<void>, AbortController>();
  const holds = new Set<Hold>();
  const idlers = new Set<() => void>();
  let state: 'created' | 'running' | 'stopping' = 'created';
  let claiming: Promise<void> | undefined;
  let nudged = false;
  let cancelTimer: Cancel = () => {};

  function nudge(): void {
    nudged = true;
    if (state !== 'running' || claiming !== undefined) return;
    claiming = claimAll().finally(() => {
      claiming = undefined;
      if (nudged) nudge();
      else if (underWay.size === 0) for (const resolve of idlers) resolve();
    });
  }

  async function claimAll(): Promise<void> {
    nudged = false;
    try {
      while (state === 'running' && underWay.size < MAX_AT_ONCE) {
        await renewOverdue();
        const lease = await agenda.claim(clock.now(), leaseMs);
        if (!lease) break;
        begin(lease);
      }
      await setTimer();
    } catch (error) {
      log.error({ err: error }, 'The agenda can not be read; trying again in a second.');
      cancelTimer();
      cancelTimer = clock.schedule(clock.now() + FIRST_BACK_OFF_MS, nudge);
    }
  }

  /** A process that stood still finds its own leases run out, and must not take its own work for a dead worker's. */
  async function renewOverdue(): Promise<void> {
    for (const hold of holds) if (hold.isOverdue()) await hold.renew();
  }

  async function setTimer(): Promise<void> {
    const dueAt = await agenda.nextDueAt();
    cancelTimer();
    if (dueAt === undefined || state !== 'running' || underWay.size >= MAX_AT_ONCE) return;
    cancelTimer = clock.schedule(dueAt, nudge);
  }

  function begin(lease: Lease): void {
    const abort = new AbortController();
    const work = perform(lease, abort).finally(() => {
      underWay.delete(work);
      nudge();
    });
    underWay.set(work, abort);
  }

  async function perform(first: Lease, abort: AbortController): Promise<void> {
    let lease = first;
    let cancelRenewal = scheduleRenewal();
    const hold = { renew, isOverdue: () => clock.now() >= lease.expiresAt };
    holds.add(hold);
    try {
      const { fence, tries } = first;
      const work = { fence, tries, signal: abort.signal };
      await handlers[first.key.task](first.key.id, work);
      await agenda.finish(lease);
    } catch (error) {
      await putOff(lease, error, abort.signal).catch((cause: unknown) => {
        // The lease runs out by itself, and the work is claimed again then.
        log.error({ err: cause, key: first.key }, 'Failed work could not be put off.');
      });
    } finally {
      holds.delete(hold);
      cancelRenewal();
    }

    function scheduleRenewal(): Cancel {
      return clock.schedule(clock.now() + leaseMs / RENEWALS, () => {
        renew().catch((error: unknown) => {
          log.warn({ err: error, key: first.key }, 'A lease was not renewed.');
          cancelRenewal = scheduleRenewal();
        });
      });
    }

    async function renew(): Promise<void> {
      const renewed = await agenda.renew(lease, clock.now(), leaseMs);
      if (!holds.has(hold)) return;
      if (!renewed) {
        holds.delete(hold);
        abort.abort(new StaleFenceError('Another worker has this work now.'));
        return;
      }
      lease = renewed;
      cancelRenewal();
      cancelRenewal = scheduleRenewal();
    }
  }

  async function putOff(lease: Lease, error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof StaleFenceError || signal.aborted) {
      log.warn({ key: lease.key }, 'Work was left: another worker has it, or the process ends.');
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    if (lease.tries + 1 >= MAX_TRIES && !(error instanceof UnmendedError)) {
      log.error({ err: error, key: lease.key }, 'Work was parked after too many tries.');
      await agenda.park(lease, now, reason);
      return;
    }
    log.warn(
      { err: error, key: lease.key, tries: lease.tries + 1 },
      'Work failed; it is tried again.',
    );
    await agenda.backOff(lease, now + backOffMs(lease, error), reason);
  }

  async function allEnded(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay.keys());
  }

  return {
    start() {
      if (state === 'created') state = 'running';
      nudge();
    },
    nudge,
    async idle() {
      if (claiming === undefined && !nudged && underWay.size === 0) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          idlers.delete(done);
          resolve();
        };
        idlers.add(done);
      });
    },
    async stop(graceMs) {
      state = 'stopping';
      cancelTimer();
      await claiming;
      const cancelAbort = clock.schedule(clock.now() + graceMs, () => {
        for (const abort of underWay.values()) abort.abort(new Error('The process ends.'));
      });
      let cancelEnd: Cancel = () => {};
      const tooLate = new Promise<void>((resolve) => {
        cancelEnd = clock.schedule(clock.now() + graceMs + LAST_WORDS_MS, resolve);
      });
      await Promise.race([tooLate, allEnded()]);
      cancelAbort();
      cancelEnd();
      for (const resolve of idlers) resolve();
    },
  };
}

function backOffMs(lease: Lease, error: unknown): number {
  if (error instanceof ChatError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** lease.tries);
}
