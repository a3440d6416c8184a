import type { TestContext } from 'node:test';
import type { OnDamaged } from '../../../src/domain/audit/damaged-record.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import { createRedisStore, type RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

export type StoreKind = 'SQLite' | 'Redis';

type OpenStore = (deps: {
  readonly clock: Clock;
  readonly onWake: () => void;
  readonly onDamaged?: OnDamaged;
}) => Promise<RedisStore>;

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** Returns how a desk opens its store on a Redis that ends with the test; nothing for SQLite, where the desk opens its own. */
export async function storeOf(
  t: TestContext,
  kind: StoreKind,
): Promise<{ readonly openStore?: OpenStore; readonly redis?: RedisServer; stop(): void }> {
  if (kind === 'SQLite') return { stop: silent };
  const redis = await startRedis();
  return {
    redis,
    openStore: ({ clock, onWake, onDamaged }) =>
      createRedisStore({
        url: redis.url,
        prefix: 'desk',
        log: SILENT,
        // Without the poll of every second: days pass in these tests.
        clock: { now: clock.now, schedule: () => () => {} },
        onWake,
        ...(onDamaged && { onDamaged }),
      }),
    // Called once the desk is built: its store is closed first.
    stop: () => t.after(() => redis.stop()),
  };
}
