/**
 * The units that this process holds, with their running and waiting tasks. A finished task is written
 * with its unit's next commit. The end of the last task releases the unit, so no task costs a commit
 * of its own.
 */
import type { Clock } from '../../domain/ports/clock.ts';
import { type Fence, newCommitId, type Records } from '../records.ts';
import { createHeldRecords, type HeldRecords } from './held-records.ts';
import { HeldUnits } from './held-units.ts';
import type { HeldTask, TaskCompletion, UnitHold } from './unit-hold.ts';

/** How much of a lease a shorter renewal keeps: after a clock went back, no lease may last for hours. */
const MAX_KEPT_MS = 30_000;

/** Tasks to start now, and when there are more (ms); undefined if none are planned. */
export interface TaskBatch {
  readonly tasks: readonly HeldTask[];
  readonly next: number | undefined;
}

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

const isOf =
  (hold: Fence) =>
  ({ token, unit }: Fence): boolean =>
    unit === hold.unit && token === hold.token;

/** Creates the holds of a process on its records. */
export function createHolds(records: Records, clock: Clock): Holds {
  const units = new HeldUnits(clock);
  const listeners = new Set<() => void>();

  function notifyListeners(): void {
    // In a microtask, so that a listener can't fail the writer.
    for (const listener of listeners) queueMicrotask(listener);
  }

  /** Writes finished tasks; those that were scheduled again meanwhile are handed out again. */
  async function flushDone(holds: readonly UnitHold[]): Promise<void> {
    const some = holds.filter(({ done }) => done.size > 0);
    if (some.length === 0) return;
    const sent = some.map((held) => units.takeDone(held));
    const held = { now: clock.now(), units: sent };
    const done = await records.commit({ id: newCommitId(), durable: 'later', held });
    if (done.kind === 'done') units.committed([], done.handedOut, sent);
  }

  async function releaseUnit(
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

  async function releaseIfIdle(held: UnitHold): Promise<void> {
    const end = units.releaseIdle(held);
    if (end) await releaseUnit(held, end);
    notifyListeners();
  }

  /** Never shortens a lease: a tool that runs in a unit needs a longer one than its other tasks. */
  async function renewAll(holds: readonly UnitHold[], now: number, leaseMs: number): Promise<void> {
    const left = holds.map(({ until }) => Math.min(until - now, MAX_KEPT_MS));
    const ms = Math.max(leaseMs, ...left);
    for (const held of holds) units.renewing(held);
    const flushed = flushDone(holds);
    try {
      const [renewed] = await Promise.all([records.renew(holds, now, ms), flushed]);
      for (const held of holds) units.renewed(held, renewed.find(isOf(held)));
    } catch (error) {
      for (const held of holds) held.next = 0;
      throw error;
    }
  }

  async function leaseMore(now: number, leaseMs: number, most: number): Promise<void> {
    units.leaseNow();
    try {
      const leased = await records.lease(now, leaseMs, { most });
      units.leased(leased, most > 0 && leased.holds.length === most);
    } catch (error) {
      units.leaseFailed();
      throw error;
    }
  }

  /** A busy unit is renewed while it is worked on. If its hold still expired, other processes may lease it. */
  function isLapsed({ inHand, until }: UnitHold, now: number): boolean {
    return until <= now && inHand.size > 0;
  }

  /** Whether more tasks may be handed out, or the hold expired before any was started. */
  function isToRenew(held: UnitHold, now: number): boolean {
    const { next, until, waiting } = held;
    return !isLapsed(held, now) && (next <= now || (waiting.length > 0 && until <= now));
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
    async take(now, leaseMs, most) {
      const stale = units.all().filter((held) => isToRenew(held, now));
      if (stale.length > 0) await renewAll(stale, now, leaseMs);
      const tasks = [...units.takeWaiting(now, most)];
      const left = Math.max(0, most - tasks.length);
      // With no room left, look only if more is due.
      const isWanted = left > 0 || most <= 0;
      if (isWanted && (listeners.size === 0 || units.isDue(now))) {
        const lapsed = units.all().filter((held) => isLapsed(held, now));
        await leaseMore(now, leaseMs, left).catch((error: unknown) => {
          units.putBack(tasks);
          throw error;
        });
        for (const held of lapsed) units.forget(held);
        tasks.push(...units.takeWaiting(now, left));
      }
      return { tasks, next: units.nextAt() };
    },
    async renew(hold, now, leaseMs) {
      const held = units.newestOf(hold);
      if (!held) return (await records.renew([hold], now, leaseMs))[0]?.until;
      await renewAll([held], now, leaseMs);
      return units.newestOf(hold)?.until;
    },
    isLost: (hold) => units.newestOf(hold) === undefined,
    async flush(hold) {
      const held = units.newestOf(hold);
      if (!held) return;
      await flushDone([held]);
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
      await Promise.all(idle.map((held) => releaseUnit(held, units.release(held))));
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
