import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { Clock } from '../../../src/domain/clock.ts';
import type { Store } from '../../../src/domain/store.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { startRedis } from '../../support/redis-server.ts';

/** Where a world's data is. */
export interface LabBackend {
  readonly name: 'sqlite' | 'redis';
  /** Opens an empty store. */
  open(clock: Clock): Promise<OpenData>;
}

export interface OpenData {
  readonly store: Store;
  /** What a restarted process finds. */
  reopen(): Promise<Store>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
}

/** A disk in memory where there is one: commits are the same, waiting for the disk is not what is tested. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Real SQLite files, one per world. */
export const sqliteBackend: LabBackend = {
  name: 'sqlite',
  async open(clock) {
    const dataDir = await mkdtemp(join(FOLDER, 'countersign-model-'));
    let store = createSqliteStore({ dataDir, clock });
    return {
      store,
      async reopen() {
        await store.close();
        store = createSqliteStore({ dataDir, clock });
        return store;
      },
      async close() {
        await store.close();
        await rm(dataDir, { recursive: true });
      },
    };
  },
};

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** One real redis-server for worlds one after the other, each of which finds it empty. */
export async function startRedisBackend(): Promise<{
  readonly backend: LabBackend;
  stop(): Promise<void>;
}> {
  const server = await startRedis();
  const path = server.url.slice('unix://'.length);
  const broom = createClient({ socket: { path } });
  await broom.connect();
  // The store is one for all worlds, and asks the time of the world that is open.
  let time: Clock | undefined;
  const clock: Clock = {
    now: () => time?.now() ?? 0,
    schedule: (at, run) => time?.schedule(at, run) ?? silent,
  };
  const store = await createRedisStore({ url: server.url, prefix: 'model', clock, log: SILENT });
  return {
    backend: {
      name: 'redis',
      async open(itsClock) {
        time = itsClock;
        await broom.flushDb();
        return { store, reopen: async () => store, close: async () => {} };
      },
    },
    async stop() {
      await store.close();
      await broom.disconnect();
      await server.stop();
    },
  };
}
