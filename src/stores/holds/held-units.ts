/** In-memory state of the units that this process holds, and when to look for more work. */
import type { Clock } from '../../domain/ports/clock.ts';
import type { Commit, Fence, HeldUnit, Hold, Leased, Task, TaskChange } from '../records.ts';
import { createHoldCache } from './hold-cache.ts';
import { createRecentChanges } from './recent-changes.ts';
import {
  type HeldTask,
  isIdle,
  isInHand,
  type TaskCompletion,
  type UnitHold,
} from './unit-hold.ts';

const NEVER = Number.POSITIVE_INFINITY;
/** Stands for all units in a wake-up. */
const EVERY_UNIT = '';

/** The units that this process holds. */
export class HeldUnits {
  readonly #units = new Map<string, UnitHold>();
  readonly #clock: Clock;
  readonly recent = createRecentChanges();
  /** No unit needs leasing before this time; 0 if unknown. */
  #quietUntil = 0;
  #leases = 0;
  #isLeasing = false;
  /** Units with due tasks that the lease in progress should return. */
  #expected: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  all(): readonly UnitHold[] {
    return [...this.#units.values()];
  }

  get(unit: string): UnitHold | undefined {
    return this.#units.get(unit);
  }

  /** Undefined unless this is the newest hold of the unit. */
  newestOf({ token, unit }: Fence): UnitHold | undefined {
    const held = this.#units.get(unit);
    return held?.token === token ? held : undefined;
  }

  adopt({ next = NEVER, tasks, token, unit, until }: Hold): void {
    const known = this.newestOf({ unit, token });
    if (known) {
      known.waiting.push(...tasks);
      Object.assign(known, { until, next: Math.min(known.next, next) });
      return;
    }
    const [inHand, done, again] = [new Set<string>(), new Set<string>(), new Set<string>()];
    const cache = createHoldCache(unit, this.recent);
    this.#units.set(unit, {
      ...{ unit, token, cache, lease: this.#leases, until, next, inHand, done, again },
      waiting: [...tasks],
    });
  }

  forget(held: UnitHold): void {
    if (this.newestOf(held) === held) this.#units.delete(held.unit);
  }

  /** Called before a renewal, so that wake-ups during it are not overwritten by its result. */
  renewing(held: UnitHold): void {
    held.next = NEVER;
  }

  /** Applies a renewal; without a hold, the unit is lost. */
  renewed(held: UnitHold, hold: Hold | undefined): void {
    if (!hold) this.forget(held);
    else if (this.newestOf(held) === held) this.adopt(hold);
    else {
      // The unit was released meanwhile, so the renewal's tasks must be leased again.
      held.next = 0;
      this.scheduleLook(0);
    }
  }

  /** Applies a lease; a full page means that there may be more. */
  leased({ holds, next = NEVER }: Leased, isFull: boolean): void {
    for (const hold of holds) this.adopt(hold);
    this.#isLeasing = false;
    const expected = this.#expected.splice(0);
    // The lease came before the commit, or another process was first.
    if (expected.some((unit) => !this.#units.has(unit))) this.scheduleLook(0);
    this.scheduleLook(isFull ? 0 : next);
  }

  /** Others scheduled tasks in these units; undefined means in any. */
  recordAsked(asked: readonly string[] | undefined): void {
    const isForAll = asked === undefined || asked.includes(EVERY_UNIT);
    for (const unit of isForAll ? [...this.#units.keys()] : asked) {
      const held = this.#units.get(unit);
      if (!held) continue;
      held.cache.drop();
      held.next = 0;
      for (const id of held.inHand) held.again.add(id);
    }
    if (isForAll || asked.some((unit) => !this.#units.has(unit))) this.scheduleLook(0);
  }

  /** There may be something to lease at this time. */
  scheduleLook(at: number): void {
    this.#quietUntil = Math.min(this.#quietUntil, at);
  }

  /** Whether to lease now. An expired hold counts: another process may have left its unit. */
  isDue(now: number): boolean {
    return this.#quietUntil <= now || this.all().some(({ until }) => until <= now);
  }

  /** Called right before a lease. */
  leaseNow(): void {
    this.#quietUntil = NEVER;
    this.#leases += 1;
    this.#isLeasing = true;
  }

  /** Called if a lease has failed. */
  leaseFailed(): void {
    this.#isLeasing = false;
    this.#expected = [];
    this.scheduleLook(0);
  }

  /** How many leases have begun. */
  leases(): number {
    return this.#leases;
  }

  /** Whether a commit schedules tasks for now in a unit that must be leased first. */
  isLeaseNeeded(tasks: readonly TaskChange[]): boolean {
    const now = this.#clock.now();
    return tasks.some(
      (change) => 'askedFor' in change && change.askedFor <= now && !this.#units.has(change.unit),
    );
  }

  /** Due time of the oldest task that was handed out but not started. */
  waitingAt(): number | undefined {
    const dues = this.all().flatMap(({ waiting }) => waiting.map(({ due }) => due));
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  nextAt(): number | undefined {
    const own = this.all().flatMap(({ next, until, waiting }) => [
      ...[next, until],
      ...waiting.map(({ due }) => due),
    ]);
    const next = Math.min(this.#quietUntil, ...own);
    return next === NEVER ? undefined : next;
  }

  /** The held units that a commit concerns, with their finished tasks. */
  sentWith({ fences = [], tasks = [] }: Commit): readonly HeldUnit[] {
    const asked = tasks.flatMap((change) => ('askedFor' in change ? change.unit : []));
    const named = new Set([...asked, ...fences.map(({ unit }) => unit)]);
    return [...named].flatMap((name) => {
      const held = this.#units.get(name);
      return held ? this.takeDone(held) : [];
    });
  }

  takeDone({ done, token, unit }: UnitHold): HeldUnit {
    const sent = { unit, token, done: [...done] };
    done.clear();
    return sent;
  }

  /** The commit was refused, so these finished tasks still have to be written. */
  restoreDone(sent: readonly HeldUnit[]): void {
    for (const each of sent) for (const id of each.done) this.newestOf(each)?.done.add(id);
  }

  /**
   * Applies a commit: tasks that it handed out wait here, and the due times of the others are noted.
   * `leases`: how many leases had begun when it was sent; a later one may return its tasks.
   */
  committed(
    tasks: readonly TaskChange[],
    handedOut: readonly Task[],
    sent: readonly HeldUnit[],
    leases = this.#leases,
  ): void {
    for (const task of handedOut) {
      const fence = sent.find(({ unit }) => unit === task.unit);
      const held = fence && this.newestOf(fence);
      if (held) held.waiting.push(task);
      // The unit was released meanwhile, together with the task.
      else this.scheduleLook(0);
    }
    const begun = new Set(handedOut.map(({ id, unit }) => `${unit} ${id}`));
    for (const change of tasks) {
      if ('askedFor' in change && !begun.has(`${change.unit} ${change.id}`))
        this.#noteAsked(change, leases);
    }
  }

  #noteAsked(
    { askedFor, id, unit }: Extract<TaskChange, { askedFor: number }>,
    leases: number,
  ): void {
    const held = this.#units.get(unit);
    const isLeasing = this.#isLeasing && this.#leases > leases;
    if (!held && isLeasing && askedFor <= this.#clock.now()) this.#expected.push(unit);
    else if (!held) this.scheduleLook(askedFor);
    else if (askedFor > this.#clock.now()) held.next = Math.min(held.next, askedFor);
    // A lease that came after the commit has handed it out already.
    else if (isInHand(held, id)) {
      if (held.lease <= leases) held.again.add(id);
    }
    // The task ended meanwhile.
    else held.next = 0;
  }

  /** Takes tasks that were handed out, oldest due first. */
  takeWaiting(now: number, most: number): readonly HeldTask[] {
    const ready = this.all().flatMap((held) =>
      held.until > now ? held.waiting.map((task) => ({ held, task })) : [],
    );
    const due = ready.filter(({ task }) => task.due <= now);
    due.sort((a, b) => a.task.due - b.task.due);
    return due.slice(0, Math.max(0, most)).map(({ held, task }) => {
      held.waiting = held.waiting.filter((each) => each !== task);
      held.inHand.add(task.id);
      return { ...task, token: held.token, until: held.until };
    });
  }

  /** Tasks that were taken and not started. */
  putBack(tasks: readonly HeldTask[]): void {
    for (const task of tasks) {
      const held = this.newestOf(task);
      if (held?.inHand.delete(task.id)) held.waiting.push(task);
    }
  }

  /** Ends a task; the caller writes its change. `later`: the next commit of the unit may carry it. `again`: flush now, since the task was scheduled again meanwhile. */
  end(
    { id, token, unit }: Pick<HeldTask, 'unit' | 'id' | 'token'>,
    change: TaskChange,
  ): TaskCompletion | 'later' | 'again' {
    const held = this.newestOf({ unit, token });
    if (!held) return { done: [], releases: true, over: () => this.scheduleLook(0) };
    held.inHand.delete(id);
    const isAgain = held.again.delete(id);
    if ('isDone' in change && (isAgain || !isIdle(held))) {
      held.done.add(id);
      return isAgain ? 'again' : 'later';
    }
    const putOffTo = 'putOffTo' in change ? change.putOffTo : NEVER;
    held.next = Math.min(held.next, isAgain ? 0 : putOffTo);
    if (isIdle(held)) return this.release(held);
    return { ...this.takeDone(held), releases: false, over: () => {} };
  }

  /** Gives up a unit that has nothing in hand. */
  release(held: UnitHold): TaskCompletion {
    this.forget(held);
    const over = () => this.scheduleLook(held.again.size > 0 ? 0 : held.next);
    return { done: this.takeDone(held).done, releases: true, over };
  }

  /** Gives up a unit if it has nothing in hand. */
  releaseIdle(held: UnitHold): TaskCompletion | undefined {
    return this.newestOf(held) === held && isIdle(held) ? this.release(held) : undefined;
  }
}
