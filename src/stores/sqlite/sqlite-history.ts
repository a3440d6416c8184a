import type { Database } from 'better-sqlite3';
import type { OnDamaged, RecordName } from '../../domain/damage.ts';
import type { Rating, SettledTurn } from '../../domain/message.ts';
import type { History } from '../../domain/store.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { checkRecord, readDocument, readIntact } from '../read-record.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import { createSqliteOldCalls } from './sqlite-old-calls.ts';
import { createDropRecords } from './sqlite-records.ts';
import { createSqliteUntouched, createTouch } from './sqlite-untouched.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

interface Row {
  readonly id: string;
  readonly settledAt: number;
  readonly messages: string;
  readonly facts: string;
}

/** Creates the history over one connection. */
export function createSqliteHistory(
  db: Database,
  transact: Transact,
  agenda: AgendaRows,
  writeEffects: WriteEffects,
  onDamaged: OnDamaged,
): History {
  const insert = db.prepare(`
    INSERT INTO turns (thread, id, settled_at, messages, facts)
    VALUES (@thread, @id, @settledAt, @messages, @facts) ON CONFLICT (thread, id) DO NOTHING`);
  const newest = db.prepare<[thread: string, limit: number, skip: number], Row>(`
    SELECT id, settled_at AS settledAt, messages, facts FROM turns
    WHERE thread = ? ORDER BY seq DESC LIMIT ? OFFSET ?`);
  const has = db.prepare<[thread: string, id: string]>(
    'SELECT 1 FROM turns WHERE thread = ? AND id = ?',
  );

  const touch = createTouch(db);
  const dropRecords = createDropRecords(db);
  const rate = db.prepare(`
    INSERT INTO ratings (thread, turn, rater, document) VALUES (@thread, @turn, @rater, @document)
    ON CONFLICT (thread, turn, rater) DO UPDATE SET document = excluded.document`);
  const ratings = db.prepare<[thread: string, turn: string], { document: string }>(
    'SELECT document FROM ratings WHERE thread = ? AND turn = ? ORDER BY seq',
  );
  const clear = db.prepare(`
    DELETE FROM turns WHERE thread = @thread OR (thread > @thread || '/' AND thread < @thread || '0')`);
  const clearRatings = db.prepare(`
    DELETE FROM ratings WHERE thread = @thread OR (thread > @thread || '/' AND thread < @thread || '0')`);

  return {
    ...createSqliteUntouched(db, transact, writeEffects),
    ...createSqliteOldCalls(db, transact, writeEffects, onDamaged),
    async append(thread, turn, effects, fence) {
      assertOwnThread(thread, fence);
      transact.write(() => {
        agenda.assertFence(fence);
        const { id, settledAt, messages, ...facts } = turn;
        const texts = { messages: JSON.stringify(messages), facts: JSON.stringify(facts) };
        touch(thread, settledAt);
        if (insert.run({ thread, id, settledAt, ...texts }).changes === 0) return;
        dropRecords(thread);
        writeEffects(effects);
      });
    },
    async newest(thread, limit, skip) {
      const rows = transact.read(() => newest.all(thread, Math.max(0, limit), skip));
      return readIntact(
        rows,
        (row) => toTurn(row, { kind: 'history', id: thread, thread }),
        onDamaged,
      );
    },
    async has(thread, turnId) {
      return transact.read(() => has.get(thread, turnId) !== undefined);
    },
    async rate(thread, turn, rating, effects) {
      const rater = `${rating.by.team}/${rating.by.user}`;
      return transact.write(() => {
        if (has.get(thread, turn) === undefined) return false;
        rate.run({ thread, turn, rater, document: JSON.stringify(rating) });
        writeEffects(effects);
        return true;
      });
    },
    async ratings(thread, turnId) {
      const rows = transact.read(() => ratings.all(thread, turnId));
      const record = { kind: 'history', id: thread, thread } as const;
      return readIntact(rows, (row) => readDocument<Rating>(row.document, record), onDamaged);
    },
    async clear(thread, effects) {
      return transact.write(() => {
        clearRatings.run({ thread });
        const { changes } = clear.run({ thread });
        writeEffects(effects);
        return changes;
      });
    },
  };
}

function toTurn({ id, settledAt, messages, facts }: Row, record: RecordName): SettledTurn {
  const turn = {
    ...readDocument<Pick<SettledTurn, 'failure' | 'usage'>>(facts, record),
    id,
    settledAt,
    messages: readDocument<SettledTurn['messages']>(messages, record),
  };
  return checkRecord('turn', turn, record);
}
