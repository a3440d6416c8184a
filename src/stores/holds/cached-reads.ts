/** Reads that use the cache of the unit they run in. */
import type { FoundRecord, Page, RecordKey, Records, StoredRecord } from '../records.ts';
import { type HoldCache, slicePage } from './hold-cache.ts';

/** Creates the reads; `cacheHere` returns the cache of the caller's unit, if any. */
export function createCachedReads(
  records: Records,
  cacheHere: () => HoldCache | undefined,
): Pick<Records, 'get' | 'range'> {
  async function get(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]> {
    const cache = cacheHere();
    const kept = keys.flatMap((key) => cache?.get(key) ?? []);
    const known = new Map(kept.map((each) => [each.key, each]));
    const missing = keys.filter((key) => !known.has(key));
    const [read] = await Promise.all([
      readMissing(records, missing, cache),
      untilDurable(records, kept),
    ]);
    for (const each of read) known.set(each.key, each);
    return keys.map((key) => known.get(key) ?? { key, revision: 0, document: '' });
  }

  async function range(page: Page): Promise<readonly FoundRecord[]> {
    const cache = cacheHere();
    const known = cache?.list(page);
    if (known) await untilDurable(records, known, [page.partition]);
    return known ?? (await readPage(records, page, cache));
  }

  return { get, range };
}

async function readMissing(
  records: Records,
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
  records: Records,
  kept: readonly StoredRecord[],
  partitions: readonly string[] = [],
): Promise<void> {
  await records.whenDurable([...partitions, ...kept.map(({ key }) => key)]);
}

async function readPage(
  records: Records,
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
