import type { Database } from 'better-sqlite3';
import type { OnDamaged } from '../../domain/damage.ts';
import type { History } from '../../domain/store.ts';
import { readCall, readIntact } from '../read-record.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Of calls whose thread is a channel itself, and that are over. */
const OVER = `is_over = 1 AND substr(thread, -2) = '/0'`;

interface Row {
  readonly id: string;
  readonly delivered: number;
  readonly document: string;
  readonly revision: number;
}

/** Creates what looks for old calls of channels, and removes them, over one connection. */
export function createSqliteOldCalls(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
  onDamaged: OnDamaged,
): Pick<History, 'oldInChannels' | 'removeCalls'> {
  const old = db.prepare<{ before: number; limit: number }, Row>(`
    SELECT id, delivered, document, revision FROM calls
    WHERE ${OVER} AND created_at < @before
      AND CASE WHEN json_valid(document) THEN document ->> '$.updatedAt' END < @before
    ORDER BY created_at, seq LIMIT @limit`);
  const isThere = db.prepare<[id: string]>(`SELECT 1 FROM calls WHERE id = ? AND ${OVER}`);
  const removals = [
    'DELETE FROM cards WHERE call_id = ?',
    'DELETE FROM sides WHERE call_id = ?',
    'DELETE FROM decided WHERE call_id = ?',
    'DELETE FROM calls WHERE id = ?',
  ].map((sql) => db.prepare<[id: string]>(sql));

  return {
    async oldInChannels(before, limit) {
      const rows = transact.read(() => old.all({ before, limit }));
      const read = ({ delivered, ...row }: Row) => readCall({ ...row, delivered: delivered === 1 });
      return readIntact(rows, read, onDamaged);
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
