/** Leases and renews units, and hands out their tasks. */
import type { Clock } from '../../domain/ports/clock.ts';
import { type Fence, newCommitId, type Records } from '../records.ts';
import type { HeldUnits } from './held-units.ts';
import type { HeldTask, UnitHold } from './unit-hold.ts';

interface LeaseDeps {
  readonly records: Records;
  readonly units: HeldUnits;
  readonly clock: Clock;
}

/** Tasks to start now, and when there are more (ms); undefined if none are planned. */
export interface TaskBatch {
  readonly tasks: readonly HeldTask[];
  readonly next: number | undefined;
}

/** How much of a lease a shorter renewal keeps: after a clock went back, no lease may last for hours. */
const MAX_KEPT_MS = 30_000;

const isOf =
  (hold: Fence) =>
  ({ token, unit }: Fence): boolean =>
    unit === hold.unit && token === hold.token;

/** Writes finished tasks; those that were scheduled again meanwhile are handed out again. */
export async function flushDone(
  { clock, records, units }: LeaseDeps,
  holds: readonly UnitHold[],
): Promise<void> {
  const some = holds.filter(({ done }) => done.size > 0);
  if (some.length === 0) return;
  const sent = some.map((held) => units.takeDone(held));
  const held = { now: clock.now(), units: sent };
  const done = await records.commit({ id: newCommitId(), durable: 'later', held });
  if (done.kind === 'done') units.committed([], done.handedOut, sent);
}

/** Never shortens a lease: a tool that runs in a unit needs a longer one than its other tasks. */
export async function renewUnits(
  deps: LeaseDeps,
  holds: readonly UnitHold[],
  now: number,
  leaseMs: number,
): Promise<void> {
  const { records, units } = deps;
  const left = holds.map(({ until }) => Math.min(until - now, MAX_KEPT_MS));
  const ms = Math.max(leaseMs, ...left);
  for (const held of holds) units.renewing(held);
  const flushed = flushDone(deps, holds);
  try {
    const [renewed] = await Promise.all([records.renew(holds, now, ms), flushed]);
    for (const held of holds) units.renewed(held, renewed.find(isOf(held)));
  } catch (error) {
    for (const held of holds) held.next = 0;
    throw error;
  }
}

async function leaseMore(
  { records, units }: LeaseDeps,
  now: number,
  leaseMs: number,
  most: number,
): Promise<void> {
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

/** Takes due tasks, oldest first; `isTold`: wake-ups tell when there are more, so the store is read only then. */
export async function takeTasks(
  deps: LeaseDeps,
  now: number,
  leaseMs: number,
  { isTold, most }: { readonly most: number; readonly isTold: boolean },
): Promise<TaskBatch> {
  const { units } = deps;
  const stale = units.all().filter((held) => isToRenew(held, now));
  if (stale.length > 0) await renewUnits(deps, stale, now, leaseMs);
  const tasks = [...units.takeWaiting(now, most)];
  const left = Math.max(0, most - tasks.length);
  // With no room left, look only if more is due.
  const isWanted = left > 0 || most <= 0;
  if (isWanted && (!isTold || units.isDue(now))) {
    const lapsed = units.all().filter((held) => isLapsed(held, now));
    await leaseMore(deps, now, leaseMs, left).catch((error: unknown) => {
      units.putBack(tasks);
      throw error;
    });
    for (const held of lapsed) units.forget(held);
    tasks.push(...units.takeWaiting(now, left));
  }
  return { tasks, next: units.nextAt() };
}
