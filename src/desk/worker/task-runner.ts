/**
 * Runs the tasks of the agenda: claims due ones, holds their leases while they run, and retries
 * those that fail. Keeps no state across restarts.
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
import { type HeldWork, LEASE_MS } from '../deps.ts';
import { backoffDelayMs, INITIAL_BACKOFF_MS } from './backoff.ts';
import { assertNotCrashing, isPermanentFailure, PermanentError } from './retry-policy.ts';

/** Running tools keep their lease longer, so that a Redis failover does not end them. */
const RUN_LEASE_MS = 30_000;
/** Renewals per lease, so that one of them may fail. */
const RENEWALS = 3;
const MAX_AT_ONCE = 64;
/** Slots reserved for work that somebody waits for. */
const RESERVED = 16;
const CLAIMS_AT_ONCE = 3;
/** Claims between two yields to the event loop. */
const YIELD_EVERY = 3;
/** Work that ignores its abort must not keep the process alive; its lease expires instead. */
const ABORT_GRACE_MS = 1_500;

export type AgendaHandlers = Readonly<
  Record<AgendaTask, (id: string, work: HeldWork) => Promise<void>>
>;

export interface TaskRunner {
  start(): void;
  /** Checks for due tasks now; called after every wake-up. */
  nudge(): void;
  /** Resolves when nothing is running or due. */
  idle(): Promise<void>;
  /** Claims nothing more, waits `graceMs` for running work, aborts it, and waits up to 1.5 s. */
  stop(graceMs: number): Promise<void>;
}

/** The lease of running work. */
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
  /** Default: 12 s. */
  readonly leaseMs?: number | undefined;
  /** Called before a task becomes a dead letter; a rejection postpones that. */
  readonly beforePark?: (lease: Lease, error: unknown) => Promise<void>;
}): TaskRunner {
  const { agenda, clock, log, handlers, leaseMs = LEASE_MS, beforePark = async () => {} } = deps;
  const periodMs = leaseMs / RENEWALS;
  const runLeaseMs = deps.leaseMs ?? RUN_LEASE_MS;
  const active = new Map<Promise<void>, AbortController>();
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
        // A store may answer synchronously, so yield to the event loop for people's requests.
        if (rounds % YIELD_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      log.error({ err: error }, 'Could not read the agenda; retrying in a second.');
      cancelTimer();
      cancelTimer = clock.schedule(clock.now() + INITIAL_BACKOFF_MS, wakeLoop);
    }
  }

  /** A time at which own leases are valid: own work must not look like a dead worker's. */
  async function timeToClaim(): Promise<number> {
    for (;;) {
      const now = clock.now();
      const overdue = [...holds].filter((hold) => hold.isOverdue(now));
      if (overdue.length === 0) return now;
      for (const hold of overdue) await hold.renew();
    }
  }

  /** True if there may be more to claim. Otherwise sets the timer for the next task. */
  async function claimSome(): Promise<boolean> {
    const now = await timeToClaim();
    const free = state === 'running' ? MAX_AT_ONCE - active.size : 0;
    const limit = Math.min(free, CLAIMS_AT_ONCE);
    const { count, dueAt } = await claim(now, limit);
    if (limit > 0 && count === limit) return true;
    cancelTimer();
    // If crowded, the end of running work triggers the next check.
    if (dueAt === undefined || state !== 'running' || isCrowded()) return false;
    cancelTimer = clock.schedule(dueAt, wakeLoop);
    return false;
  }

  /** Starts the claimed tasks. If crowded, claims only tasks with priority. */
  async function claim(now: number, limit: number) {
    const early = isCrowded() ? PRIORITY_LEAD_MS / 2 : 0;
    const { leases, next: dueAt } = await agenda.claim(now - early, leaseMs + early, limit);
    for (const lease of leases) {
      const isOver = clock.now() >= lease.expiresAt;
      // The answer came after the lease; it still holds unless another worker took the thread.
      const held = isOver ? await agenda.renew(lease, clock.now(), leaseMs) : lease;
      if (held) begin(held);
    }
    return { count: leases.length, dueAt };
  }

  function isCrowded(): boolean {
    return active.size >= MAX_AT_ONCE - RESERVED;
  }

  function begin(lease: Lease): void {
    const abort = new AbortController();
    const work = perform(lease, abort).finally(() => {
      const wasCrowded = isCrowded();
      active.delete(work);
      if (wasCrowded) wakeLoop();
      else notifyIdle();
    });
    active.set(work, abort);
  }

  function notifyIdle(): void {
    if (claiming !== undefined || nudged || active.size > 0) return;
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
      await handleFailure(lease, error, abort.signal).catch((cause: unknown) => {
        log.error({ err: cause, key: first.key }, 'Could not reschedule a failed task.');
        releaseLease(lease);
      });
      wakeLoop();
    } finally {
      holds.delete(hold);
      cancelRenewal();
    }

    /** The clock detects a stall even if no timer fired. A lease that nobody took is renewed. */
    async function assertHeld(): Promise<void> {
      if (hold.isOverdue(clock.now()) && !abort.signal.aborted) await renew();
      if (!hold.isOverdue(clock.now()) && !abort.signal.aborted) return;
      throw new StaleFenceError('The lease has expired: another worker may have this work now.');
    }

    /** A lease from an older hold has less time left. */
    function scheduleRenewal(at = lease.expiresAt - leasedMs + leasedMs / RENEWALS): Cancel {
      return clock.schedule(at, () => {
        renew().catch((error: unknown) => {
          log.warn({ err: error, key: first.key }, 'Could not renew a lease.');
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

  /** Retries, so that a short store outage does not block the task until its lease expires. */
  function releaseLease(lease: Lease): void {
    const now = clock.now();
    if (state !== 'running' || now >= lease.expiresAt) return;
    clock.schedule(now + INITIAL_BACKOFF_MS, () => {
      agenda.postpone(lease, clock.now()).then(wakeLoop, () => releaseLease(lease));
    });
  }

  function handlerOf({ key }: Lease): AgendaHandlers[AgendaTask] {
    const handler = handlers[key.task];
    if (!handler) throw new PermanentError(`This version does not know the task “${key.task}”.`);
    return handler;
  }

  async function handleFailure(lease: Lease, error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof RateLimitedError) return await agenda.postpone(lease, error.dueAt);
    if (error instanceof StaleFenceError || signal.aborted)
      return await leave(lease, error, signal);
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    if (isPermanentFailure(lease, error)) {
      log.error(
        { err: error, key: lease.key, tries: lease.tries + 1 },
        'Gave up a task; it waits until somebody wakes it.',
      );
      await beforePark(lease, error);
      await agenda.moveToDeadLetters(lease, now, reason);
      return;
    }
    log.warn({ err: error, key: lease.key, tries: lease.tries + 1 }, 'A task failed; retrying.');
    await agenda.backOff(lease, now + backoffDelayMs(lease, error), reason);
  }

  async function leave(lease: Lease, error: unknown, signal: AbortSignal): Promise<void> {
    log.warn({ key: lease.key }, 'Left a task: another worker has it, or the process is stopping.');
    if ([error, signal.reason].some((each) => each instanceof StaleFenceError)) return;
    // The next worker may start at once, except for tools, which may still be running here.
    if (lease.key.task !== 'run') await agenda.postpone(lease, clock.now());
  }

  async function allEnded(): Promise<void> {
    while (active.size > 0) await Promise.allSettled(active.keys());
  }

  return {
    start() {
      if (state === 'created') state = 'running';
      wakeLoop();
    },
    nudge: wakeLoop,
    async idle() {
      if (claiming === undefined && !nudged && active.size === 0) return;
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
        for (const abort of active.values()) abort.abort(new Error('The process is stopping.'));
      });
      let cancelEnd: Cancel = () => {};
      const graceOver = new Promise<void>((resolve) => {
        cancelEnd = clock.schedule(clock.now() + graceMs + ABORT_GRACE_MS, resolve);
      });
      await Promise.race([graceOver, allEnded()]);
      cancelAbort();
      cancelEnd();
      for (const resolve of idlers) resolve();
    },
  };
}
