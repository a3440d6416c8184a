/**
 * Records in one SQLite file. Commits are written without waiting for the disk (`synchronous =
 * NORMAL`); those that were promised wait for a sync of the log, which they share. A log is a
 * prefix: what is synced makes everything before it durable. https://www.sqlite.org/wal.html
 */
import type { Database } from 'better-sqlite3';
import { explainFailure } from '../sqlite/sqlite-failure.ts';
import type { GroupCommit } from './group-commit.ts';
import {
  type AuditRow,
  type Commit,
  type Committed,
  type Fence,
  type FoundRecord,
  LAST,
  MOST_PER_PAGE,
  type RecordChange,
  type Records,
  type StoredRecord,
  type Task,
} from './records.ts';
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
  const statements = prepare(db);
  const { apply } = createApply(db, statements);
  const tasks = createSqliteTasks(db, group ? { now, mayBeDone: options.mayBeDone } : undefined);
  const receipts = new Map<string, Committed>();
  const listeners = new Set<(units: readonly string[], isOwn: boolean) => void>();

  /** Says what a failure of the file means. */
  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainFailure(error, file);
    }
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

  return {
    async get(keys) {
      return explained(() => keys.map((key) => read(statements, key)));
    },
    async range({ after, isBackwards, limit, partition, prefix = '' }) {
      const most = Math.max(0, Math.min(limit, MOST_PER_PAGE));
      const start = !isBackwards && after !== undefined && after > prefix ? after : prefix;
      const end = isBackwards && after !== undefined ? after : prefix + LAST;
      const page = isBackwards ? statements.backwards : statements.forwards;
      return explained(() => page.all(partition, start, end, most));
    },
    async count(partitions) {
      return explained(() => partitions.map((each) => statements.count.get(each) ?? 0));
    },
    async commit(commit, onWritten) {
      const done = explained(() => write(commit));
      if (done.kind !== 'done') return done;
      onWritten?.();
      if (commit.durable === 'now') await group?.synced();
      const asked = unitsAskedIn(commit);
      // Apart from the writer: what a listener does or throws is not the writer's business.
      if (asked.length > 0) {
        for (const listener of listeners) queueMicrotask(() => listener(asked, true));
      }
      return done;
    },
    lease: async (now, leaseMs, want) => explained(() => tasks.lease(now, leaseMs, want)),
    renew: async (holds, now, leaseMs) => explained(() => tasks.renew(holds, now, leaseMs)),
    release: async (hold) => explained(() => tasks.release(hold)),
    stateOf: async (those) => explained(() => tasks.stateOf(those)),
    audit: async (from, limit) =>
      explained(() => statements.readAudit.all(from, Math.max(0, limit))),
    newestAudit: async () => explained(() => statements.newestAudit.get() ?? 0),
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

/** The units in which a commit asks for tasks. */
function unitsAskedIn({ tasks = [] }: Commit): readonly string[] {
  return [...new Set(tasks.flatMap((change) => ('askedFor' in change ? change.unit : [])))];
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: Database) {
  // No place is a prefix that is asked for: a sort text and a key follow it.
  const page = (order: 'ASC' | 'DESC') =>
    db.prepare<[partition: string, start: string, end: string, limit: number], FoundRecord>(`
      SELECT e.at, r.key, r.revision, r.document
      FROM entries AS e CROSS JOIN records AS r ON r.number = e.number
      WHERE e.partition = ? AND e.at > ? AND e.at < ? ORDER BY e.at ${order} LIMIT ?`);
  return {
    one: db.prepare<[key: string], StoredRecord>(
      'SELECT key, revision, document FROM records WHERE key = ?',
    ),
    forwards: page('ASC'),
    backwards: page('DESC'),
    count: db
      .prepare<[partition: string], number>('SELECT count(*) FROM entries WHERE partition = ?')
      .pluck(),
    insert: db
      .prepare<[key: string, document: string], number>(
        'INSERT INTO records (key, revision, document) VALUES (?, 1, ?) ON CONFLICT DO NOTHING RETURNING number',
      )
      .pluck(),
    update: db
      .prepare<[document: string, key: string, replaces: number], number>(
        'UPDATE records SET revision = revision + 1, document = ? WHERE key = ? AND revision = ? RETURNING number',
      )
      .pluck(),
    remove: db
      .prepare<[key: string, replaces: number], number>(
        'DELETE FROM records WHERE key = ? AND revision = ? RETURNING number',
      )
      .pluck(),
    addEntry: db.prepare<[partition: string, at: string, number: number]>(
      'INSERT INTO entries (partition, at, number) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    dropEntry: db.prepare<[partition: string, at: string]>(
      'DELETE FROM entries WHERE partition = ? AND at = ?',
    ),
    append: db.prepare<[entry: string]>('INSERT INTO audit (entry) VALUES (?)'),
    trim: db.prepare<[seq: number]>('DELETE FROM audit WHERE seq <= ?'),
    readAudit: db.prepare<[from: number, limit: number], AuditRow>(
      'SELECT seq, entry FROM audit WHERE seq >= ? ORDER BY seq LIMIT ?',
    ),
    newestAudit: db
      .prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'audit'`)
      .pluck(),
  };
}

function read({ one }: Statements, key: string): StoredRecord {
  return one.get(key) ?? { key, revision: 0, document: '' };
}

function createApply(db: Database, statements: Statements) {
  /** Answers the record's number; undefined when it is not of the revision that is replaced. */
  function put(change: Exclude<RecordChange, { expects: number }>): number | undefined {
    const { key, replaces } = change;
    if ('isDeletion' in change) return statements.remove.get(key, replaces);
    if (replaces === 0) return statements.insert.get(key, change.document);
    return statements.update.get(change.document, key, replaces);
  }

  /** Writes a change of a record; false when the record is not what the caller took it for. */
  function write(change: RecordChange): boolean {
    const { key } = change;
    if ('expects' in change) return read(statements, key).revision === change.expects;
    const number = put(change);
    if (number === undefined) return false;
    for (const { partition, sort } of change.drop ?? []) {
      statements.dropEntry.run(partition, `${sort} ${key}`);
    }
    if ('isDeletion' in change) return true;
    for (const { partition, sort } of change.add ?? []) {
      statements.addEntry.run(partition, `${sort} ${key}`, number);
    }
    return true;
  }

  const apply = db.transaction(
    (commit: Commit, changeTasks: (commit: Commit) => readonly Task[]): Committed => {
      const { audit = [], records = [], trimAudit } = commit;
      // All are tried, so that the answer names each that is newer.
      const failed = records.filter((change) => !write(change));
      if (failed.length > 0) throw new Conflict(failed.map(({ key }) => key));
      const handedOut = changeTasks(commit);
      let auditSeq = 0;
      for (const entry of audit) auditSeq = Number(statements.append.run(entry).lastInsertRowid);
      if (trimAudit !== undefined) statements.trim.run(trimAudit);
      return { kind: 'done', auditSeq, handedOut };
    },
  );

  return {
    apply(commit: Commit, changeTasks: (commit: Commit) => readonly Task[]): Committed {
      assertNamedOnce(commit.records ?? []);
      try {
        return apply.immediate(commit, changeTasks);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        return { kind: 'conflict', newer: error.keys.map((key) => read(statements, key)) };
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
export function assertNamedOnce(changes: readonly RecordChange[]): void {
  const keys = new Set(changes.map(({ key }) => key));
  if (keys.size === changes.length) return;
  const names = changes.map(({ key }) => key).join(', ');
  throw new Error(`A commit names a record twice: ${names}.`);
}
