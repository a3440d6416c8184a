import type { TestContext } from 'node:test';
import { createRedisStore, type RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const silent = () => {};

/** A log that nobody reads. */
export const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

interface Opened {
  readonly store: RedisStore;
  readonly clock: ManualClock;
  readonly prefix: string;
}

/** One server for a file of tests, and stores on it that are closed with their test, each empty unless it shares a prefix. */
export function openerOf(settings: readonly string[] = []) {
  let server: RedisServer | undefined;
  let stores = 0;
  return {
    async start() {
      server = await startRedis(settings);
    },
    async stop() {
      await server?.stop();
    },
    url: () => server?.url ?? '',
    async openStore(
      t: TestContext,
      options: { readonly prefix?: string; readonly onWake?: () => void } = {},
    ): Promise<Opened> {
      stores += 1;
      const prefix = options.prefix ?? `test${stores}`;
      const clock = createManualClock();
      const url = server?.url ?? '';
      const store = await createRedisStore({ url, clock, log: SILENT, ...options, prefix });
      t.after(() => store.close());
      return { store, clock, prefix };
    },
  };
}
