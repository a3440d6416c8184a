import type { Database } from 'better-sqlite3';
import type { Pin } from '../../domain/pin.ts';
import type { Pins } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

/** Creates the pins of tools, over one connection. */
export function createSqlitePins(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): Pins {
  const all = db.prepare<[], { document: string }>('SELECT document FROM pins ORDER BY name');
  const add = db.prepare<[name: string, hash: string, document: string]>(
    'INSERT INTO pins (name, hash, document) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const change = db.prepare<[hash: string, document: string, name: string, before: string]>(
    'UPDATE pins SET hash = ?, document = ? WHERE name = ? AND hash = ?',
  );

  return {
    async all() {
      const rows = transact.read(() => all.all());
      return rows.map(({ document }) => readDocument<Pin>(document, { kind: 'pin', id: '' }));
    },
    async write(pin, before, effects) {
      const { hash, name } = pin;
      const document = JSON.stringify(pin);
      return transact.write(() => {
        const { changes } =
          before === undefined
            ? add.run(name, hash, document)
            : change.run(hash, document, name, before);
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
  };
}
