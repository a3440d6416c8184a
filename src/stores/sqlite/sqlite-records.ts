/**
 * Records in one SQLite file. Commits don't wait for the disk (`synchronous = NORMAL`). Those with
 * `durable: 'now'` wait for a shared sync of the log. The log is written in order, so a sync makes all
 * earlier commits durable too. https://www.sqlite.org/wal.html
 */
import type { Database } from 'better-sqlite3';
import {
  assertUniqueRecords,
  type Commit,
  type Committed,
  type Fence,
  type FoundRecord,
  type IndexEntry,
  MAX_PAGE_SIZE,
  type Page,
  type RecordChange,
  type Records,
  SORTS_LAST,
} from '../records.ts';
import {
  AUDIT_NAME,
  handedOutNames,
  otherCommitNames,
  requestedUnits,
  taskName,
  writtenNames,
} from './commit-names.ts';
import type { GroupCommit } from './group-commit.ts';
import { prepareRecords, type RecordStatements, readRecord } from './record-statements.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';
import { createSqliteTasks, type MayBeDone, type SqliteTasks } from './sqlite-tasks.ts';

/** The only schema; files with an older one are refused. */
export const RECORDS_SCHEMA = `
CREATE TABLE records (
  number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, document TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
  partition TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (partition, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE tasks (
  unit TEXT NOT NULL, id TEXT NOT NULL, due INTEGER, again INTEGER,
  taken INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (unit, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_due ON tasks (due, unit) WHERE taken = 0 AND due IS NOT NULL;
CREATE INDEX tasks_taken ON tasks (unit) WHERE taken = 1;
CREATE TABLE audit (seq INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT;
CREATE TABLE starts (number INTEGER NOT NULL) STRICT;
INSERT INTO starts VALUES (0);
`;

/** Finished commits remembered, to recognize repeats. */
const RECEIPTS = 1_000;
/** Used by one app process, or by a command beside it that only commits. */
export interface SqliteRecordsOptions {
  readonly db: Database;
  readonly file: string;
  /** Absent for a command: its commits sync by themselves, and it leases nothing. */
  readonly group?: GroupCommit;
  /** Tasks due at the start whose first try may have happened already. (Default: none.) */
  readonly mayBeDone?: MayBeDone;
}

/** Records on one file. */
export type SqliteRecords = Records & {
  /** Whether a fence is the newest of its unit. */
  isHeld(fence: Fence): boolean;
};

/** Opens the records. Unfinished work of an earlier process is due again at once. */
export function openSqliteRecords(options: SqliteRecordsOptions, now: number): SqliteRecords {
  const { db, file, group } = options;
  const statements = prepareRecords(db);
  const tasks = createSqliteTasks(db, group ? { now, mayBeDone: options.mayBeDone } : undefined);
  const write = createWriter(db, statements, tasks);
  const listeners = new Set<(units: readonly string[], isOwn: boolean) => void>();

  /** Explains failures of the file. */
  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainSqliteFailure(error, file);
    }
  }

  /** Reads, and resolves once the `now` commits that wrote any of these names, or of those in the result, are durable. */
  async function read<T>(
    names: readonly string[],
    work: () => T,
    namesIn: (found: T) => readonly string[] = () => [],
  ): Promise<T> {
    const found = explained(work);
    await group?.syncOf([...names, ...namesIn(found)]);
    return found;
  }

  /** Resolves once the commit, or the other commits that its result reveals, are durable. */
  function untilAnswerable(commit: Commit, done: Committed): Promise<void> | undefined {
    if (done.kind === 'done' && commit.durable === 'now') {
      return group?.synced(writtenNames(commit));
    }
    return group?.syncOf(otherCommitNames(done));
  }

  function notifyListeners(commit: Commit): void {
    const asked = requestedUnits(commit);
    if (asked.length === 0) return;
    // In a microtask, so that a listener can't fail the writer.
    for (const listener of listeners) queueMicrotask(() => listener(asked, true));
  }

  return {
    get: (keys) => read(keys, () => keys.map((key) => readRecord(statements, key))),
    range: (page) =>
      read(
        [page.partition],
        () => readPage(statements, page),
        (found) => found.map(({ key }) => key),
      ),
    count: (partitions) =>
      read(partitions, () => partitions.map((each) => statements.count.get(each) ?? 0)),
    async commit(commit, onWritten) {
      const done = explained(() => write(commit));
      if (done.kind === 'done') onWritten?.();
      await untilAnswerable(commit, done);
      if (done.kind === 'done') notifyListeners(commit);
      return done;
    },
    whenDurable: async (names) => await group?.syncOf(names),
    lease: (now, leaseMs, want) =>
      read(
        [],
        () => tasks.lease(now, leaseMs, want),
        ({ holds }) => handedOutNames(holds),
      ),
    renew: (holds, now, leaseMs) =>
      read([], () => tasks.renew(holds, now, leaseMs), handedOutNames),
    release: async (hold) => explained(() => tasks.release(hold)),
    stateOf: (those) => read(those.map(taskName), () => tasks.stateOf(those)),
    audit: (from, limit) =>
      read([AUDIT_NAME], () => statements.readAudit.all(from, Math.max(0, limit))),
    newestAudit: () => read([AUDIT_NAME], () => statements.newestAudit.get() ?? 0),
    async watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isHeld: (fence) => tasks.isHeld(fence),
    async close() {
      listeners.clear();
      await group?.synced();
    },
  };
}

function readPage(
  statements: RecordStatements,
  { after, isBackwards, limit, partition, prefix = '' }: Page,
): readonly FoundRecord[] {
  const most = Math.max(0, Math.min(limit, MAX_PAGE_SIZE));
  const start = !isBackwards && after !== undefined && after > prefix ? after : prefix;
  const end = isBackwards && after !== undefined ? after : prefix + SORTS_LAST;
  const page = isBackwards ? statements.backwards : statements.forwards;
  return page.all(partition, start, end, most);
}

/** Index changes of a commit. */
interface IndexRows {
  readonly drop: (readonly [partition: string, at: string])[];
  readonly add: (readonly [partition: string, at: string, number: number])[];
}

/** Creates the writer of commits; it remembers the last ones, and repeats are not written again. */
function createWriter(
  db: Database,
  statements: RecordStatements,
  tasks: SqliteTasks,
): (commit: Commit) => Committed {
  const receipts = new Map<string, Committed>();

  const apply = db.transaction((commit: Commit): Committed => {
    const { audit = [], records = [], trimAudit } = commit;
    // Tries all changes, so that the result names every conflict.
    const index: IndexRows = { drop: [], add: [] };
    const failed = records.filter((change) => !writeRecord(statements, change, index));
    if (failed.length > 0) throw new Conflict(failed.map(({ key }) => key));
    statements.dropEntries(index.drop);
    statements.addEntries(index.add);
    const handedOut = tasks.change(commit);
    const auditSeq = statements.append(audit.map((entry) => [entry]));
    if (trimAudit !== undefined) statements.trim.run(trimAudit);
    return { kind: 'done', auditSeq, handedOut };
  });

  function tryToApply(commit: Commit): Committed {
    assertUniqueRecords(commit.records ?? []);
    try {
      return apply.immediate(commit);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      return { kind: 'conflict', newer: error.keys.map((key) => readRecord(statements, key)) };
    }
  }

  return (commit) => {
    const known = receipts.get(commit.id);
    if (known) return known;
    const stale = commit.fences?.find((fence) => !tasks.isHeld(fence));
    if (stale) return { kind: 'stale', unit: stale.unit };
    const done = tryToApply(commit);
    if (done.kind !== 'done') return done;
    if (commit.releases) tasks.released(commit.fences ?? []);
    receipts.set(commit.id, done);
    const [oldest] = receipts.keys();
    if (receipts.size > RECEIPTS && oldest !== undefined) receipts.delete(oldest);
    return done;
  };
}

/** Writes a record's change and collects its index changes; false if its revision isn't the expected one. */
function writeRecord(
  statements: RecordStatements,
  change: RecordChange,
  index: IndexRows,
): boolean {
  const { key } = change;
  if ('expects' in change) return readRecord(statements, key).revision === change.expects;
  const number = putRecord(statements, change);
  if (number === undefined) return false;
  const at = ({ partition, sort }: IndexEntry) => [partition, `${sort} ${key}`] as const;
  index.drop.push(...(change.drop ?? []).map(at));
  if ('isDeletion' in change) return true;
  index.add.push(...(change.add ?? []).map((each) => [...at(each), number] as const));
  return true;
}

/** Returns the record's row number; undefined if its revision is not the one to replace. */
function putRecord(
  statements: RecordStatements,
  change: Exclude<RecordChange, { expects: number }>,
): number | undefined {
  const { key, replaces } = change;
  if ('isDeletion' in change) return statements.remove.get(key, replaces);
  if (replaces === 0) return statements.insert.get(key, change.document);
  return statements.update.get(change.document, key, replaces);
}

/** Rolls back the transaction; never leaves this file. */
class Conflict extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super('A record is newer than expected.');
    this.keys = keys;
  }
}
