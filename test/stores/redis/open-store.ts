import type { TestContext } from 'node:test';
import { createRedisStore, type RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const silent = () => {};

/** A log that discards everything. */
export const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

interface Opened {
  readonly store: RedisStore;
  readonly clock: ManualClock;
  readonly prefix: string;
}

/** A server, or a cluster if requested, for a test file, and stores on it that are closed with their test, each empty unless it shares a prefix. */
export function openerOf<Server extends { readonly url: string; stop(): Promise<void> }>(
  launch: () => Promise<Server>,
) {
  let server: Server | undefined;
  let stores = 0;
  return {
    async start() {
      server = await launch();
    },
    async stop() {
      await server?.stop();
    },
    server(): Server {
      if (!server) throw new Error('The server is started before the tests.');
      return server;
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
