/** The promises of the ports, kept by the repositories over each backend of the records; the audit is still the older stores'. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import Database from 'better-sqlite3';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import type { Store } from '../../../src/domain/store.ts';
import { createGroupCommit } from '../../../src/stores/records/group-commit.ts';
import type { Records } from '../../../src/stores/records/records.ts';
import { openRedisRecords } from '../../../src/stores/records/redis-records.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/records/sqlite-records.ts';
import { connectRedis, type RedisConnection } from '../../../src/stores/redis/connect-redis.ts';
import { createAgenda } from '../../../src/stores/repositories/agenda.ts';
import { createBulletins } from '../../../src/stores/repositories/bulletins.ts';
import { createCalls } from '../../../src/stores/repositories/calls.ts';
import { createMessages } from '../../../src/stores/repositories/messages.ts';
import { createOutbox } from '../../../src/stores/repositories/outbox.ts';
import { createReports } from '../../../src/stores/repositories/reports.ts';
import {
  createDrafts,
  createKeys,
  createPause,
  createPins,
  createRoutes,
} from '../../../src/stores/repositories/settings.ts';
import { createTurnMessages } from '../../../src/stores/repositories/turn-messages.ts';
import { createTurns } from '../../../src/stores/repositories/turns.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { repositoriesContract } from '../../support/store-contract.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { SILENT } from '../redis/open-store.ts';

const fail = async (): Promise<never> => {
  throw new Error('The audit of the records is read by its entries alone.');
};

/** All ports over records. */
function storeOver(records: Records, clock: ManualClock, close: () => Promise<void>): Store {
  const ignore = () => {};
  return {
    ledger: createCalls(records, ignore),
    inbox: createMessages(records, ignore),
    records: createTurnMessages(records),
    history: createTurns(records, ignore),
    outbox: createOutbox(records, ignore),
    agenda: createAgenda(records),
    pause: createPause(records),
    routes: createRoutes(records),
    pins: createPins(records),
    drafts: createDrafts(records, clock),
    keys: createKeys(records),
    bulletins: createBulletins(records),
    reports: createReports(records),
    audit: {
      append: fail,
      newest: () => records.newestAudit(),
      removeThrough: fail,
      removal: fail,
      async read(from, limit) {
        const rows = await records.audit(from, limit);
        return rows.map(({ entry, seq }) => ({ ...(JSON.parse(entry) as AuditEntry), seq }));
      },
    },
    check: async () => {},
    close,
  };
}

function openFile(path: string, clock: ManualClock): Store {
  const file = join(path, 'records.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  if (!db.prepare('SELECT 1 FROM sqlite_schema').get()) db.exec(RECORDS_SCHEMA);
  const log = openSync(`${file}-wal`, 'a+');
  const group = createGroupCommit(log, file);
  const records = openSqliteRecords({ db, file, group }, clock.now());
  return storeOver(records, clock, async () => {
    await records.close();
    closeSync(log);
    db.close();
  });
}

repositoriesContract('records on SQLite', async (clock) => {
  const { path, remove } = await makeTempDir();
  let store = openFile(path, clock);
  return {
    store,
    async reopen() {
      await store.close();
      store = openFile(path, clock);
      return store;
    },
    async cleanup() {
      await store.close();
      await remove();
    },
  };
});

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

repositoriesContract('records on Redis', async (clock) => {
  stores += 1;
  const prefix = `test${stores}:{desk}`;
  const open = () => {
    const listen = connection.listen.bind(connection);
    const records = openRedisRecords({ link: connection.link, listen, prefix });
    return storeOver(records, clock, () => records.close());
  };
  return { store: open(), reopen: async () => open(), cleanup: async () => {} };
});
