/**
 * What this process holds: units with their tasks, those that it works on and those that are to be
 * begun. A task that is done is written with the next commit of its unit; the unit is given back with
 * the end of the last one, so that no task costs a commit of its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { createHoldCache, type HoldCache } from './hold-cache.ts';
import type {
  Commit,
  Committed,
  Fence,
  FoundRecord,
  Hold,
  Page,
  RecordKey,
  Records,
  StoredRecord,
  Task,
  TaskChange,
} from './records.ts';

/** A task to be begun, and the hold under which that is done. */
export interface HeldTask extends Task {
  readonly token: number;
  readonly until: number;
}

/** What is to be begun now, and when there is more (ms); undefined when nothing is planned. */
export interface TakenTasks {
  readonly tasks: readonly HeldTask[];
  readonly next: number | undefined;
}

/** How the end of a task is written. */
export interface TaskEnd {
  /** Tasks of the unit that were done before. */
  readonly done: readonly string[];
  /** Nothing else of the unit is in hand: it is given back. */
  readonly releases: boolean;
  /** To be called once it is written, or not. */
  over(): void;
}

/** A unit that is held as long as somebody is in it. */
export interface Visit extends Fence {
  leave(): Promise<void>;
}

/** What a decision has read, as it was. */
export type Seen = ReadonlyMap<RecordKey, StoredRecord>;

export interface Holds {
  /** The records, for all that this process reads and commits. */
  readonly records: Records;
  /** Does something under a hold: what it reads of the unit is kept as long as that. */
  within<T>(hold: Fence, work: () => Promise<T>): Promise<T>;
  /** Does something, and tells what it has read. */
  observe<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seen: Seen }>;
  /** Takes `most` tasks at most, those that have been due longest; asks the store only where there may be any. */
  take(now: number, leaseMs: number, most: number): Promise<TakenTasks>;
  /** Prolongs a hold; answers until when, and undefined when it is lost. */
  renew(hold: Fence, now: number, leaseMs: number): Promise<number | undefined>;
  /** Ends a task in hand, whose change is written by the caller; `later`: one that is done can wait for the next commit of its unit, `again`: it is to be flushed, since it was asked for meanwhile. */
  end(
    task: Pick<HeldTask, 'unit' | 'id' | 'token'>,
    change: TaskChange,
  ): TaskEnd | 'later' | 'again';
  /** Writes what was done in a unit. */
  flush(hold: Fence): Promise<void>;
  /** Joins who works on a unit here, or leases a free one; undefined where others have it. */
  enter(unit: string, leaseMs: number): Promise<Visit | undefined>;
  /** Reads past what is kept. */
  fresh<T>(work: () => Promise<T>): Promise<T>;
  /** Calls the listener when there may be something to take. */
  listen(listener: () => void): Promise<void>;
  /** Has the store asked with the next look: what others have said may be lost. */
  lookAgain(): void;
}

interface Held {
  readonly unit: string;
  readonly token: number;
  until: number;
  /** When there is more to be handed out; infinite when that is not known of any time. */
  next: number;
  readonly inHand: Set<string>;
  readonly done: Set<string>;
  readonly cache: HoldCache;
  waiting: Task[];
  /** What was asked for while it was in hand: it is to be done once more. */
  readonly again: Set<string>;
}

/** Where something is done: under which hold, and what it has read if that is asked for. */
interface Place {
  readonly hold: Fence | undefined;
  readonly seen: Map<RecordKey, StoredRecord> | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

function isInHand({ inHand, waiting }: Held, id: string): boolean {
  return inHand.has(id) || waiting.some((task) => task.id === id);
}

function newId(): string {
  return randomBytes(12).toString('base64url');
}

/** Creates the holds of a process on its records. */
export function createHolds(records: Records, clock: Clock): Holds {
  const units = new Map<string, Held>();
  const listeners = new Set<() => void>();
  /** Before this there is nothing to be leased; 0 where that is not known. */
  let quietUntil = 0;
  let isListening = false;
  const place = new AsyncLocalStorage<Place>();

  const newestOf = ({ token, unit }: Fence): Held | undefined => {
    const held = units.get(unit);
    return held?.token === token ? held : undefined;
  };

  function tellListeners(): void {
    // Apart from the writer: what a listener does or throws is not the writer's business.
    for (const listener of listeners) queueMicrotask(listener);
  }

  /** Others have asked for something; without units, for anything. */
  function heardOf(asked: readonly string[] | undefined): void {
    const known = asked ?? [...units.keys()];
    for (const unit of known) {
      const held = units.get(unit);
      if (!held) continue;
      held.cache.drop();
      held.next = 0;
      for (const id of held.inHand) held.again.add(id);
    }
    if (asked === undefined || asked.some((unit) => !units.has(unit))) quietUntil = 0;
  }

  function adopt({ next = NEVER, tasks, token, unit, until }: Hold): void {
    const known = newestOf({ unit, token });
    if (known) {
      known.waiting.push(...tasks);
      Object.assign(known, { until, next });
      return;
    }
    const cache = createHoldCache(unit);
    const fresh = {
      cache,
      inHand: new Set<string>(),
      done: new Set<string>(),
      again: new Set<string>(),
    };
    units.set(unit, { unit, token, until, next, waiting: [...tasks], ...fresh });
  }

  /** What a commit has handed out waits here; what its unit does not hold any more, it has given back. */
  function adoptHandedOut(handedOut: readonly Task[], sent: readonly Fence[]): void {
    for (const task of handedOut) {
      const fence = sent.find(({ unit }) => unit === task.unit);
      const held = fence && newestOf(fence);
      if (held) held.waiting.push(task);
      else quietUntil = 0;
    }
  }

  /** Notes what was asked for and not handed out. */
  function noteAsked(tasks: readonly TaskChange[], handedOut: readonly Task[]): void {
    const begun = new Set(handedOut.map(({ id, unit }) => `${unit} ${id}`));
    const now = clock.now();
    for (const change of tasks) {
      if (!('askedFor' in change) || begun.has(`${change.unit} ${change.id}`)) continue;
      const held = units.get(change.unit);
      if (!held) quietUntil = Math.min(quietUntil, change.askedFor);
      else if (change.askedFor > now) held.next = Math.min(held.next, change.askedFor);
      else if (isInHand(held, change.id)) held.again.add(change.id);
      // It has ended meanwhile.
      else held.next = 0;
    }
  }

  /** The units that a commit is about, with what was done in them before. */
  function sentWith({ fences = [], tasks = [] }: Commit) {
    const asked = tasks.flatMap((change) => ('askedFor' in change ? change.unit : []));
    const named = new Set([...asked, ...fences.map(({ unit }) => unit)]);
    return [...named].flatMap((name) => {
      const held = units.get(name);
      if (!held) return [];
      const done = [...held.done];
      held.done.clear();
      return { unit: held.unit, token: held.token, done };
    });
  }

  function noteSeen(found: readonly StoredRecord[]): void {
    const seen = place.getStore()?.seen;
    for (const each of found) if (seen && !seen.has(each.key)) seen.set(each.key, each);
  }

  function cacheHere(): HoldCache | undefined {
    const hold = place.getStore()?.hold;
    return hold && newestOf(hold)?.cache;
  }

  async function get(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]> {
    const cache = cacheHere();
    const missing = keys.filter((key) => !cache?.get(key));
    const known = new Map(keys.map((key) => [key, cache?.get(key)]));
    const mark = cache?.mark() ?? 0;
    const read = missing.length > 0 ? await records.get(missing) : [];
    for (const each of read) known.set(each.key, each);
    cache?.keep(read, mark);
    const found = keys.map((key) => known.get(key) ?? { key, revision: 0, document: '' });
    noteSeen(found);
    return found;
  }

  async function range(page: Page): Promise<readonly FoundRecord[]> {
    const cache = cacheHere();
    const known = cache?.list(page);
    const mark = cache?.mark() ?? 0;
    const found = known ?? (await records.range(page));
    if (!known) cache?.keepList(page, found, mark);
    noteSeen(found);
    return found;
  }

  /** What others have changed is not known otherwise. */
  function dropWhereOld(newer: readonly StoredRecord[]): void {
    for (const { cache } of units.values()) {
      if (newer.some(({ key }) => cache.get(key))) cache.drop();
    }
  }

  async function commit(given: Commit): Promise<Committed> {
    const sent = sentWith(given);
    for (const { cache } of units.values()) cache.beginChange();
    // Of one whose answer is lost nobody knows what it has done: what was done is done again then, once its unit is given back.
    const held = sent.length === 0 ? {} : { held: { now: clock.now(), units: sent } };
    const follow = () => {
      for (const { cache } of units.values()) cache.change(given.records ?? []);
    };
    const done = await records.commit({ ...given, ...held }, follow).catch((error: unknown) => {
      for (const { cache } of units.values()) cache.drop();
      throw error;
    });
    if (done.kind !== 'done') {
      for (const each of sent) for (const id of each.done) newestOf(each)?.done.add(id);
      if (done.kind === 'conflict') dropWhereOld(done.newer);
      return done;
    }
    adoptHandedOut(done.handedOut, sent);
    noteAsked(given.tasks ?? [], done.handedOut);
    if (given.tasks?.some((change) => 'askedFor' in change)) tellListeners();
    return done;
  }

  /** Writes what was done; what was asked for meanwhile is handed out again. */
  async function flushDone(holds: readonly Held[]): Promise<void> {
    const some = holds.filter(({ done }) => done.size > 0);
    if (some.length === 0) return;
    const sent = some.map(({ done, token, unit }) => ({ unit, token, done: [...done] }));
    for (const { done } of some) done.clear();
    const held = { now: clock.now(), units: sent };
    const done = await records.commit({ id: newId(), durable: 'later', held });
    if (done.kind === 'done') adoptHandedOut(done.handedOut, sent);
  }

  /** Gives a unit back of which nothing is in hand. */
  async function release({ again, done, next, token, unit }: Held): Promise<void> {
    units.delete(unit);
    const tasks = [...done].map((id) => ({ unit, id, isDone: true as const }));
    const fences = [{ unit, token }];
    try {
      await records.commit({ id: newId(), durable: 'later', fences, releases: true, tasks });
    } finally {
      quietUntil = Math.min(quietUntil, again.size > 0 ? 0 : next);
    }
  }

  async function releaseIdle(held: Held): Promise<void> {
    if (newestOf(held) !== held) return;
    if (held.inHand.size === 0 && held.waiting.length === 0) await release(held);
    tellListeners();
  }

  async function renewAll(holds: readonly Held[], now: number, leaseMs: number): Promise<void> {
    const flushed = flushDone(holds);
    const [renewed] = await Promise.all([records.renew(holds, now, leaseMs), flushed]);
    for (const held of holds) {
      const found = renewed.find(({ token, unit }) => unit === held.unit && token === held.token);
      if (found) adopt(found);
      else if (newestOf(held)) units.delete(held.unit);
    }
  }

  function isToRenew({ next, until, waiting }: Held, now: number): boolean {
    return next <= now || (waiting.length > 0 && until <= now);
  }

  /** Takes from what was handed out. */
  function takeWaiting(now: number, most: number): readonly HeldTask[] {
    const ready = [...units.values()].flatMap((held) =>
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

  async function leaseMore(now: number, leaseMs: number, most: number): Promise<void> {
    quietUntil = NEVER;
    try {
      const { holds, next = NEVER } = await records.lease(now, leaseMs, { most });
      for (const hold of holds) adopt(hold);
      quietUntil = most > 0 && holds.length === most ? 0 : Math.min(quietUntil, next);
    } catch (error) {
      quietUntil = 0;
      throw error;
    }
  }

  /** One's own hold that is over may be another's. */
  function isDue(now: number): boolean {
    return quietUntil <= now || [...units.values()].some(({ until }) => until <= now);
  }

  function nextAt(): number | undefined {
    const own = [...units.values()].flatMap((held) => [
      ...[held.next, held.until],
      ...held.waiting.map(({ due }) => due),
    ]);
    const next = Math.min(quietUntil, ...own);
    return next === NEVER ? undefined : next;
  }

  return {
    records: { ...records, get, range, commit },
    async flush(hold) {
      const held = newestOf(hold);
      if (!held) return;
      await flushDone([held]);
      await releaseIdle(held);
    },
    async enter(unit, leaseMs) {
      if (!units.has(unit)) {
        const { holds, next = NEVER } = await records.lease(clock.now(), leaseMs, { unit });
        for (const hold of holds) adopt(hold);
        quietUntil = Math.min(quietUntil, next);
        if (holds.some(({ tasks }) => tasks.length > 0)) tellListeners();
      }
      const held = units.get(unit);
      if (!held || held.until <= clock.now()) return undefined;
      const visitor = newId();
      held.inHand.add(visitor);
      return {
        ...{ unit, token: held.token },
        async leave() {
          held.inHand.delete(visitor);
          await releaseIdle(held);
        },
      };
    },
    fresh: (work) => place.run({ hold: undefined, seen: place.getStore()?.seen }, work),
    within: (hold, work) => place.run({ hold, seen: place.getStore()?.seen }, work),
    async observe(work) {
      const seen = new Map<RecordKey, StoredRecord>();
      const value = await place.run({ hold: place.getStore()?.hold, seen }, work);
      return { value, seen };
    },
    async take(now, leaseMs, most) {
      const stale = [...units.values()].filter((held) => isToRenew(held, now));
      if (stale.length > 0) await renewAll(stale, now, leaseMs);
      const tasks = [...takeWaiting(now, most)];
      if (tasks.length < most || most <= 0) {
        if (!isListening || isDue(now)) await leaseMore(now, leaseMs, most - tasks.length);
        tasks.push(...takeWaiting(now, most - tasks.length));
      }
      return { tasks, next: nextAt() };
    },
    async renew(hold, now, leaseMs) {
      const held = newestOf(hold);
      if (held) await renewAll([held], now, leaseMs);
      else {
        const [renewed] = await records.renew([hold], now, leaseMs);
        return renewed?.until;
      }
      return newestOf(hold)?.until;
    },
    end({ id, token, unit }, change) {
      const held = newestOf({ unit, token });
      const lookAgain = () => {
        quietUntil = 0;
      };
      if (!held) return { done: [], releases: true, over: lookAgain };
      held.inHand.delete(id);
      const isAgain = held.again.delete(id);
      const releases = held.inHand.size === 0 && held.waiting.length === 0;
      if ('isDone' in change && (isAgain || !releases)) {
        held.done.add(id);
        return isAgain ? 'again' : 'later';
      }
      if ('putOffTo' in change) held.next = Math.min(held.next, isAgain ? 0 : change.putOffTo);
      if ('isParked' in change && isAgain) held.next = 0;
      const done = [...held.done];
      held.done.clear();
      if (releases) units.delete(unit);
      const over = () => {
        if (releases) quietUntil = Math.min(quietUntil, held.again.size > 0 ? 0 : held.next);
      };
      return { done, releases, over };
    },
    lookAgain() {
      quietUntil = 0;
    },
    async listen(listener) {
      listeners.add(listener);
      isListening = true;
      await records.watch((asked, isOwn) => {
        if (isOwn) return;
        heardOf(asked);
        listener();
      });
    },
  };
}
