/** Reads records: one by key, or a partition in order. */
import { DamagedRecordError, type OnDamaged } from '../../../domain/audit/damaged-record.ts';
import type { FoundRecord, IndexEntry, RecordKey, Records, StoredRecord } from '../../records.ts';

/** How a record was found. */
export interface FoundBy {
  readonly revision: number;
  /** Its position in the list; absent if it was read by key. */
  readonly at?: string;
}

/** One kind of record: its name, index entries and format. */
export interface RecordKind<T> {
  /** Prefix of its keys. */
  readonly name: string;
  /** Index entries, computed from the value alone. */
  entriesOf(value: T, id: string): readonly IndexEntry[];
  /** The record's workspace; undefined for the installation's. (Default: that of its `thread`.) */
  workspaceOf?(value: T, id: string): string | undefined;
  /** Parses a stored document; throws a `DamagedRecordError` if it isn't understood. */
  read(document: string, id: string, found: FoundBy): T;
  /** Serializes the value as of a revision. (Default: JSON.) */
  write?(value: T, revision: number): string;
}

export function keyOf<T>({ name }: RecordKind<T>, id: string): RecordKey {
  return `${name}/${id}`;
}

/** Parses a record; undefined if there is none. */
export function readStored<T>(
  kind: RecordKind<T>,
  id: string,
  { document, revision }: StoredRecord,
): T | undefined {
  return revision === 0 ? undefined : kind.read(document, id, { revision });
}

/** Reads a record by id; undefined if there is none. */
export async function readOne<T>(
  records: Pick<Records, 'get'>,
  kind: RecordKind<T>,
  id: string,
): Promise<T | undefined> {
  const [found] = await records.get([keyOf(kind, id)]);
  return found && readStored(kind, id, found);
}

/** Which part of a partition to read. */
export interface ListPage {
  readonly after?: string | undefined;
  readonly isBackwards?: boolean;
  /** Only positions with this prefix. */
  readonly prefix?: string;
  /** (Default: all.) */
  readonly limit?: number;
}

/** Records per read when a whole partition is listed. */
const PAGE = 500;
/** Records per read when the reader may stop early. */
const FEW = 50;

/** Reads a partition's records in order. Damaged ones are left out and passed to `onDamaged`. */
export async function listRecords<T>(
  records: Pick<Records, 'range'>,
  kind: RecordKind<T>,
  partition: string,
  { after, isBackwards = false, limit = Number.POSITIVE_INFINITY, prefix = '' }: ListPage = {},
  onDamaged: OnDamaged = rethrow,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let from = after; found.length < limit; ) {
    const most = Math.min(PAGE, limit - found.length);
    const page = await records.range({ partition, isBackwards, prefix, limit: most, after: from });
    found.push(...page.flatMap((each) => readFound(kind, partition, each, onDamaged)));
    from = page.at(-1)?.at;
    if (page.length < most || from === undefined) break;
  }
  return found;
}

/** Like `listRecords`, but reads a few at a time, for readers that may stop early. */
export async function* walkRecords<T>(
  records: Pick<Records, 'range'>,
  kind: RecordKind<T>,
  partition: string,
  onDamaged: OnDamaged,
): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const page = await records.range({ partition, limit: FEW, after });
    yield* page.flatMap((each) => readFound(kind, partition, each, onDamaged));
    after = page.at(-1)?.at;
    if (page.length < FEW) return;
  }
}

/** An `onDamaged` that leaves damaged records out. */
export function ignore(): void {}

/** An `onDamaged` that leaves nothing out. */
export function rethrow(error: DamagedRecordError): never {
  throw error;
}

function readFound<T>(
  kind: RecordKind<T>,
  partition: string,
  { at, document, key, revision }: FoundRecord,
  onDamaged: OnDamaged,
): readonly T[] {
  // It was removed between reading the index and reading the record.
  if (revision === 0) return [];
  const id = key.slice(kind.name.length + 1);
  try {
    const value = kind.read(document, id, { at, revision });
    const isThere = kind
      .entriesOf(value, id)
      .some((each) => each.partition === partition && at === `${each.sort} ${key}`);
    return isThere ? [value] : [];
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    onDamaged(error);
    return [];
  }
}
