import type { Database } from 'better-sqlite3';
import type { Pause } from '../../domain/pause.ts';
import type { PauseSwitch } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Creates the switch that halts everything, over one connection. */
export function createSqlitePause(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): PauseSwitch {
  const read = db.prepare<[], { document: string }>(
    `SELECT document FROM switches WHERE name = 'pause'`,
  );
  const set = db.prepare<[document: string]>(
    `INSERT INTO switches (name, document) VALUES ('pause', ?) ON CONFLICT (name) DO NOTHING`,
  );
  const unset = db.prepare(`DELETE FROM switches WHERE name = 'pause'`);

  return {
    async read() {
      const row = transact.read(() => read.get());
      return row && readDocument<Pause>(row.document, { kind: 'pause', id: '' });
    },
    async write(pause, effects) {
      return transact.write(() => {
        const { changes } = pause ? set.run(JSON.stringify(pause)) : unset.run();
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
  };
}
