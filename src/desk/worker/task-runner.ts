/**
 * Runs the tasks of the agenda: claims due ones, holds their leases while they run, and retries
 * those that fail. Keeps no state across restarts.
 */
import { type Agenda, type Lease, PRIORITY_LEAD_MS } from '../../domain/ports/agenda.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { LEASE_MS } from '../deps.ts';
import { INITIAL_BACKOFF_MS } from './backoff.ts';
import { type AgendaHandlers, createRunningTasks, type RunningTasks } from './running-tasks.ts';

/** Running tools keep their lease longer, so that a Redis failover does not end them. */
const RUN_LEASE_MS = 30_000;
const CLAIMS_AT_ONCE = 3;
/** Claims between two yields to the event loop. */
const YIELD_EVERY = 3;

export interface TaskRunner {
  start(): void;
  /** Checks for due tasks now; called after every wake-up. */
  nudge(): void;
  /** Resolves when nothing is running or due. */
  idle(): Promise<void>;
  /** Claims nothing more, waits `graceMs` for running work, aborts it, and waits up to 1.5 s. */
  stop(graceMs: number): Promise<void>;
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
  const { clock, log, leaseMs = LEASE_MS } = deps;
  const running = createRunningTasks({
    beforePark: async () => {},
    ...deps,
    leaseMs,
    runLeaseMs: deps.leaseMs ?? RUN_LEASE_MS,
    isStopping: () => state !== 'running',
    onWake: wakeLoop,
    onEnd: notifyIdle,
  });
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

  /** True if there may be more to claim. Otherwise sets the timer for the next task. */
  async function claimSome(): Promise<boolean> {
    const now = await running.timeToClaim();
    const free = state === 'running' ? running.countFree() : 0;
    const limit = Math.min(free, CLAIMS_AT_ONCE);
    const { count, dueAt } = await claim({ ...deps, leaseMs, running }, now, limit);
    if (limit > 0 && count === limit) return true;
    cancelTimer();
    // If crowded, the end of running work triggers the next check.
    if (dueAt === undefined || state !== 'running' || running.isCrowded()) return false;
    cancelTimer = clock.schedule(dueAt, wakeLoop);
    return false;
  }

  function isIdle(): boolean {
    return claiming === undefined && !nudged && running.isEmpty();
  }

  function notifyIdle(): void {
    if (isIdle()) for (const resolve of idlers) resolve();
  }

  return {
    start() {
      if (state === 'created') state = 'running';
      wakeLoop();
    },
    nudge: wakeLoop,
    async idle() {
      if (isIdle()) return;
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
      await running.end(graceMs);
      for (const resolve of idlers) resolve();
    },
  };
}

/** Starts the claimed tasks. If crowded, claims only tasks with priority. */
async function claim(
  deps: {
    readonly agenda: Agenda;
    readonly clock: Clock;
    readonly leaseMs: number;
    readonly running: RunningTasks;
  },
  now: number,
  limit: number,
) {
  const { agenda, clock, leaseMs, running } = deps;
  const early = running.isCrowded() ? PRIORITY_LEAD_MS / 2 : 0;
  const { leases, next: dueAt } = await agenda.claim(now - early, leaseMs + early, limit);
  for (const lease of leases) {
    const isOver = clock.now() >= lease.expiresAt;
    // The answer came after the lease; it still holds unless another worker took the thread.
    const held = isOver ? await agenda.renew(lease, clock.now(), leaseMs) : lease;
    if (held) running.begin(held);
  }
  return { count: leases.length, dueAt };
}
