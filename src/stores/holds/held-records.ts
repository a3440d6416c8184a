/** The records as this process uses them: reads are served from the caches of held units, and commits carry their finished tasks. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../domain/ports/clock.ts';
import {
  type Commit,
  type Committed,
  changedNames,
  type Fence,
  type FoundRecord,
  type Page,
  type RecordKey,
  type Records,
  type StoredRecord,
} from '../records.ts';
import type { HeldUnits } from './held-units.ts';
import { type HoldCache, slicePage, toCacheChanges } from './hold-cache.ts';

/** Records as a decision read them. */
export type ReadSnapshot = ReadonlyMap<RecordKey, StoredRecord>;

export interface HeldRecords {
  /** The records, for all reads and commits of this process. */
  readonly records: Records;
  /** Runs `work` under a hold: its reads use the unit's cache. */
  within<T>(hold: Fence, work: () => Promise<T>): Promise<T>;
  /** Runs `work` with reads that bypass the cache. */
  fresh<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` and returns what it read. */
  observe<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seen: ReadSnapshot }>;
}

/** Context of an async call: its store's units, the hold it runs under, and the reads to record. */
interface Place {
  readonly units: HeldUnits;
  readonly hold: Fence | undefined;
  readonly seen: Map<RecordKey, StoredRecord> | undefined;
}

/** Shared by all stores: each AsyncLocalStorage slows down every promise of the process. */
const places = new AsyncLocalStorage<Place>();

/** Creates the records; `onAsked` is called after a commit that scheduled tasks. */
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

  /** Caches follow a commit before it is durable, so a cached read waits until it is. */
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
    // The partition has more than one page.
    if (found.length >= asked.limit) return await records.range(page);
    return slicePage(found, page);
  }

  /** A conflict shows that others changed the unit: drop what is cached of it. */
  function dropWhereOld(newer: readonly StoredRecord[]): void {
    for (const cache of cachesOf()) {
      if (newer.some(({ key }) => cache.get(key))) cache.drop();
    }
  }

  /** Commits, and applies commits to the caches in their order. */
  async function write(commit: Commit): Promise<Committed> {
    const names = changedNames(commit.records ?? []);
    units.recent.note(names);
    const follow = () => {
      units.recent.note(names);
      const changes = toCacheChanges(commit.records ?? []);
      for (const cache of cachesOf()) cache.change(changes);
    };
    try {
      return await records.commit(commit, follow);
    } catch (error) {
      // It is unknown whether the commit was written.
      for (const cache of cachesOf()) cache.drop();
      throw error;
    }
  }

  /** Leases right behind a commit that is on its way, so that no worker waits for its answer. */
  function leaseBehind({ tasks = [] }: Commit, written: Promise<unknown>): void {
    if (!units.isLeaseNeeded(tasks)) return;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    written.then(end, end);
    setImmediate(() => {
      if (isOver) return;
      units.scheduleLook(clock.now());
      onAsked();
    });
  }

  async function commit(given: Commit): Promise<Committed> {
    const sent = units.sentWith(given);
    // If the response is lost, these tasks run again once their unit is released.
    const held = sent.length === 0 ? {} : { held: { now: clock.now(), units: sent } };
    const leases = units.leases();
    const written = write({ ...given, ...held });
    leaseBehind(given, written);
    const done = await written;
    if (done.kind !== 'done') {
      units.restoreDone(sent);
      if (done.kind === 'conflict') dropWhereOld(done.newer);
      return done;
    }
    units.committed(given.tasks ?? [], done.handedOut, sent, leases);
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
