import { after, before } from 'node:test';
import {
  connectRedis,
  type RedisConnection,
} from '../../../src/stores/redis/connection/connect-redis.ts';
import { openRedisRecords } from '../../../src/stores/redis/redis-records.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { randomCases } from '../../support/sample.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { recordsContract } from '../backend-contract/records-contract.ts';
import { SILENT } from './open-store.ts';

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
  randomCases(300),
);
