import type { Database } from 'better-sqlite3';
import type { Call } from '../../domain/call.ts';
import type { History } from '../../domain/store.ts';
import { parseDocument } from './parse-document.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Of calls whose thread is a channel itself, and that are over. */
const OVER = `is_over = 1 AND substr(thread, -2) = '/0'`;

interface Row {
  readonly id: string;
  readonly delivered: number;
  readonly document: string;
}

/** Creates what looks for old calls of channels, and removes them, over one connection. */
export function createSqliteOldCalls(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): Pick<History, 'oldInChannels' | 'removeCalls'> {
  const old = db.prepare<{ before: number; limit: number }, Row>(`
    SELECT id, delivered, document FROM calls
    WHERE ${OVER} AND created_at < @before
      AND CASE WHEN json_valid(document) THEN document ->> '$.updatedAt' END < @before
    ORDER BY created_at, seq LIMIT @limit`);
  const isThere = db.prepare<[id: string]>(`SELECT 1 FROM calls WHERE id = ? AND ${OVER}`);
  const removals = [
    'DELETE FROM cards WHERE call_id = ?',
    'DELETE FROM sides WHERE call_id = ?',
    'DELETE FROM calls WHERE id = ?',
  ].map((sql) => db.prepare<[id: string]>(sql));

  return {
    async oldInChannels(before, limit) {
      const rows = transact.read(() => old.all({ before, limit }));
      return rows.map(({ id, delivered, document }) => ({
        ...parseDocument<Call>(document, `call ${id}`),
        delivered: delivered === 1,
      }));
    },
    async removeCalls(calls, effects) {
      return transact.write(() => {
        if (!calls.every(({ id }) => isThere.get(id) !== undefined)) return false;
        for (const { id } of calls) for (const removal of removals) removal.run(id);
        writeEffects(effects);
        return true;
      });
    },
  };
}
