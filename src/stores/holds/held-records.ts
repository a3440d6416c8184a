/** The records as this process uses them: reads are served from the caches of held units, and commits carry their finished tasks. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Fence, RecordKey, Records, StoredRecord } from '../records.ts';
import { createCachedReads } from './cached-reads.ts';
import { createHeldCommit } from './held-commits.ts';
import type { HeldUnits } from './held-units.ts';
import type { HoldCache } from './hold-cache.ts';

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

  function noteSeen<Found extends StoredRecord>(found: readonly Found[]): readonly Found[] {
    const seen = here()?.seen;
    for (const each of found) if (seen && !seen.has(each.key)) seen.set(each.key, each);
    return found;
  }

  function cacheHere(): HoldCache | undefined {
    const hold = here()?.hold;
    return hold && units.newestOf(hold)?.cache;
  }

  const reads = createCachedReads(records, cacheHere);
  return {
    records: {
      ...records,
      get: async (keys) => noteSeen(await reads.get(keys)),
      range: async (page) => noteSeen(await reads.range(page)),
      commit: createHeldCommit(records, units, clock, onAsked),
    },
    within: (hold, work) => places.run({ units, hold, seen: here()?.seen }, work),
    fresh: (work) => places.run({ units, hold: undefined, seen: here()?.seen }, work),
    async observe(work) {
      const seen = new Map<RecordKey, StoredRecord>();
      const value = await places.run({ units, hold: here()?.hold, seen }, work);
      return { value, seen };
    },
  };
}
