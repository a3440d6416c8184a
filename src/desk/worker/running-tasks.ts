import type { AgendaTask, Lease } from '../../domain/ports/agenda.ts';
import type { Cancel } from '../../domain/ports/clock.ts';
import type { HeldWork } from '../deps.ts';
import { INITIAL_BACKOFF_MS } from './backoff.ts';
import { type FailureDeps, rescheduleFailed } from './reschedule-failed.ts';
import { assertNotCrashing, PermanentError } from './retry-policy.ts';
import { keepLease, type LeaseDeps, type RunningLease } from './running-lease.ts';

const MAX_AT_ONCE = 64;
/** Slots reserved for work that somebody waits for. */
const RESERVED = 16;
/** Work that ignores its abort must not keep the process alive; its lease expires instead. */
const ABORT_GRACE_MS = 1_500;

export type AgendaHandlers = Readonly<
  Record<AgendaTask, (id: string, work: HeldWork) => Promise<void>>
>;

/** The tasks that run now, with their leases. */
export interface RunningTasks {
  begin(lease: Lease): void;
  isEmpty(): boolean;
  countFree(): number;
  /** True if only the reserved slots are free. */
  isCrowded(): boolean;
  /** A time at which own leases are valid: own work must not look like a dead worker's. */
  timeToClaim(): Promise<number>;
  /** Waits `graceMs` for running work, aborts it, and waits up to 1.5 s. */
  end(graceMs: number): Promise<void>;
}

type RunningDeps = LeaseDeps &
  FailureDeps & {
    readonly handlers: AgendaHandlers;
    readonly isStopping: () => boolean;
    /** More may be due, or claimed, than before. */
    readonly onWake: () => void;
    readonly onEnd: () => void;
  };

/** Creates the running tasks of one worker. */
export function createRunningTasks(deps: RunningDeps): RunningTasks {
  const { agenda, clock, log, onWake } = deps;
  const active = new Map<Promise<void>, AbortController>();
  const leases = new Set<RunningLease>();

  function isCrowded(): boolean {
    return active.size >= MAX_AT_ONCE - RESERVED;
  }

  async function perform(first: Lease, abort: AbortController): Promise<void> {
    const held = keepLease(deps, first, abort);
    leases.add(held);
    try {
      assertNotCrashing(first);
      const { fence, tries } = first;
      const work = { fence, tries, signal: abort.signal, assertHeld: held.assertHeld };
      await agenda.within(first, () => handlerOf(deps.handlers, first)(first.key.id, work));
      await agenda.finish(held.current());
      // It may have been woken meanwhile.
      onWake();
    } catch (error) {
      await rescheduleFailed(deps, held.current(), error, abort.signal).catch((cause: unknown) => {
        log.error({ err: cause, key: first.key }, 'Could not reschedule a failed task.');
        releaseLease(deps, held.current());
      });
      onWake();
    } finally {
      leases.delete(held);
      held.release();
    }
  }

  return {
    isCrowded,
    begin(lease) {
      const abort = new AbortController();
      const work = perform(lease, abort).finally(() => {
        const wasCrowded = isCrowded();
        active.delete(work);
        if (wasCrowded) onWake();
        else deps.onEnd();
      });
      active.set(work, abort);
    },
    isEmpty: () => active.size === 0,
    countFree: () => MAX_AT_ONCE - active.size,
    async timeToClaim() {
      for (;;) {
        const now = clock.now();
        const overdue = [...leases].filter((lease) => lease.isOverdue(now));
        if (overdue.length === 0) return now;
        for (const lease of overdue) await lease.renew();
      }
    },
    async end(graceMs) {
      const cancelAbort = clock.schedule(clock.now() + graceMs, () => {
        for (const abort of active.values()) abort.abort(new Error('The process is stopping.'));
      });
      let cancelEnd: Cancel = () => {};
      const graceOver = new Promise<void>((resolve) => {
        cancelEnd = clock.schedule(clock.now() + graceMs + ABORT_GRACE_MS, resolve);
      });
      await Promise.race([graceOver, allEnded(active)]);
      cancelAbort();
      cancelEnd();
    },
  };
}

function handlerOf(handlers: AgendaHandlers, { key }: Lease): AgendaHandlers[AgendaTask] {
  const handler = handlers[key.task];
  if (!handler) throw new PermanentError(`This version does not know the task “${key.task}”.`);
  return handler;
}

/** Retries, so that a short store outage does not block the task until its lease expires. */
function releaseLease(deps: RunningDeps, lease: Lease): void {
  const { agenda, clock, isStopping, onWake } = deps;
  const now = clock.now();
  if (isStopping() || now >= lease.expiresAt) return;
  clock.schedule(now + INITIAL_BACKOFF_MS, () => {
    agenda.postpone(lease, clock.now()).then(onWake, () => releaseLease(deps, lease));
  });
}

async function allEnded(active: ReadonlyMap<Promise<void>, unknown>): Promise<void> {
  while (active.size > 0) await Promise.allSettled(active.keys());
}
