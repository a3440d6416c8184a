/** What is known in memory of the units that this process holds, and of when there is more to do. */
import type { Clock } from '../../domain/ports/clock.ts';
import type { Commit, Fence, HeldUnit, Hold, Leased, Task, TaskChange } from '../records.ts';
import { createHoldCache, type HoldCache } from './hold-cache.ts';

/** A task to be begun, and the hold under which that is done. */
export interface HeldTask extends Task {
  readonly token: number;
  readonly until: number;
}

/** How the end of a task is written. */
export interface TaskCompletion {
  /** Tasks of the unit that were done before. */
  readonly done: readonly string[];
  /** Nothing else of the unit is in hand: it is given back. */
  readonly releases: boolean;
  /** To be called once it is written, or not. */
  over(): void;
}

export interface UnitHold {
  readonly unit: string;
  readonly token: number;
  readonly cache: HoldCache;
  until: number;
  /** When there is more to be handed out; infinite when that is not known of any time. */
  next: number;
  readonly inHand: Set<string>;
  readonly done: Set<string>;
  /** What was asked for while it was in hand: it is to be done once more. */
  readonly again: Set<string>;
  waiting: Task[];
}

const NEVER = Number.POSITIVE_INFINITY;
/** In place of the name of one. */
const EVERY_UNIT = '';

const isInHand = ({ inHand, waiting }: UnitHold, id: string): boolean =>
  inHand.has(id) || waiting.some((task) => task.id === id);

const isIdle = ({ inHand, waiting }: UnitHold): boolean =>
  inHand.size === 0 && waiting.length === 0;

/** The units of a process. */
export class HeldUnits {
  readonly #units = new Map<string, UnitHold>();
  readonly #clock: Clock;
  /** Before this there is nothing to be leased; 0 where that is not known. */
  #quietUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  all(): readonly UnitHold[] {
    return [...this.#units.values()];
  }

  get(unit: string): UnitHold | undefined {
    return this.#units.get(unit);
  }

  /** Undefined where the hold is not the newest. */
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
    const cache = createHoldCache(unit);
    const held = { unit, token, cache, until, next, inHand, done, again, waiting: [...tasks] };
    this.#units.set(unit, held);
  }

  forget(held: UnitHold): void {
    if (this.newestOf(held) === held) this.#units.delete(held.unit);
  }

  /** The store is asked to prolong it now: what is heard of on the way counts beside the answer. */
  renewing(held: UnitHold): void {
    held.next = NEVER;
  }

  /** Follows a renewal; undefined where the hold is lost. */
  renewed(held: UnitHold, hold: Hold | undefined): void {
    if (!hold) this.forget(held);
    else if (this.newestOf(held) === held) this.adopt(hold);
    else {
      // It was given back meanwhile, with what this has handed out.
      held.next = 0;
      this.scheduleLook(0);
    }
  }

  /** Follows a lease: a full answer may have left more. */
  leased({ holds, next = NEVER }: Leased, isFull: boolean): void {
    for (const hold of holds) this.adopt(hold);
    this.scheduleLook(isFull ? 0 : next);
  }

  /** Others have asked for something; without units, for anything. */
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

  /** There may be something to be leased at a time. */
  scheduleLook(at: number): void {
    this.#quietUntil = Math.min(this.#quietUntil, at);
  }

  /** Whether something may be to be leased; one's own hold that is over may be another's. */
  isDue(now: number): boolean {
    return this.#quietUntil <= now || this.all().some(({ until }) => until <= now);
  }

  /** The store is asked now. */
  leaseNow(): void {
    this.#quietUntil = NEVER;
  }

  /** When the longest due of those is due that were handed out and not begun. */
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

  /** The units that a commit is about, with what was done in them before. */
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

  /** A commit was refused: what was done is still to be written. */
  restoreDone(sent: readonly HeldUnit[]): void {
    for (const each of sent) for (const id of each.done) this.newestOf(each)?.done.add(id);
  }

  /** Follows a commit: what it has handed out waits; of the rest it is noted when it is due. */
  committed(
    tasks: readonly TaskChange[],
    handedOut: readonly Task[],
    sent: readonly HeldUnit[],
  ): void {
    for (const task of handedOut) {
      const fence = sent.find(({ unit }) => unit === task.unit);
      const held = fence && this.newestOf(fence);
      if (held) held.waiting.push(task);
      // Its unit was given back meanwhile, and the task with it.
      else this.scheduleLook(0);
    }
    const begun = new Set(handedOut.map(({ id, unit }) => `${unit} ${id}`));
    for (const change of tasks) {
      if ('askedFor' in change && !begun.has(`${change.unit} ${change.id}`))
        this.#noteAsked(change);
    }
  }

  #noteAsked({ askedFor, id, unit }: Extract<TaskChange, { askedFor: number }>): void {
    const held = this.#units.get(unit);
    if (!held) this.scheduleLook(askedFor);
    else if (askedFor > this.#clock.now()) held.next = Math.min(held.next, askedFor);
    else if (isInHand(held, id)) held.again.add(id);
    // It has ended meanwhile.
    else held.next = 0;
  }

  /** Takes from what was handed out, longest due first. */
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

  /** Ends a task in hand, whose change is written by the caller; `later`: one that is done can wait for the next commit of its unit, `again`: it is to be flushed, since it was asked for meanwhile. */
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

  /** Gives up a unit of which nothing is in hand. */
  release(held: UnitHold): TaskCompletion {
    this.forget(held);
    const over = () => this.scheduleLook(held.again.size > 0 ? 0 : held.next);
    return { done: this.takeDone(held).done, releases: true, over };
  }

  /** Gives up a unit if nothing of it is in hand. */
  releaseIdle(held: UnitHold): TaskCompletion | undefined {
    return this.newestOf(held) === held && isIdle(held) ? this.release(held) : undefined;
  }
}
