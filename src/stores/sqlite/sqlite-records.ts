/**
 * Records in one SQLite file. Commits are written without waiting for the disk (`synchronous =
 * NORMAL`); those that were promised wait for a sync of the log, which they share. A log is a
 * prefix: what is synced makes everything before it durable. https://www.sqlite.org/wal.html
 */
import type { Database } from 'better-sqlite3';
import {
  type Commit,
  type Committed,
  type Fence,
  type IndexEntry,
  MAX_PAGE_SIZE,
  type RecordChange,
  type Records,
  SORTS_LAST,
  type Task,
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
import { createSqliteTasks, type MayBeDone } from './sqlite-tasks.ts';

/** The one schema: a file of an older one is refused. */
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

/** How many finished commits are remembered, for repeats. */
const RECEIPTS = 1_000;
/** A file that one process works on, or beside it a command that only commits. */
export interface SqliteRecordsOptions {
  readonly db: Database;
  readonly file: string;
  /** Absent on a command's connection, whose commits wait for the disk by themselves; it leases nothing. */
  readonly group?: GroupCommit;
  /** Which of the tasks that are due at the start get a first try. (Default: none.) */
  readonly mayBeDone?: MayBeDone;
}

/** Records on one file. */
export type SqliteRecords = Records & {
  /** Whether a lease is the newest of its unit. */
  isHeld(fence: Fence): boolean;
};

/** Opens the records; work that an earlier process had in hand is due again at once. */
export function openSqliteRecords(options: SqliteRecordsOptions, now: number): SqliteRecords {
  const { db, file, group } = options;
  const statements = prepareRecords(db);
  const { apply } = createApply(db, statements);
  const tasks = createSqliteTasks(db, group ? { now, mayBeDone: options.mayBeDone } : undefined);
  const receipts = new Map<string, Committed>();
  const listeners = new Set<(units: readonly string[], isOwn: boolean) => void>();

  /** Says what a failure of the file means. */
  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainSqliteFailure(error, file);
    }
  }

  /** Answers what was read once the commits that were promised and wrote any of it are on the disk: whoever is told of it may act on it. */
  async function durably<T>(found: T, names: readonly string[]): Promise<T> {
    await group?.syncOf(names);
    return found;
  }

  /** Resolves when a commit can be answered: what that promises, or tells of other commits, is on the disk. */
  function untilAnswerable(commit: Commit, done: Committed): Promise<void> | undefined {
    if (done.kind === 'done' && commit.durable === 'now') {
      return group?.synced(writtenNames(commit));
    }
    return group?.syncOf(otherCommitNames(done));
  }

  function write(commit: Commit): Committed {
    const known = receipts.get(commit.id);
    if (known) return known;
    const stale = commit.fences?.find((fence) => !tasks.isHeld(fence));
    if (stale) return { kind: 'stale', unit: stale.unit };
    const done = apply(commit, (changes) => tasks.change(changes));
    if (done.kind !== 'done') return done;
    if (commit.releases) tasks.released(commit.fences ?? []);
    receipts.set(commit.id, done);
    const [oldest] = receipts.keys();
    if (receipts.size > RECEIPTS && oldest !== undefined) receipts.delete(oldest);
    return done;
  }

  function notifyListeners(commit: Commit): void {
    const asked = requestedUnits(commit);
    if (asked.length === 0) return;
    // Apart from the writer: what a listener does or throws is not the writer's business.
    for (const listener of listeners) queueMicrotask(() => listener(asked, true));
  }

  return {
    async get(keys) {
      return await durably(
        explained(() => keys.map((key) => readRecord(statements, key))),
        keys,
      );
    },
    async range({ after, isBackwards, limit, partition, prefix = '' }) {
      const most = Math.max(0, Math.min(limit, MAX_PAGE_SIZE));
      const start = !isBackwards && after !== undefined && after > prefix ? after : prefix;
      const end = isBackwards && after !== undefined ? after : prefix + SORTS_LAST;
      const page = isBackwards ? statements.backwards : statements.forwards;
      const found = explained(() => page.all(partition, start, end, most));
      return await durably(found, [partition, ...found.map(({ key }) => key)]);
    },
    async count(partitions) {
      const count = (each: string) => statements.count.get(each) ?? 0;
      return await durably(
        explained(() => partitions.map(count)),
        partitions,
      );
    },
    async commit(commit, onWritten) {
      const done = explained(() => write(commit));
      if (done.kind === 'done') onWritten?.();
      await untilAnswerable(commit, done);
      if (done.kind === 'done') notifyListeners(commit);
      return done;
    },
    whenDurable: async (names) => await group?.syncOf(names),
    async lease(now, leaseMs, want) {
      const leased = explained(() => tasks.lease(now, leaseMs, want));
      return await durably(leased, handedOutNames(leased.holds));
    },
    async renew(holds, now, leaseMs) {
      const renewed = explained(() => tasks.renew(holds, now, leaseMs));
      return await durably(renewed, handedOutNames(renewed));
    },
    release: async (hold) => explained(() => tasks.release(hold)),
    async stateOf(those) {
      return await durably(
        explained(() => tasks.stateOf(those)),
        those.map(taskName),
      );
    },
    async audit(from, limit) {
      const found = explained(() => statements.readAudit.all(from, Math.max(0, limit)));
      return await durably(found, [AUDIT_NAME]);
    },
    async newestAudit() {
      return await durably(
        explained(() => statements.newestAudit.get() ?? 0),
        [AUDIT_NAME],
      );
    },
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

/** What a commit makes of the index. */
interface IndexRows {
  readonly drop: (readonly [partition: string, at: string])[];
  readonly add: (readonly [partition: string, at: string, number: number])[];
}

function createApply(db: Database, statements: RecordStatements) {
  /** Answers the record's number; undefined when it is not of the revision that is replaced. */
  function put(change: Exclude<RecordChange, { expects: number }>): number | undefined {
    const { key, replaces } = change;
    if ('isDeletion' in change) return statements.remove.get(key, replaces);
    if (replaces === 0) return statements.insert.get(key, change.document);
    return statements.update.get(change.document, key, replaces);
  }

  /** Writes a change of a record, and notes what becomes of the index; false when the record is not what the caller took it for. */
  function write(change: RecordChange, index: IndexRows): boolean {
    const { key } = change;
    if ('expects' in change) return readRecord(statements, key).revision === change.expects;
    const number = put(change);
    if (number === undefined) return false;
    const at = ({ partition, sort }: IndexEntry) => [partition, `${sort} ${key}`] as const;
    index.drop.push(...(change.drop ?? []).map(at));
    if ('isDeletion' in change) return true;
    index.add.push(...(change.add ?? []).map((each) => [...at(each), number] as const));
    return true;
  }

  const apply = db.transaction(
    (commit: Commit, changeTasks: (commit: Commit) => readonly Task[]): Committed => {
      const { audit = [], records = [], trimAudit } = commit;
      // All are tried, so that the answer names each that is newer.
      const index: IndexRows = { drop: [], add: [] };
      const failed = records.filter((change) => !write(change, index));
      if (failed.length > 0) throw new Conflict(failed.map(({ key }) => key));
      statements.dropEntries(index.drop);
      statements.addEntries(index.add);
      const handedOut = changeTasks(commit);
      const auditSeq = statements.append(audit.map((entry) => [entry]));
      if (trimAudit !== undefined) statements.trim.run(trimAudit);
      return { kind: 'done', auditSeq, handedOut };
    },
  );

  return {
    apply(commit: Commit, changeTasks: (commit: Commit) => readonly Task[]): Committed {
      assertUniqueRecords(commit.records ?? []);
      try {
        return apply.immediate(commit, changeTasks);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        return { kind: 'conflict', newer: error.keys.map((key) => readRecord(statements, key)) };
      }
    },
  };
}

/** Takes the transaction back; never leaves this file. */
class Conflict extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super('A record is newer than it was taken for.');
    this.keys = keys;
  }
}

/** Throws where a commit names a record twice: what it expects could not be told. */
export function assertUniqueRecords(changes: readonly RecordChange[]): void {
  const keys = new Set(changes.map(({ key }) => key));
  if (keys.size === changes.length) return;
  const names = changes.map(({ key }) => key).join(', ');
  throw new Error(`A commit names a record twice: ${names}.`);
}
