import type { Database } from 'better-sqlite3';
import type { AuditRow, FoundRecord, StoredRecord } from './records.ts';

export type RecordStatements = ReturnType<typeof prepareRecords>;

/** Prepares what records, their index and the audit are read and written with. */
export function prepareRecords(db: Database) {
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

export function readRecord({ one }: RecordStatements, key: string): StoredRecord {
  return one.get(key) ?? { key, revision: 0, document: '' };
}
