import type { Database } from 'better-sqlite3';
import type { History, UntouchedThread } from '../../domain/store.ts';
import { rootOf, type ThreadKey } from '../../domain/thread-key.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Notes when something happened in a thread, within a transaction of another port. */
export type Touch = (thread: ThreadKey, at: number) => void;

/** Creates the note of when threads were touched. */
export function createTouch(db: Database): Touch {
  const touch = db.prepare<[thread: string, at: number]>(`
    INSERT INTO touches (thread, at) VALUES (?, ?)
    ON CONFLICT (thread) DO UPDATE SET at = excluded.at WHERE excluded.at > at`);
  return (thread, at) => {
    touch.run(rootOf(thread), at);
  };
}

/** A thread of people and its child threads. */
const FAMILY = `(thread = @thread OR (thread > @thread || '/' AND thread < @thread || '0'))`;

/** Creates what looks for untouched threads, and removes what is kept of them, over one connection. */
export function createSqliteUntouched(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): Pick<History, 'untouched' | 'remove'> {
  const untouched = db.prepare<[before: number, limit: number, skip: number], UntouchedThread>(`
    SELECT old.thread, old.at AS touchedAt,
      (SELECT count(*) FROM turns WHERE ${FAMILY.replaceAll('@thread', 'old.thread')}) AS turns,
      (SELECT count(*) FROM calls WHERE ${FAMILY.replaceAll('@thread', 'old.thread')}) AS calls
    FROM touches AS old WHERE old.at < ? ORDER BY old.at, old.thread LIMIT ? OFFSET ?`);
  const isUntouched = db.prepare<UntouchedThread>(
    'SELECT 1 FROM touches WHERE thread = @thread AND at = @touchedAt',
  );
  const openCall = db.prepare<{ thread: string }>(`
    SELECT 1 FROM calls WHERE ${FAMILY}
      AND status IN ('proposed', 'pending', 'approved', 'running', 'unknown') LIMIT 1`);
  const openMessage = db.prepare<{ thread: string }>(`
    SELECT 1 FROM inbox WHERE ${FAMILY} AND state IN ('waiting', 'current') LIMIT 1`);
  const removals = [
    `DELETE FROM cards WHERE call_id IN (SELECT id FROM calls WHERE ${FAMILY})`,
    `DELETE FROM sides WHERE call_id IN (SELECT id FROM calls WHERE ${FAMILY})`,
    `DELETE FROM decided WHERE call_id IN (SELECT id FROM calls WHERE ${FAMILY})`,
    `DELETE FROM calls WHERE ${FAMILY}`,
    `DELETE FROM turns WHERE ${FAMILY}`,
    `DELETE FROM ratings WHERE ${FAMILY}`,
    `DELETE FROM turn_records WHERE ${FAMILY}`,
    // Their ids stay: what was received or said once is not taken for something else.
    `UPDATE inbox SET document = '{}' WHERE ${FAMILY}`,
    `UPDATE outbox SET document = NULL WHERE ${FAMILY} AND document IS NOT NULL`,
    `DELETE FROM lives WHERE ${FAMILY}`,
    'DELETE FROM touches WHERE thread = @thread',
  ].map((sql) => db.prepare<{ thread: string }>(sql));

  return {
    async untouched(before, { limit, skip }) {
      return transact.read(() => untouched.all(before, limit, skip));
    },
    async remove({ thread, touchedAt, turns, calls }, effects) {
      return transact.write(() => {
        if (isUntouched.get({ thread, touchedAt, turns, calls }) === undefined) return false;
        if (openCall.get({ thread }) ?? openMessage.get({ thread })) return false;
        for (const removal of removals) removal.run({ thread });
        writeEffects(effects);
        return true;
      });
    },
  };
}
