import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';

/** Where the data of a world is. */
export interface LabBackend {
  readonly name: 'sqlite' | 'redis';
  /** Opens an empty store. */
  open(clock: Clock): Promise<OpenData>;
}

export interface OpenData {
  readonly store: Store;
  /** Opens the store as a restarted process does. */
  reopen(): Promise<Store>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
}

/** A disk in memory if there is one: commits are the same, and waiting for the disk is not tested. */
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

/** One real redis-server for all worlds, each with its own prefix. */
export async function startRedisBackend(): Promise<{
  readonly backend: LabBackend;
  stop(): Promise<void>;
}> {
  const { stop, url } = await startRedis();
  const broom = createClient({ socket: { path: url.slice('unix://'.length) } });
  await broom.connect();
  let worlds = 0;
  return {
    backend: {
      name: 'redis',
      async open(clock) {
        worlds += 1;
        const prefix = `model${worlds}`;
        const store = await createRedisStore({ url, prefix, clock, log: SILENT });
        return {
          store,
          // Its processes share a connection: their shared state is in the server.
          reopen: async () => store,
          async close() {
            await store.close();
            const keys = await broom.keys(`${prefix}:*`);
            if (keys.length > 0) await broom.unlink(keys);
          },
        };
      },
    },
    async stop() {
      await broom.disconnect();
      await stop();
    },
  };
}
