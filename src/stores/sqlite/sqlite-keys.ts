import type { Database } from 'better-sqlite3';
import type { ApiKey } from '../../domain/api-key.ts';
import type { Keys } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import type { Transact } from './transact.ts';
import type { WriteEffects } from './write-effects.ts';

interface Row {
  readonly id: string;
  readonly document: string;
}

/** Creates the keys of programs over one connection. */
export function createSqliteKeys(
  db: Database,
  transact: Transact,
  writeEffects: WriteEffects,
): Keys {
  const add = db.prepare<[id: string, revision: number, document: string]>(
    'INSERT INTO keys (id, revision, document) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const get = db.prepare<[id: string], Row>('SELECT id, document FROM keys WHERE id = ?');
  const list = db.prepare<[], Row>('SELECT id, document FROM keys ORDER BY seq');
  const change = db.prepare<[revision: number, document: string, id: string, before: number]>(
    'UPDATE keys SET revision = ?, document = ? WHERE id = ? AND revision = ?',
  );

  return {
    async add(key, effects) {
      return transact.write(() => {
        if (add.run(key.id, key.revision, JSON.stringify(key)).changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
    async get(id) {
      const row = transact.read(() => get.get(id));
      return row && toKey(row);
    },
    list: async () => transact.read(() => list.all()).map(toKey),
    async change(key, effects) {
      const { id, revision } = key;
      return transact.write(() => {
        const { changes } = change.run(revision, JSON.stringify(key), id, revision - 1);
        if (changes === 0) return false;
        writeEffects(effects);
        return true;
      });
    },
  };
}

function toKey({ id, document }: Row): ApiKey {
  return readDocument<ApiKey>(document, { kind: 'key', id });
}
