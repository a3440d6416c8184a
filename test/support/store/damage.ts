/** Damages the stored data of a desk, without the desk, on either store. */
import type { SqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { THREAD } from '../builders/a-call.ts';

/** The key of a record; for a turn, the first message of a test in the default thread. */
const KEYS = {
  call: (id: string) => `call/${id}`,
  message: (id: string) => `message/${id}`,
  say: (id: string) => `say/${id}`,
  turn: (id: string) => `turn-message/${THREAD}|${id}|0`,
} as const;

export interface Damager {
  /** Overwrites the document of a record; resolves with a function that restores it. */
  damage(
    kind: keyof typeof KEYS,
    id: string,
    change: (document: string) => string,
  ): Promise<() => Promise<void>>;
}

/** Damages a SQLite database. */
export function damageSqlite({ saver: { db } }: Pick<SqliteStore, 'saver'>): Damager {
  return {
    async damage(kind, id, change) {
      const key = KEYS[kind](id);
      const read = db.prepare<[string], string>('SELECT document FROM records WHERE key = ?');
      const write = db.prepare('UPDATE records SET document = ? WHERE key = ?');
      const text = read.pluck().get(key) ?? '';
      write.run(change(text), key);
      return async () => void write.run(text, key);
    },
  };
}

/** The part of a Redis client that this needs. */
export interface TextClient {
  get(key: string): Promise<unknown>;
  set(key: string, text: string): Promise<unknown>;
}

/** Damages a Redis under the prefix of the desk. */
export function damageRedis(client: TextClient, prefix: string): Damager {
  return {
    async damage(kind, id, change) {
      const key = `${prefix}:{desk}:r:${KEYS[kind](id)}`;
      const text = String((await client.get(key)) ?? '');
      // The revision is stored before the document.
      const [, revision = '', document = ''] = /^(\d+ )(.*)$/s.exec(text) ?? [];
      await client.set(key, `${revision}${change(document)}`);
      return async () => void (await client.set(key, text));
    },
  };
}
