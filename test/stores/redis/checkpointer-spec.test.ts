import { after, before } from 'node:test';
import { createStrictSerializer } from '../../../src/stores/checkpoints/strict-serializer.ts';
import { CompactRedisSaver } from '../../../src/stores/redis/compact-redis-saver.ts';
import { connectRedis } from '../../../src/stores/redis/connection/connect-redis.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { checkpointerSpec, FenceGivingSaver } from '../../support/store/checkpointer-spec.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';

const silent = () => {};
const clock = createManualClock();
const log = { debug: silent, info: silent, warn: silent, error: silent };
let server: RedisServer | undefined;
let savers = 0;

before(async () => {
  server = await startRedis();
});
after(() => server?.stop());

checkpointerSpec(
  'CompactRedisSaver',
  async () => {
    savers += 1;
    const connection = await connectRedis({ url: server?.url ?? '', clock, log });
    const saver = new CompactRedisSaver(connection, `spec${savers}`, createStrictSerializer());
    closers.set(saver, () => connection.close());
    return new FenceGivingSaver(saver, async () => 1);
  },
  async ({ saver }) => {
    await closers.get(saver)?.();
  },
);

const closers = new Map<CompactRedisSaver, () => Promise<void>>();
