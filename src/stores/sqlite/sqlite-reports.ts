import type { Database } from 'better-sqlite3';
import type { Report, Reports } from '../../domain/report.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Creates the reports of running calls over one connection. */
export function createSqliteReports(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): Reports {
  const keep = db.prepare<{ id: string; revision: number; text: string; at: number }>(`
    INSERT INTO reports (call_id, text, at)
    SELECT id, @text, @at FROM calls
    WHERE id = @id AND revision = @revision AND status = 'running'
    ON CONFLICT (call_id) DO UPDATE SET text = excluded.text, at = excluded.at`);
  const of = db.prepare<[callId: string], Report>('SELECT text, at FROM reports WHERE call_id = ?');

  return {
    async keep({ id, revision }, { text, at }, wakes) {
      transact.writeBehind(() => {
        if (keep.run({ id, revision, text, at }).changes > 0) writeEffects({ wakes });
      });
    },
    of: async (callId) => transact.read(() => of.get(callId)),
  };
}
