import type { Database } from 'better-sqlite3';
import type { SettledTurn } from '../../domain/message.ts';
import type { History } from '../../domain/store.ts';
import { assertOwnThread } from './assert-own-thread.ts';
import { parseDocument } from './parse-document.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

interface Row {
  readonly id: string;
  readonly settledAt: number;
  readonly messages: string;
}

/** Creates the history over one connection. */
export function createSqliteHistory(
  db: Database,
  transact: Transact,
  agenda: AgendaRows,
  writeEffects: WriteEffects,
): History {
  const insert = db.prepare(`
    INSERT INTO turns (thread, id, settled_at, messages)
    VALUES (@thread, @id, @settledAt, @messages) ON CONFLICT (thread, id) DO NOTHING`);
  const newest = db.prepare<[thread: string, limit: number, skip: number], Row>(`
    SELECT id, settled_at AS settledAt, messages FROM turns
    WHERE thread = ? ORDER BY seq DESC LIMIT ? OFFSET ?`);
  const has = db.prepare<[thread: string, id: string]>(
    'SELECT 1 FROM turns WHERE thread = ? AND id = ?',
  );

  return {
    async append(thread, turn, effects, fence) {
      assertOwnThread(thread, fence);
      transact.write(() => {
        agenda.assertFence(fence);
        const { id, settledAt } = turn;
        const row = { thread, id, settledAt, messages: JSON.stringify(turn.messages) };
        if (insert.run(row).changes > 0) writeEffects(effects);
      });
    },
    async newest(thread, limit, skip) {
      const rows = transact.read(() => newest.all(thread, Math.max(0, limit), skip));
      return rows.map(({ id, settledAt, messages }) => ({
        id,
        settledAt,
        messages: parseDocument<SettledTurn['messages']>(messages, `turn ${id}`),
      }));
    },
    async has(thread, turnId) {
      return transact.read(() => has.get(thread, turnId) !== undefined);
    },
  };
}
