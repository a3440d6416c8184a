/**
 * Cache of what a holder read of its unit, for as long as it holds the unit. Commits of this process
 * update it; commits of others drop it. It may be stale until the wake-up arrives. So whatever must
 * not happen on stale data names the revisions it read in its commit.
 */
import type {
  FoundRecord,
  IndexEntry,
  Page,
  RecordChange,
  RecordKey,
  StoredRecord,
} from '../records.ts';
import type { RecentChanges } from './recent-changes.ts';

export interface HoldCache {
  /** Undefined if it is not cached. */
  get(key: RecordKey): StoredRecord | undefined;
  /** Undefined unless the whole page is cached. */
  list(page: Page): readonly FoundRecord[] | undefined;
  /** The page to read instead, so that its result can be cached and serves other lists too. */
  widen(page: Page): Page;
  /** Take it before a read: what changed since is not cached. */
  mark(): number;
  keep(records: readonly StoredRecord[], mark: number): void;
  keepList(page: Page, found: readonly FoundRecord[], mark: number): void;
  /** Applies a commit of this process. */
  change(changes: readonly CacheChange[]): void;
  drop(): void;
}

/** Only shorter lists are cached. */
const WIDE = 50;

type WritingChange = Exclude<RecordChange, { expects: number }>;

/** Kinds whose key names the unit. */
const NAMED: ReadonlySet<string> = new Set([
  'turn-message',
  'turn',
  'live',
  'thread',
  'checkpoint',
]);
/** Kinds shared by all units; a change of one is announced to all processes. */
const SHARED: ReadonlySet<string> = new Set(['pause']);
/** Kinds that belong to the call with the same id. */
const OF_CALLS: ReadonlySet<string> = new Set(['place', 'report']);

/** A change, and the units that its index entries name: found once for all caches. */
export interface CacheChange {
  readonly change: WritingChange;
  readonly units: ReadonlySet<string>;
}

/** Prepares the changes of a commit for the caches of all held units. */
export function toCacheChanges(changes: readonly RecordChange[]): readonly CacheChange[] {
  return changes.flatMap((change) => {
    if ('expects' in change) return [];
    const added = 'isDeletion' in change ? [] : (change.add ?? []);
    return [{ change, units: new Set(added.flatMap(unitsNamedBy)) }];
  });
}

function unitsNamedBy({ partition, sort }: IndexEntry): readonly string[] {
  return [partition.split('|')[1] ?? '', sort.split('|')[0] ?? ''];
}

/** A cached partition, or a prefix of one. */
interface CachedList {
  readonly page: Page;
  readonly ats: Map<string, RecordKey>;
  /** Otherwise it is the first page of a longer list. */
  readonly isWhole: boolean;
}

const kindOf = (key: RecordKey): string => key.slice(0, key.indexOf('/'));

const isOwnPartition = (unit: string, partition: string): boolean =>
  partition.split('|')[1] === unit;

/** Whether a page certainly holds only records of this unit. */
function isOwnPage(unit: string, { after, partition, prefix = '' }: Page): boolean {
  if (after !== undefined) return false;
  return isOwnPartition(unit, partition) || (prefix !== '' && prefix.split('|')[0] === unit);
}

/** The unit's own partitions are cached as a whole; of shared ones, a prefix. */
const nameOf = (unit: string, { partition, prefix = '' }: Page): string =>
  isOwnPartition(unit, partition) ? partition : `${partition} ${prefix}`;

function widen(unit: string, page: Page): Page {
  if (!isOwnPage(unit, page)) return page;
  const { limit, partition, prefix } = page;
  if (isOwnPartition(unit, partition) && prefix) return { partition, limit: WIDE };
  return limit <= WIDE ? page : { ...page, limit: WIDE };
}

/** Creates the cache of a unit. */
export function createHoldCache(unit: string, recent: RecentChanges): HoldCache {
  const records = new Map<RecordKey, StoredRecord>();
  const lists = new Map<string, CachedList>();
  let droppedAt = 0;

  /** Whether a record read by key certainly belongs to this unit. */
  function isOwnKey(key: RecordKey): boolean {
    const kind = kindOf(key);
    const id = key.slice(kind.length + 1);
    if (SHARED.has(kind)) return true;
    if (OF_CALLS.has(kind)) return records.has(`call/${id}`);
    if (kind === 'say') return records.has(`message/${id.slice(0, id.indexOf('#'))}`);
    return NAMED.has(kind) && (id === unit || id.startsWith(`${unit}|`));
  }

  /** Applies a record's change to the lists. */
  function changeLists(change: WritingChange): void {
    const added = 'isDeletion' in change ? [] : (change.add ?? []);
    for (const [name, list] of lists) {
      const { page } = list;
      const isIn = (each: IndexEntry) =>
        each.partition === page.partition && each.sort.startsWith(page.prefix ?? '');
      const [dropped, inserted] = [(change.drop ?? []).filter(isIn), added.filter(isIn)];
      if (list.isWhole) changeList(list, change.key, { dropped, inserted });
      // It is unknown what follows the first page now.
      else if (dropped.length + inserted.length > 0) lists.delete(name);
    }
  }

  /** The cached record may already be newer than the change. */
  function follow({ change, units }: CacheChange): void {
    const { key } = change;
    if ((records.get(key)?.revision ?? 0) > change.replaces) return;
    const isKept = records.has(key) || isOwnKey(key) || units.has(unit);
    if (isKept) records.set(key, toRecord(change));
    if (isKept && change.replaces === 0 && kindOf(key) === 'call') noteNew(key);
    changeLists(change);
  }

  /** A new call can't have other records yet: cache that they are absent. */
  function noteNew(call: RecordKey): void {
    for (const kind of OF_CALLS) {
      const key = `${kind}${call.slice(call.indexOf('/'))}`;
      if (!records.has(key)) records.set(key, { key, revision: 0, document: '' });
    }
  }

  function drop(): void {
    recent.note([]);
    droppedAt = recent.mark();
    records.clear();
    lists.clear();
  }

  const isCurrent = (mark: number, names: readonly string[]): boolean =>
    mark >= droppedAt && recent.isUnchangedSince(mark, names);

  return {
    get: (key) => records.get(key),
    list(page) {
      const known = isOwnPage(unit, page) ? lists.get(nameOf(unit, page)) : undefined;
      if (!known || !holdsPage(known, page)) return undefined;
      const found = [...known.ats].map(([at, key]) => ({ at, record: records.get(key) }));
      if (found.some(({ record }) => !record)) return undefined;
      return slicePage(
        found.flatMap(({ at, record }) => (record ? { at, ...record } : [])),
        page,
      );
    },
    widen: (page) => widen(unit, page),
    mark: recent.mark,
    keep(found, mark) {
      for (const each of found) {
        if (isOwnKey(each.key) && isCurrent(mark, [each.key])) records.set(each.key, each);
      }
    },
    keepList(page, found, mark) {
      const names = [page.partition, ...found.map(({ key }) => key)];
      if (!isOwnPage(unit, page) || !isCurrent(mark, names)) return;
      for (const { document, key, revision } of found)
        records.set(key, { key, revision, document });
      const ats = new Map(found.map(({ at, key }) => [at, key]));
      lists.set(nameOf(unit, page), { page, ats, isWhole: found.length < page.limit });
    },
    change(given) {
      for (const each of given) follow(each);
    },
    drop,
  };
}

function changeList(
  { ats }: CachedList,
  key: RecordKey,
  entries: { readonly dropped: readonly IndexEntry[]; readonly inserted: readonly IndexEntry[] },
): void {
  const atOf = ({ sort }: IndexEntry) => `${sort} ${key}`;
  for (const each of entries.dropped) ats.delete(atOf(each));
  for (const each of entries.inserted) ats.set(atOf(each), key);
}

/** The first page of a list holds shorter ones of the same order. */
function holdsPage({ ats, isWhole, page: known }: CachedList, page: Page): boolean {
  if (isWhole) return true;
  const isSame = known.prefix === page.prefix && known.isBackwards === page.isBackwards;
  return isSame && page.limit <= ats.size;
}

function toRecord(change: WritingChange): StoredRecord {
  const { key, replaces } = change;
  if ('isDeletion' in change) return { key, revision: 0, document: '' };
  return { key, revision: replaces + 1, document: change.document };
}

/** Cuts one page out of a complete list. */
export function slicePage(
  found: readonly FoundRecord[],
  { isBackwards, limit, prefix = '' }: Page,
): readonly FoundRecord[] {
  const way = isBackwards ? -1 : 1;
  return found
    .filter(({ at }) => at.startsWith(prefix))
    .sort((a, b) => way * byBytes(a.at, b.at))
    .slice(0, limit);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
