/** How records are read: one by its key, or those of a partition in their order. */
import { DamagedRecordError, type OnDamaged } from '../../../domain/audit/damaged-record.ts';
import type { FoundRecord, IndexEntry, RecordKey, Records, StoredRecord } from '../../records.ts';

/** How a record was come by. */
export interface FoundBy {
  readonly revision: number;
  /** Where it was found; absent where it was asked for by its key. */
  readonly at?: string;
}

/** One kind of record: how it is named, found and read. */
export interface RecordKind<T> {
  /** What its keys begin with. */
  readonly name: string;
  /** Where a record is found, from its value alone. */
  entriesOf(value: T, id: string): readonly IndexEntry[];
  /** The workspace that a record belongs to; undefined for the installation's. (Default: that of its `thread`.) */
  workspaceOf?(value: T, id: string): string | undefined;
  /** Reads a stored document; throws a `DamagedRecordError` where it can't be understood. */
  read(document: string, id: string, found: FoundBy): T;
  /** Writes it as of a revision. (Default: its JSON.) */
  write?(value: T, revision: number): string;
}

export function keyOf<T>({ name }: RecordKind<T>, id: string): RecordKey {
  return `${name}/${id}`;
}

/** Reads a record as it was found; undefined where there is none. */
export function readStored<T>(
  kind: RecordKind<T>,
  id: string,
  { document, revision }: StoredRecord,
): T | undefined {
  return revision === 0 ? undefined : kind.read(document, id, { revision });
}

/** Reads a record; undefined where there is none. */
export async function readOne<T>(
  records: Pick<Records, 'get'>,
  kind: RecordKind<T>,
  id: string,
): Promise<T | undefined> {
  const [found] = await records.get([keyOf(kind, id)]);
  return found && readStored(kind, id, found);
}

/** Which part of a partition is read. */
export interface ListPage {
  readonly after?: string | undefined;
  readonly isBackwards?: boolean;
  /** Only places that begin with this. */
  readonly prefix?: string;
  /** (Default: all of it.) */
  readonly limit?: number;
}

/** How many records are read at once where all of a partition is. */
const PAGE = 500;
/** How many where a reader may have had enough. */
const FEW = 50;

/** Reads the records of a partition in their order; one that is damaged is left out and told. */
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

/** The same, a few at a time, for a reader that may end early. */
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

function rethrow(error: DamagedRecordError): never {
  throw error;
}

function readFound<T>(
  kind: RecordKind<T>,
  partition: string,
  { at, document, key, revision }: FoundRecord,
  onDamaged: OnDamaged,
): readonly T[] {
  // It was removed between the look at the index and the look at it.
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
