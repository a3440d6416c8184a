import { DamagedRecordError, type OnDamaged } from '../../../domain/audit/damaged-record.ts';
import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import { type ReadRevisions, StaleFenceError } from '../../../domain/ports/store.ts';
import { placeOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import {
  type Commit,
  entriesDiff,
  type Fence,
  type FoundRecord,
  type IndexEntry,
  newCommitId,
  type Page,
  type RecordChange,
  type RecordKey,
  type Records,
  type StoredRecord,
  type TaskChange,
} from '../../records.ts';
import { keyOf, type ListPage, listRecords, type RecordKind, readStored } from './read-records.ts';

/** A commit being built. It names every revision it read: nothing is written if one of them changed. */
export interface CommitDraft {
  /** Loads records ahead in one round trip. */
  load(keys: readonly RecordKey[]): Promise<void>;
  /** Assumes that records don't exist, to save a read. If one does, the commit conflicts and is rebuilt. */
  takeForNew(keys: readonly RecordKey[]): void;
  /** Undefined if there is none. */
  read<T>(kind: RecordKind<T>, id: string): Promise<T | undefined>;
  readAll<T>(kind: RecordKind<T>, ids: readonly string[]): Promise<readonly (T | undefined)[]>;
  /** Lists a partition's current state. Only what is read or changed afterwards is named in the commit. */
  list<T>(
    kind: RecordKind<T>,
    partition: string,
    page?: ListPage,
    onDamaged?: OnDamaged,
  ): Promise<readonly T[]>;
  /** Adds earlier reads to the commit's checks; false if one is known to be outdated. */
  expect(seen: ReadRevisions): boolean;
  /** Creates or replaces a record. */
  put<T>(kind: RecordKind<T>, id: string, value: T): Promise<void>;
  /** Removes a record; no-op if there is none. */
  remove<T>(kind: RecordKind<T>, id: string): Promise<void>;
  task(change: TaskChange): void;
  audit(entries: readonly string[]): void;
  /** Removes the audit entries up to this number. */
  trimAudit(through: number): void;
  /** Makes all processes drop their caches. */
  tellAll(): void;
}

/** Options of a commit. */
export interface ChangeOptions {
  /** (Default: `now`.) */
  readonly durable?: Commit['durable'];
  readonly fence?: Fence | undefined;
  /** Releases the fenced unit in the same commit. */
  readonly releases?: true;
}

/** More conflicts in a row are not a plain race. */
const MAX_TRIES = 200;

/**
 * Builds a commit and writes it; after a conflict, builds it again from the current records. Writes
 * nothing if `work` throws. Throws `StaleFenceError` if the fence is old.
 */
export async function changeRecords<T>(
  records: Records,
  work: (draft: CommitDraft) => Promise<T>,
  { durable = 'now', fence, releases }: ChangeOptions = {},
): Promise<T> {
  const known = new Map<RecordKey, StoredRecord>();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { changes, draft } = createDraft(records, known);
    const result = await work(draft);
    const commit: Commit = {
      ...{ id: newCommitId(), durable, ...changes() },
      ...(fence && { fences: [fence] }),
      ...(releases && { releases }),
    };
    if (isEmpty(commit)) return result;
    const done = await records.commit(commit);
    if (done.kind === 'done') return result;
    if (done.kind === 'stale') throw staleFenceError(done.unit, fence);
    for (const each of done.newer) known.set(each.key, each);
  }
  throw new Error(`A record was changed by others ${MAX_TRIES} times in a row.`);
}

/** A commit with only a fence still has to be checked. */
function isEmpty({ audit, fences, records, tasks }: Commit): boolean {
  return ![audit, fences, tasks].some((each) => each && each.length > 0) && !records?.some(writes);
}

function writes(change: RecordChange): boolean {
  return !('expects' in change);
}

/** Error for a write with an outdated fence. */
export function staleFenceError(unit: string, fence: Fence | undefined): StaleFenceError {
  return new StaleFenceError(
    `Refused a write to ${unit}: its fence ${fence?.token} is outdated; another worker holds the unit, or nobody.`,
  );
}

function createDraft(records: Records, known: Map<RecordKey, StoredRecord>) {
  const used = new Set<RecordKey>();
  const expected = new Map<RecordKey, number>();
  const puts = new Map<RecordKey, RecordChange>();
  const tasks: TaskChange[] = [];
  const entries: string[] = [];
  let trimmed: number | undefined;
  let notifiesAll = false;

  async function stored(keys: readonly RecordKey[]): Promise<readonly StoredRecord[]> {
    await draft.load(keys);
    return keys.map((key) => {
      used.add(key);
      const found = known.get(key);
      if (!found) throw new Error(`The store did not answer for ${key}.`);
      return found;
    });
  }

  async function replace<T>(kind: RecordKind<T>, id: string, value: T | undefined): Promise<void> {
    const key = keyOf(kind, id);
    const [before] = await stored([key]);
    const replaces = before?.revision ?? 0;
    const had = before && replaces > 0 ? entriesOfStored(kind, id, before) : [];
    if (value === undefined) {
      if (replaces > 0) puts.set(key, { key, replaces, isDeletion: true, drop: had });
      return;
    }
    const document = kind.write?.(value, replaces + 1) ?? JSON.stringify(value);
    const workspace = (kind.workspaceOf ?? workspaceOfThread)(value, id);
    const put = { key, replaces, document, ...(workspace !== undefined && { workspace }) };
    puts.set(key, { ...put, ...entriesDiff(had, kind.entriesOf(value, id)) });
  }

  const draft: CommitDraft = {
    async load(keys) {
      const missing = keys.filter((key) => !known.has(key));
      if (missing.length === 0) return;
      for (const each of await records.get(missing)) known.set(each.key, each);
    },
    takeForNew(keys) {
      for (const key of keys)
        if (!known.has(key)) known.set(key, { key, revision: 0, document: '' });
    },
    async read(kind, id) {
      const [found] = await draft.readAll(kind, [id]);
      return found;
    },
    async readAll(kind, ids) {
      const found = await stored(ids.map((id) => keyOf(kind, id)));
      return found.map((each, i) => readStored(kind, ids[i] ?? '', each));
    },
    async list(kind, partition, page, onDamaged) {
      const range = async (asked: Page): Promise<readonly FoundRecord[]> => {
        const found = await records.range(asked);
        for (const { document, key, revision } of found) {
          if (!known.has(key)) known.set(key, { key, revision, document });
        }
        return found;
      };
      return await listRecords({ range }, kind, partition, page, onDamaged);
    },
    expect(seen) {
      const isSame = [...seen].every(
        ([key, { revision }]) => known.get(key)?.revision === revision || !known.has(key),
      );
      // If the check fails, the change is not made, so nothing has to be checked.
      if (isSame) for (const [key, { revision }] of seen) expected.set(key, revision);
      return isSame;
    },
    put: replace,
    remove: (kind, id) => replace(kind, id, undefined),
    task: (change) => void tasks.push(change),
    audit: (texts) => void entries.push(...texts),
    trimAudit(through) {
      trimmed = through;
    },
    tellAll() {
      notifiesAll = true;
    },
  };
  const changes = () => {
    for (const key of used) expected.set(key, known.get(key)?.revision ?? 0);
    const checks = [...expected].filter(([key]) => !puts.has(key));
    const unchanged = checks.map(([key, expects]) => ({ key, expects }));
    const trim = trimmed === undefined ? {} : { trimAudit: trimmed };
    const broadcast = notifiesAll ? { tellsAll: notifiesAll } : {};
    return {
      records: [...puts.values(), ...unchanged],
      tasks,
      audit: entries,
      ...trim,
      ...broadcast,
    };
  };
  return { draft, changes };
}

/** The workspace of the thread that a value names. */
function workspaceOfThread(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && 'thread' in value;
  return isObject ? placeOf(value.thread as ThreadKey).team : undefined;
}

/** Entries of an unreadable record are unknown. Those left behind are skipped by readers. */
function entriesOfStored<T>(
  kind: RecordKind<T>,
  id: string,
  { document, revision }: StoredRecord,
): readonly IndexEntry[] {
  try {
    return kind.entriesOf(kind.read(document, id, { revision }), id);
  } catch (error) {
    if (error instanceof DamagedRecordError) return [];
    throw error;
  }
}

/** The fence of a thread's unit. */
export function fenceOf(fence: ThreadFence): Fence;
export function fenceOf(fence: ThreadFence | undefined): Fence | undefined;
export function fenceOf(fence: ThreadFence | undefined): Fence | undefined {
  return fence && { unit: fence.thread, token: fence.token };
}
