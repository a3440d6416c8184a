/**
 * What a holder has read of its unit, kept as long as it holds it. Commits of this process keep it as
 * it is in the store; those of others drop it. It may be behind for as long as a wake-up is late, so
 * what must not happen on old knowledge names in its commit what it has read.
 */
import type {
  FoundRecord,
  IndexEntry,
  Page,
  RecordChange,
  RecordKey,
  StoredRecord,
} from '../records.ts';

export interface HoldCache {
  /** Undefined for one that is not kept. */
  get(key: RecordKey): StoredRecord | undefined;
  /** Undefined where it is not known whole. */
  list(page: Page): readonly FoundRecord[] | undefined;
  /** The page to be asked for in place of another, so that what is found serves others too. */
  widen(page: Page): Page;
  /** A mark to read with: what is read is kept unless something was changed since. */
  mark(): number;
  keep(records: readonly StoredRecord[], mark: number): void;
  keepList(page: Page, found: readonly FoundRecord[], mark: number): void;
  /** What is read now may be older than what is being written. */
  beginChange(): void;
  /** Follows a commit of this process. */
  change(changes: readonly RecordChange[]): void;
  drop(): void;
}

/** A longer page is a question of its own. */
const WIDE = 50;

type WritingChange = Exclude<RecordChange, { expects: number }>;

/** Of these the name tells whose they are. */
const NAMED: ReadonlySet<string> = new Set([
  'turn-message',
  'turn',
  'live',
  'thread',
  'checkpoint',
]);
/** These are everybody's: whoever changes one tells all processes. */
const SHARED: ReadonlySet<string> = new Set(['pause']);
/** Of these the call with the same id does. */
const OF_CALLS: ReadonlySet<string> = new Set(['place', 'report']);

/** Creates the cache of a unit. */
export function createHoldCache(unit: string): HoldCache {
  const records = new Map<RecordKey, StoredRecord>();
  /** Partitions, or parts of them, that are known whole. */
  const lists = new Map<string, { readonly page: Page; readonly ats: Map<string, RecordKey> }>();
  let changes = 0;

  const kindOf = (key: RecordKey): string => key.slice(0, key.indexOf('/'));

  /** Whether a record that was asked for by its key is of this unit for sure. */
  function isOwnKey(key: RecordKey): boolean {
    const kind = kindOf(key);
    const id = key.slice(kind.length + 1);
    if (SHARED.has(kind)) return true;
    if (OF_CALLS.has(kind)) return records.has(`call/${id}`);
    if (kind === 'say') return records.has(`message/${id.slice(0, id.indexOf('#'))}`);
    return NAMED.has(kind) && (id === unit || id.startsWith(`${unit}|`));
  }

  function isOwnEntry({ partition, sort }: IndexEntry) {
    return partition.split('|')[1] === unit || sort.split('|')[0] === unit;
  }

  const isOwnPartition = (partition: string): boolean => partition.split('|')[1] === unit;

  function isOwnPage({ after, partition, prefix = '' }: Page): boolean {
    if (after !== undefined) return false;
    return isOwnPartition(partition) || (prefix !== '' && prefix.split('|')[0] === unit);
  }

  /** A partition of the unit is known as a whole, one of many units in part. */
  const nameOf = ({ partition, prefix = '' }: Page): string =>
    isOwnPartition(partition) ? partition : `${partition} ${prefix}`;

  /** What a change of a record makes of the lists. */
  function changeLists(change: WritingChange): void {
    const added = 'isDeletion' in change ? [] : (change.add ?? []);
    for (const { ats, page } of lists.values()) {
      const isIn = (each: IndexEntry) =>
        each.partition === page.partition && each.sort.startsWith(page.prefix ?? '');
      const atOf = ({ sort }: IndexEntry) => `${sort} ${change.key}`;
      for (const each of (change.drop ?? []).filter(isIn)) ats.delete(atOf(each));
      for (const each of added.filter(isIn)) ats.set(atOf(each), change.key);
    }
  }

  /** What is known may be newer already. */
  function follow(change: WritingChange): void {
    const { key } = change;
    if ((records.get(key)?.revision ?? 0) > change.replaces) return;
    const added = 'isDeletion' in change ? [] : (change.add ?? []);
    const isKept = records.has(key) || isOwnKey(key) || added.some(isOwnEntry);
    if (isKept) records.set(key, toRecord(change));
    if (isKept && change.replaces === 0 && kindOf(key) === 'call') noteNew(key);
    changeLists(change);
  }

  /** Of a call that was not there before there is nothing else. */
  function noteNew(call: RecordKey): void {
    for (const kind of OF_CALLS) {
      const key = `${kind}${call.slice(call.indexOf('/'))}`;
      if (!records.has(key)) records.set(key, { key, revision: 0, document: '' });
    }
  }

  function drop(): void {
    changes += 1;
    records.clear();
    lists.clear();
  }

  return {
    get: (key) => records.get(key),
    list(page) {
      const known = isOwnPage(page) ? lists.get(nameOf(page)) : undefined;
      if (!known) return undefined;
      const found = [...known.ats].map(([at, key]) => ({ at, record: records.get(key) }));
      if (found.some(({ record }) => !record)) return undefined;
      return slicePage(
        found.flatMap(({ at, record }) => (record ? { at, ...record } : [])),
        page,
      );
    },
    widen(page) {
      if (!isOwnPage(page)) return page;
      const { limit, partition, prefix } = page;
      if (isOwnPartition(partition) && prefix) return { partition, limit: WIDE };
      return limit <= WIDE ? page : { ...page, limit: WIDE };
    },
    mark: () => changes,
    keep(found, mark) {
      if (mark !== changes) return;
      for (const each of found) if (isOwnKey(each.key)) records.set(each.key, each);
    },
    keepList(page, found, mark) {
      // A page that is full may not be all of it.
      if (mark !== changes || !isOwnPage(page) || found.length >= page.limit) return;
      for (const { document, key, revision } of found)
        records.set(key, { key, revision, document });
      lists.set(nameOf(page), { page, ats: new Map(found.map(({ at, key }) => [at, key])) });
    },
    beginChange() {
      changes += 1;
    },
    change(given) {
      changes += 1;
      for (const each of given) if (!('expects' in each)) follow(each);
    },
    drop,
  };
}

function toRecord(change: WritingChange): StoredRecord {
  const { key, replaces } = change;
  if ('isDeletion' in change) return { key, revision: 0, document: '' };
  return { key, revision: replaces + 1, document: change.document };
}

/** Cuts a page out of all that there is. */
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
