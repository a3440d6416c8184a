/**
 * The units that this process holds, with their running and waiting tasks. A finished task is written
 * with its unit's next commit. The end of the last task releases the unit, so no task costs a commit
 * of its own.
 */
import type { Clock } from '../../domain/ports/clock.ts';
import { type Fence, newCommitId, type Records } from '../records.ts';
import { createHeldRecords, type HeldRecords } from './held-records.ts';
import { HeldUnits } from './held-units.ts';
import { flushDone, renewUnits, type TaskBatch, takeTasks } from './lease-units.ts';
import type { TaskCompletion, UnitHold } from './unit-hold.ts';

/** A unit that is held until `leave` is called. */
export interface UnitVisit extends Fence {
  leave(): Promise<void>;
}

export interface Holds extends HeldRecords, Pick<HeldUnits, 'end' | 'waitingAt'> {
  /** Takes at most `most` tasks, oldest due first. Reads the store only if there may be any. */
  take(now: number, leaseMs: number, most: number): Promise<TaskBatch>;
  /** Extends a hold; returns its new end, or undefined if it is lost. */
  renew(hold: Fence, now: number, leaseMs: number): Promise<number | undefined>;
  /** Whether the hold is known to be lost. */
  isLost(hold: Fence): boolean;
  /** Writes the finished tasks of a unit. */
  flush(hold: Fence): Promise<void>;
  /** Joins a unit that is held here, or leases a free one; undefined if another process holds it. */
  enter(unit: string, leaseMs: number): Promise<UnitVisit | undefined>;
  /** Calls the listener when there may be tasks to take. */
  listen(listener: () => void): Promise<void>;
  /** Releases the units in which no task was started. */
  releaseHolds(): Promise<void>;
  /** Makes the next `take` read the store, since wake-ups may have been lost. */
  requestLease(): void;
}

async function releaseUnit(
  records: Records,
  { token, unit }: UnitHold,
  { done, over }: TaskCompletion,
): Promise<void> {
  const tasks = done.map((id) => ({ unit, id, isDone: true as const }));
  const fences = [{ unit, token }];
  try {
    await records.commit({ id: newCommitId(), durable: 'later', fences, releases: true, tasks });
  } finally {
    over();
  }
}

/** Creates the holds of a process on its records. */
export function createHolds(records: Records, clock: Clock): Holds {
  const units = new HeldUnits(clock);
  const deps = { records, units, clock };
  const listeners = new Set<() => void>();

  function notifyListeners(): void {
    // In a microtask, so that a listener can't fail the writer.
    for (const listener of listeners) queueMicrotask(listener);
  }

  async function releaseIfIdle(held: UnitHold): Promise<void> {
    const end = units.releaseIdle(held);
    if (end) await releaseUnit(records, held, end);
    notifyListeners();
  }

  async function visit(unit: string, leaseMs: number): Promise<UnitHold | undefined> {
    if (!units.get(unit)) {
      const leased = await records.lease(clock.now(), leaseMs, { unit });
      units.leased(leased, false);
      if (leased.holds.some(({ tasks }) => tasks.length > 0)) notifyListeners();
    }
    const held = units.get(unit);
    return held && held.until > clock.now() ? held : undefined;
  }

  return {
    ...createHeldRecords(records, units, clock, notifyListeners),
    end: (task, change) => units.end(task, change),
    waitingAt: () => units.waitingAt(),
    take: (now, leaseMs, most) =>
      takeTasks(deps, now, leaseMs, { most, isTold: listeners.size > 0 }),
    async renew(hold, now, leaseMs) {
      const held = units.newestOf(hold);
      if (!held) return (await records.renew([hold], now, leaseMs))[0]?.until;
      await renewUnits(deps, [held], now, leaseMs);
      return units.newestOf(hold)?.until;
    },
    isLost: (hold) => units.newestOf(hold) === undefined,
    async flush(hold) {
      const held = units.newestOf(hold);
      if (!held) return;
      await flushDone(deps, [held]);
      await releaseIfIdle(held);
    },
    async enter(unit, leaseMs) {
      const held = await visit(unit, leaseMs);
      if (!held) return undefined;
      const visitId = newCommitId();
      held.inHand.add(visitId);
      return {
        ...{ unit, token: held.token },
        async leave() {
          held.inHand.delete(visitId);
          await releaseIfIdle(held);
        },
      };
    },
    async releaseHolds() {
      const idle = units.all().filter(({ inHand }) => inHand.size === 0);
      await Promise.all(idle.map((held) => releaseUnit(records, held, units.release(held))));
    },
    requestLease: () => units.scheduleLook(0),
    async listen(listener) {
      listeners.add(listener);
      await records.watch((asked, isOwn) => {
        if (isOwn) return;
        units.recordAsked(asked);
        listener();
      });
    },
  };
}
