/**
 * Does what the agenda says: claims due keys, holds their leases while the work goes on, and puts
 * off what failed. The agenda decides who works; nothing here is remembered over a restart.
 */
import {
  type Agenda,
  type AgendaTask,
  type Lease,
  PRIORITY_LEAD_MS,
} from '../../domain/ports/agenda.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import { RateLimitedError } from '../delivery/channel-rate-limiter.ts';
import type { HeldWork } from '../deps.ts';
import { backoffDelayMs, INITIAL_BACKOFF_MS } from './backoff.ts';
import { assertNotCrashing, isPermanentFailure, PermanentError } from './retry-policy.ts';

/**
 * After it, what a worker that is not heard of had claimed is another’s (ms): so long people wait for
 * a thread whose process was killed. An event loop may stand still for two thirds of it.
 */
export const LEASE_MS = 12_000;
/** A tool that runs keeps its thread while Redis fails over: nobody may take its work for lost. */
const RUN_LEASE_MS = 30_000;
/** A lease is renewed so often in its time that a renewal may fail once. */
const RENEWALS = 3;
const MAX_AT_ONCE = 64;
/** Places that only work may take that somebody waits for. */
const KEPT_FREE = 16;
const CLAIMS_AT_ONCE = 3;
/** So often works may be claimed before the event loop turns. */
const HEAR_EVERY = 3;
/** What does not even end when it is aborted must not keep the process; its lease runs out instead. */
const LAST_WORDS_MS = 1_500;

export type AgendaHandlers = Readonly<
  Record<AgendaTask, (id: string, work: HeldWork) => Promise<void>>
>;

export interface TaskRunner {
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
  isOverdue(now: number): boolean;
  renew(): Promise<void>;
}

/** Creates the runner of one worker. */
export function createTaskRunner(deps: {
  readonly agenda: Agenda;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: AgendaHandlers;
  /** After it, what a worker that is not heard of had claimed is another's. (Default: 12 s.) */
  readonly leaseMs?: number | undefined;
  /** Called before work is parked; a rejection keeps it from being parked for now. */
  readonly beforePark?: (lease: Lease, error: unknown) => Promise<void>;
}): TaskRunner {
  const { agenda, clock, log, handlers, leaseMs = LEASE_MS, beforePark = async () => {} } = deps;
  const periodMs = leaseMs / RENEWALS;
  const runLeaseMs = deps.leaseMs ?? RUN_LEASE_MS;
  const underWay = new Map<Promise<void>, AbortController>();
  const holds = new Set<Hold>();
  const idlers = new Set<() => void>();
  let state: 'created' | 'running' | 'stopping' = 'created';
  let claiming: Promise<void> | undefined;
  let nudged = false;
  let rounds = 0;
  let cancelTimer: Cancel = () => {};

  function wakeLoop(): void {
    nudged = true;
    if (state !== 'running' || claiming !== undefined) return;
    claiming = claimAll().finally(() => {
      claiming = undefined;
      if (nudged) wakeLoop();
      else notifyIdle();
    });
  }

  async function claimAll(): Promise<void> {
    nudged = false;
    try {
      while (await claimSome()) {
        rounds += 1;
        // A store may answer without ever waiting: amid much work people must be heard.
        if (rounds % HEAR_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      log.error({ err: error }, 'The agenda can not be read; trying again in a second.');
      cancelTimer();
      cancelTimer = clock.schedule(clock.now() + INITIAL_BACKOFF_MS, wakeLoop);
    }
  }

  /** Resolves with a time at which no own lease is over: a process that stood still must not take its own work for a dead worker's, however short ago it looked. */
  async function timeToClaim(): Promise<number> {
    for (;;) {
      const now = clock.now();
      const overdue = [...holds].filter((hold) => hold.isOverdue(now));
      if (overdue.length === 0) return now;
      for (const hold of overdue) await hold.renew();
    }
  }

  /** Resolves with whether there may be more to claim; when there is not, the timer is set for what comes next. */
  async function claimSome(): Promise<boolean> {
    const now = await timeToClaim();
    const free = state === 'running' ? MAX_AT_ONCE - underWay.size : 0;
    const most = Math.min(free, CLAIMS_AT_ONCE);
    const { count, dueAt } = await claim(now, most);
    if (most > 0 && count === most) return true;
    cancelTimer();
    // With few places left, what is due may have to wait for one: the end of some work looks again.
    if (dueAt === undefined || state !== 'running' || isCrowded()) return false;
    cancelTimer = clock.schedule(dueAt, wakeLoop);
    return false;
  }

  /** Begins what was claimed, and resolves with how much it is, and when there is more. When most places are taken, the rest is for what goes ahead of its time. */
  async function claim(now: number, most: number) {
    const early = isCrowded() ? PRIORITY_LEAD_MS / 2 : 0;
    const { leases, next: dueAt } = await agenda.claim(now - early, leaseMs + early, most);
    for (const lease of leases) {
      const isOver = clock.now() >= lease.expiresAt;
      // The answer came too late, but what nobody has taken meanwhile is still held.
      const held = isOver ? await agenda.renew(lease, clock.now(), leaseMs) : lease;
      if (held) begin(held);
    }
    return { count: leases.length, dueAt };
  }

  function isCrowded(): boolean {
    return underWay.size >= MAX_AT_ONCE - KEPT_FREE;
  }

  function begin(lease: Lease): void {
    const abort = new AbortController();
    const work = perform(lease, abort).finally(() => {
      const wasCrowded = isCrowded();
      underWay.delete(work);
      if (wasCrowded) wakeLoop();
      else notifyIdle();
    });
    underWay.set(work, abort);
  }

  function notifyIdle(): void {
    if (claiming !== undefined || nudged || underWay.size > 0) return;
    for (const resolve of idlers) resolve();
  }

  async function perform(first: Lease, abort: AbortController): Promise<void> {
    let lease = first;
    let leasedMs = leaseMs;
    let cancelRenewal = scheduleRenewal();
    const hold = { renew, isOverdue: (now: number) => now >= lease.expiresAt };
    holds.add(hold);
    try {
      const { fence, tries } = first;
      assertNotCrashing(first);
      const work = { fence, tries, signal: abort.signal, assertHeld };
      await agenda.within(first, () => handlerOf(first)(first.key.id, work));
      await agenda.finish(lease);
      // It may have been woken meanwhile.
      wakeLoop();
    } catch (error) {
      await putOff(lease, error, abort.signal).catch((cause: unknown) => {
        log.error({ err: cause, key: first.key }, 'Failed work could not be put off.');
        releaseLease(lease);
      });
      wakeLoop();
    } finally {
      holds.delete(hold);
      cancelRenewal();
    }

    /** The time tells of a worker that stood still what no timer could; what nobody took meanwhile is still its own. */
    async function assertHeld(): Promise<void> {
      if (hold.isOverdue(clock.now()) && !abort.signal.aborted) await renew();
      if (!hold.isOverdue(clock.now()) && !abort.signal.aborted) return;
      throw new StaleFenceError('The time of this work is over: another worker may have it now.');
    }

    /** What was handed out within an older hold has less of its time left. */
    function scheduleRenewal(at = lease.expiresAt - leasedMs + leasedMs / RENEWALS): Cancel {
      return clock.schedule(at, () => {
        renew().catch((error: unknown) => {
          log.warn({ err: error, key: first.key }, 'A lease was not renewed.');
          cancelRenewal = scheduleRenewal(clock.now() + Math.min(INITIAL_BACKOFF_MS, periodMs));
        });
      });
    }

    async function renew(): Promise<void> {
      leasedMs = first.key.task === 'run' ? runLeaseMs : leaseMs;
      const renewed = await agenda.renew(lease, clock.now(), leasedMs);
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

  /** A store that could not be written for a moment must not hold up the work until its lease runs out. */
  function releaseLease(lease: Lease): void {
    const now = clock.now();
    if (state !== 'running' || now >= lease.expiresAt) return;
    clock.schedule(now + INITIAL_BACKOFF_MS, () => {
      agenda.postpone(lease, clock.now()).then(wakeLoop, () => releaseLease(lease));
    });
  }

  function handlerOf({ key }: Lease): AgendaHandlers[AgendaTask] {
    const handler = handlers[key.task];
    if (!handler) throw new PermanentError(`This version knows no work of the kind “${key.task}”.`);
    return handler;
  }

  async function putOff(lease: Lease, error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof RateLimitedError) return await agenda.postpone(lease, error.dueAt);
    if (error instanceof StaleFenceError || signal.aborted)
      return await leave(lease, error, signal);
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    if (isPermanentFailure(lease, error)) {
      log.error(
        { err: error, key: lease.key, tries: lease.tries + 1 },
        'Work was parked: it stands still until somebody wakes it.',
      );
      await beforePark(lease, error);
      await agenda.moveToDeadLetters(lease, now, reason);
      return;
    }
    log.warn(
      { err: error, key: lease.key, tries: lease.tries + 1 },
      'Work failed; it is tried again.',
    );
    await agenda.backOff(lease, now + backoffDelayMs(lease, error), reason);
  }

  async function leave(lease: Lease, error: unknown, signal: AbortSignal): Promise<void> {
    log.warn({ key: lease.key }, 'Work was left: another worker has it, or the process ends.');
    if ([error, signal.reason].some((each) => each instanceof StaleFenceError)) return;
    // The next worker need not wait for the lease to run out, but for a tool that may go on meanwhile.
    if (lease.key.task !== 'run') await agenda.postpone(lease, clock.now());
  }

  async function allEnded(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay.keys());
  }

  return {
    start() {
      if (state === 'created') state = 'running';
      wakeLoop();
    },
    nudge: wakeLoop,
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
