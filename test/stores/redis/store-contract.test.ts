import { after, before } from 'node:test';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { storeContract } from '../../support/store/store-contract.ts';

const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };
let server: RedisServer | undefined;
let stores = 0;

before(async () => {
  server = await startRedis();
});
after(() => server?.stop());

storeContract('Redis', async (clock) => {
  stores += 1;
  const prefix = `test${stores}`;
  const open = () => createRedisStore({ url: server?.url ?? '', prefix, clock, log });
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    cleanup: () => store.close(),
  };
});
