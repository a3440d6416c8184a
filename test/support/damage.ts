/** Damages what a desk has stored, behind its back, on either store. */
import type { SqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { THREAD } from './a-call.ts';

/** Where a kind of record lies: a table of SQLite, a hash of Redis. */
const PLACES = {
  call: { table: 'calls', where: 'id = ?', hash: 'calls' },
  message: { table: 'inbox', where: 'id = ?', hash: 'messages' },
  say: { table: 'outbox', where: 'id = ?', hash: 'says' },
  /** The first message of a turn of the tests' thread. */
  turn: {
    table: 'turn_records',
    where: 'turn = ? AND position = 0',
    hash: `turn-records:${THREAD}`,
  },
} as const;

export interface Damager {
  /** Writes over a record's document; resolves with what puts it back. */
  damage(
    kind: keyof typeof PLACES,
    id: string,
    change: (document: string) => string,
  ): Promise<() => Promise<void>>;
}

/** Damages a database of SQLite. */
export function damageSqlite({ saver: { db } }: Pick<SqliteStore, 'saver'>): Damager {
  return {
    async damage(kind, id, change) {
      const { table, where } = PLACES[kind];
      const read = db.prepare<[string], { text: string }>(
        `SELECT document AS text FROM ${table} WHERE ${where}`,
      );
      const write = db.prepare(`UPDATE ${table} SET document = ? WHERE ${where}`);
      const { text = '' } = read.get(id) ?? {};
      write.run(change(text), id);
      return async () => void write.run(text, id);
    },
  };
}

/** As much of a client of Redis as that takes. */
export interface HashClient {
  hGet(key: string, field: string): Promise<unknown>;
  hSet(key: string, field: string, text: string): Promise<unknown>;
}

/** Damages a Redis under the desk's prefix. */
export function damageRedis(client: HashClient, prefix: string): Damager {
  return {
    async damage(kind, id, change) {
      const key = `${prefix}:{desk}:${PLACES[kind].hash}`;
      const field = kind === 'turn' ? JSON.stringify([id, 0]) : id;
      const text = String((await client.hGet(key, field)) ?? '');
      await client.hSet(key, field, change(text));
      return async () => void (await client.hSet(key, field, text));
    },
  };
}
