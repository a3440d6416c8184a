import { after, before } from 'node:test';
import { openRedisRecords } from '../../../src/stores/records/redis-records.ts';
import { connectRedis, type RedisConnection } from '../../../src/stores/redis/connect-redis.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { SILENT } from '../redis/open-store.ts';
import { recordsContract } from './records-contract.ts';

let server: RedisServer;
let connection: RedisConnection;
let stores = 0;

before(async () => {
  server = await startRedis();
  connection = await connectRedis({ url: server.url, clock: createManualClock(), log: SILENT });
});
after(async () => {
  await connection.close();
  await server.stop();
});

recordsContract(
  'Redis',
  async () => {
    stores += 1;
    const { link } = connection;
    const prefix = `test${stores}:{desk}`;
    const listen = connection.listen.bind(connection);
    const records = openRedisRecords({ link, listen, prefix });
    return { records, close: () => records.close() };
  },
  300,
);
