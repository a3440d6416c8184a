/** The records of a process, read past what its holds keep in memory, and committed with what was done in their units. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../domain/ports/clock.ts';
import type {
  Commit,
  Committed,
  Fence,
  FoundRecord,
  Page,
  RecordKey,
  Records,
  StoredRecord,
} from '../records.ts';
import type { HeldUnits } from './held-units.ts';
import { type HoldCache, slicePage } from './hold-cache.ts';

/** What a decision has read, as it was. */
export type ReadSnapshot = ReadonlyMap<RecordKey, StoredRecord>;

export interface HeldRecords {
  /** The records, for all that this process reads and commits. */
  readonly records: Records;
  /** Does something under a hold: what it reads of the unit is kept as long as that. */
  within<T>(hold: Fence, work: () => Promise<T>): Promise<T>;
  /** Reads past what is kept. */
  fresh<T>(work: () => Promise<T>): Promise<T>;
  /** Does something, and tells what it has read. */
  observe<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seen: ReadSnapshot }>;
}

/** Where something is done: in which units, under which hold, and what it has read if that is asked for. */
interface Place {
  readonly units: HeldUnits;
  readonly hold: Fence | undefined;
  readonly seen: Map<RecordKey, StoredRecord> | undefined;
}

/** One for all stores: every promise of the process pays for each that there is. */
const places = new AsyncLocalStorage<Place>();

/** Creates them; `onAsked` is called after a commit that has asked for something. */
export function createHeldRecords(
  records: Records,
  units: HeldUnits,
  clock: Clock,
  onAsked: () => void,
): HeldRecords {
  const here = (): Place | undefined => {
    const place = places.getStore();
    return place?.units === units ? place : undefined;
  };
  const cachesOf = (): readonly HoldCache[] => units.all().map(({ cache }) => cache);

  function noteSeen(found: readonly StoredRecord[]): void {
    const seen = here()?.seen;
    for (const each of found) if (seen && !seen.has(each.key)) seen.set(each.key, each);
  }

  function cacheHere(): HoldCache | undefined {
    const hold = here()?.hold;
    return hold && units.newestOf(hold)?.cache;
  }

  async function readMissing(
    keys: readonly RecordKey[],
    cache: HoldCache | undefined,
  ): Promise<readonly StoredRecord[]> {
    if (keys.length === 0) return [];
    const mark = cache?.mark() ?? 0;
    const read = await records.get(keys);
    cache?.keep(read, mark);
    return read;
  }

  /** What is kept follows a commit before it is durable. */
  async function untilDurable(
    kept: readonly StoredRecord[],
    partitions: readonly string[] = [],
  ): Promise<void> {
    await records.whenDurable([...partitions, ...kept.map(({ key }) => key)]);
  }

  async function get(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]> {
    const cache = cacheHere();
    const kept = keys.flatMap((key) => cache?.get(key) ?? []);
    const known = new Map(kept.map((each) => [each.key, each]));
    const missing = keys.filter((key) => !known.has(key));
    const [read] = await Promise.all([readMissing(missing, cache), untilDurable(kept)]);
    for (const each of read) known.set(each.key, each);
    const found = keys.map((key) => known.get(key) ?? { key, revision: 0, document: '' });
    noteSeen(found);
    return found;
  }

  async function range(page: Page): Promise<readonly FoundRecord[]> {
    const cache = cacheHere();
    const known = cache?.list(page);
    if (known) await untilDurable(known, [page.partition]);
    const found = known ?? (await readPage(page, cache));
    noteSeen(found);
    return found;
  }

  async function readPage(
    page: Page,
    cache: HoldCache | undefined,
  ): Promise<readonly FoundRecord[]> {
    if (!cache) return await records.range(page);
    const asked = cache.widen(page);
    const mark = cache.mark();
    const found = await records.range(asked);
    cache.keepList(asked, found, mark);
    if (asked === page) return found;
    // There is more than one page of it.
    if (found.length >= asked.limit) return await records.range(page);
    return slicePage(found, page);
  }

  /** What others have changed is not known otherwise. */
  function dropWhereOld(newer: readonly StoredRecord[]): void {
    for (const cache of cachesOf()) {
      if (newer.some(({ key }) => cache.get(key))) cache.drop();
    }
  }

  /** Writes, and has the caches follow in the order of the commits. */
  async function write(commit: Commit): Promise<Committed> {
    for (const cache of cachesOf()) cache.beginChange();
    const follow = () => {
      for (const cache of cachesOf()) cache.change(commit.records ?? []);
    };
    try {
      return await records.commit(commit, follow);
    } catch (error) {
      // Nobody knows what it has done.
      for (const cache of cachesOf()) cache.drop();
      throw error;
    }
  }

  async function commit(given: Commit): Promise<Committed> {
    const sent = units.sentWith(given);
    // If its answer is lost, what was done is done again, once its unit is given back.
    const held = sent.length === 0 ? {} : { held: { now: clock.now(), units: sent } };
    const done = await write({ ...given, ...held });
    if (done.kind !== 'done') {
      units.restoreDone(sent);
      if (done.kind === 'conflict') dropWhereOld(done.newer);
      return done;
    }
    units.committed(given.tasks ?? [], done.handedOut, sent);
    if (given.tasks?.some((change) => 'askedFor' in change)) onAsked();
    return done;
  }

  return {
    records: { ...records, get, range, commit },
    within: (hold, work) => places.run({ units, hold, seen: here()?.seen }, work),
    fresh: (work) => places.run({ units, hold: undefined, seen: here()?.seen }, work),
    async observe(work) {
      const seen = new Map<RecordKey, StoredRecord>();
      const value = await places.run({ units, hold: here()?.hold, seen }, work);
      return { value, seen };
    },
  };
}
