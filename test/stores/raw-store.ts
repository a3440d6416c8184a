/** A store of either kind, and direct access to its stored documents. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { createClient } from 'redis';
import { createRedisStore, type RedisStore } from '../../src/stores/redis/create-redis-store.ts';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../src/stores/sqlite/create-sqlite-store.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import type { StoreKind } from '../support/store/open-redis.ts';
import { startRedis } from '../support/store/redis-server.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { SILENT } from './redis/open-store.ts';

export interface RawStore {
  readonly clock: ManualClock;
  /** Opens the store; an earlier open one is closed. */
  open(): Promise<SqliteStore | RedisStore>;
  close(): Promise<void>;
  /** Its location, for a command beside it. */
  readonly place: {
    readonly dataDir: string;
    readonly redis?: { readonly url: string; readonly prefix: string };
  };
  /** The settings that name it. */
  readonly env: Readonly<Record<string, string>>;
  /** All stored documents, by their keys. */
  documents(): Promise<ReadonlyMap<string, string>>;
  /** Overwrites a document without the store. */
  overwrite(key: string, change: (document: string) => string): Promise<void>;
  /** Closes something before the data is removed. */
  beforeEnd(close: () => Promise<void>): void;
}

const PREFIX = 'p';
const RECORDS = `${PREFIX}:{desk}:r:`;

interface Raw {
  all(): Promise<readonly (readonly [key: string, document: string])[]>;
  write(key: string, change: (document: string) => string): Promise<void>;
  close(): Promise<void>;
}

function rawSqlite(dataDir: string): Raw {
  function use<T>(work: (db: Database.Database) => T): T {
    const db = new Database(join(dataDir, 'countersign.db'));
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
  const all = (db: Database.Database) =>
    db.prepare<[], [string, string]>('SELECT key, document FROM records').raw().all();
  return {
    all: async () => use(all),
    async write(key, change) {
      use((db) => {
        const document = new Map(all(db)).get(key) ?? '';
        db.prepare('UPDATE records SET document = ? WHERE key = ?').run(change(document), key);
      });
    },
    close: async () => {},
  };
}

async function rawRedis(url: string): Promise<Raw> {
  const client = createClient({ socket: { path: url.slice('unix://'.length) } });
  await client.connect();
  /** The revision is stored before the document. */
  const read = async (name: string) => {
    const [, revision = '', document = ''] =
      /^(\d+) (.*)$/s.exec((await client.get(name)) ?? '') ?? [];
    return { revision, document };
  };
  return {
    async all() {
      const names = await client.keys(`${RECORDS}*`);
      const pairs = names.map(
        async (name) => [name.slice(RECORDS.length), (await read(name)).document] as const,
      );
      return await Promise.all(pairs);
    },
    async write(key, change) {
      const { document, revision } = await read(`${RECORDS}${key}`);
      await client.set(`${RECORDS}${key}`, `${revision} ${change(document)}`);
    },
    close: () => client.disconnect(),
  };
}

/** Makes a place for a store, removed with the test. */
export async function openRawStore(t: TestContext, kind: StoreKind): Promise<RawStore> {
  const clock = createManualClock();
  const { path: dataDir, remove } = await makeTempDir();
  const redis = kind === 'Redis' ? await startRedis() : undefined;
  const raw = redis ? await rawRedis(redis.url) : rawSqlite(dataDir);
  let store: SqliteStore | RedisStore | undefined;
  const close = async () => {
    await store?.close();
    store = undefined;
  };
  const users: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of users) await end();
    await close();
    await raw.close();
    await redis?.stop();
    await remove();
  });
  return {
    clock,
    close,
    async open() {
      await close();
      store = redis
        ? await createRedisStore({ url: redis.url, prefix: PREFIX, clock, log: SILENT })
        : createSqliteStore({ dataDir, clock });
      return store;
    },
    place: { dataDir, ...(redis && { redis: { url: redis.url, prefix: PREFIX } }) },
    env: redis ? { REDIS_URL: redis.url, REDIS_PREFIX: PREFIX } : { DATA_DIR: dataDir },
    documents: async () => new Map(await raw.all()),
    overwrite: raw.write,
    beforeEnd: (end) => void users.push(end),
  };
}
