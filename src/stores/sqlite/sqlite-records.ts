import type { Database } from 'better-sqlite3';
import type { ThreadKey } from '../../domain/thread-key.ts';
import type { TurnRecord, TurnRecords } from '../../domain/turn-record.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { readRecord } from '../read-record.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import type { Transact } from './transact.ts';

/** The turn records' statements for use within a transaction of another port. */
export interface RecordRows {
  keep(records: readonly TurnRecord[]): void;
}

/** Creates the statement that other ports keep turn records with. */
export function createRecordRows(db: Database): RecordRows {
  const insert = db.prepare<[thread: string, turn: string, position: number, document: string]>(`
    INSERT INTO turn_records (thread, turn, position, document) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  return {
    keep(records) {
      for (const record of records) {
        insert.run(record.thread, record.turn, record.position, JSON.stringify(record));
      }
    },
  };
}

/** Creates the statement that removes a thread's turn records, for the history. */
export function createDropRecords(db: Database): (thread: ThreadKey) => void {
  const drop = db.prepare<[thread: string]>('DELETE FROM turn_records WHERE thread = ?');
  return (thread) => {
    drop.run(thread);
  };
}

/** Creates the turn records over one connection. */
export function createSqliteRecords(
  db: Database,
  transact: Transact,
  rows: RecordRows,
  agenda: AgendaRows,
): TurnRecords {
  const ofTurn = db.prepare<[thread: string, turn: string], { readonly document: string }>(`
    SELECT document FROM turn_records WHERE thread = ? AND turn = ? ORDER BY position`);
  return {
    async keep(records, fence) {
      for (const { thread } of records) assertOwnThread(thread, fence);
      transact.write(() => {
        agenda.assertFence(fence);
        rows.keep(records);
      });
    },
    async ofTurn(thread, turn) {
      const found = transact.read(() => ofTurn.all(thread, turn));
      const record = { kind: 'turn', id: turn, thread } as const;
      return found.map((row) => readRecord('turnRecord', row.document, record));
    },
  };
}
