import type { Database, Statement } from 'better-sqlite3';
import type { AuditRow, FoundRecord, StoredRecord } from '../records.ts';

export type RecordStatements = ReturnType<typeof prepareRecords>;

/** Prepares the statements for records, their index and the audit. */
export function prepareRecords(db: Database) {
  // A prefix never equals a position, which continues with a sort key and the record's key; so `>` is exact.
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
    addEntries: prepareMany(
      db,
      (rows) => `INSERT INTO entries (partition, at, number) VALUES ${rows} ON CONFLICT DO NOTHING`,
      '(?, ?, ?)',
    ),
    dropEntries: prepareMany(
      db,
      (rows) => `DELETE FROM entries WHERE (partition, at) IN (VALUES ${rows})`,
      '(?, ?)',
    ),
    append: prepareMany(db, (rows) => `INSERT INTO audit (entry) VALUES ${rows}`, '(?)'),
    trim: db.prepare<[seq: number]>('DELETE FROM audit WHERE seq <= ?'),
    readAudit: db.prepare<[from: number, limit: number], AuditRow>(
      'SELECT seq, entry FROM audit WHERE seq >= ? ORDER BY seq LIMIT ?',
    ),
    newestAudit: db
      .prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'audit'`)
      .pluck(),
  };
}

/** Rows per statement; one statement is prepared for each number of rows. */
const MAX_ROWS = 32;

/** Prepares a statement for any number of rows; it returns the last inserted row's number. */
function prepareMany(db: Database, sql: (rows: string) => string, row: string) {
  const prepared = new Map<number, Statement<unknown[]>>();
  return (rows: readonly (readonly unknown[])[]): number => {
    let last = 0;
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const some = rows.slice(from, from + MAX_ROWS);
      const known = prepared.get(some.length);
      const statement = known ?? db.prepare(sql(Array(some.length).fill(row).join(', ')));
      if (!known) prepared.set(some.length, statement);
      last = Number(statement.run(...some.flat()).lastInsertRowid);
    }
    return last;
  };
}

export function readRecord({ one }: RecordStatements, key: string): StoredRecord {
  return one.get(key) ?? { key, revision: 0, document: '' };
}
