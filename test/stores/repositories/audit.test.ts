/** The audit over records: what its marks and its chain reveal about somebody who can write the store without the key. */
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { AuditFault } from '../../../src/domain/audit/audit-check.ts';
import { createAuditSeal } from '../../../src/domain/calls/seal.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import type { AuditRow, Commit, Records } from '../../../src/stores/records.ts';
import {
  connectRedis,
  type RedisConnection,
} from '../../../src/stores/redis/connection/connect-redis.ts';
import { openRedisRecords } from '../../../src/stores/redis/redis-records.ts';
import { createSealedAudit, markAudit } from '../../../src/stores/repositories/audit.ts';
import { createGroupCommit } from '../../../src/stores/sqlite/group-commit.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/sqlite/sqlite-records.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { SILENT } from '../redis/open-store.ts';

const seal = createAuditSeal(new Uint8Array(32).fill(1));
const gist = (fault: AuditFault | undefined) => fault && [fault.kind, fault.seq];
const entry = (n: number) =>
  canonicalJson({ at: n, event: 'call.approve', subject: `c${n}`, actor: 'T1/U1', detail: { n } });
let commits = 0;

function contract(name: string, open: () => Promise<Records>): void {
  describe(`the audit of ${name}`, () => {
    async function audited(count: number) {
      const bare = await open();
      let show = (rows: readonly AuditRow[]) => rows;
      const records = markAudit(
        { ...bare, audit: async (from, limit) => show(await bare.audit(from, limit)) },
        async () => seal,
      );
      const append = async (more: Partial<Commit>) => {
        commits += 1;
        await records.commit({ id: `audit-${commits}`, durable: 'now', ...more });
      };
      for (let n = 1; n <= count; n += 1) await append({ audit: [entry(n)] });
      const audit = createSealedAudit(records, async () => seal);
      return {
        audit,
        append,
        bare,
        /** Replaces the rows that the store returns from now on. */
        tamper(change: (rows: readonly AuditRow[]) => readonly AuditRow[]) {
          show = change;
        },
      };
    }
    const other = (seq: number, text: string) => (rows: readonly AuditRow[]) =>
      rows.map((row) => (row.seq === seq ? { seq, entry: text } : row));

    it('has the appended entries, numbered, with the revision of their subject', async () => {
      const { append, audit } = await audited(2);
      await append({
        audit: [entry(3)],
        records: [{ key: 'call/c3', replaces: 0, document: '{}' }],
      });
      const found = await audit.read(1, 10);
      assert.deepEqual(
        found.map(({ revision, seq, subject }) => [seq, subject, revision]),
        [
          [1, 'c1', undefined],
          [2, 'c2', undefined],
          [3, 'c3', 1],
        ],
      );
    });

    it('seals nothing that was not made with the key', async () => {
      const { append, audit, bare } = await audited(2);
      const forged = JSON.stringify({ entry: entry(3), mark: 'f'.repeat(64) });
      await bare.commit({ id: 'forger', durable: 'now', audit: [forged] });
      await append({ audit: [entry(4)] });
      assert.deepEqual(gist(await audit.seal(7)), ['changed', 3]);
      const findings = await audit.check();
      assert.equal(findings.sealedThrough, 2);
      assert.deepEqual(gist(findings.fault), ['changed', 3]);
      assert.deepEqual(
        (await audit.read(1, 9)).map(({ seq }) => seq),
        [1, 2, 4],
      );
    });

    it('reveals a rewritten entry, sealed or not', async () => {
      for (const isSealed of [false, true]) {
        const { audit, bare, tamper } = await audited(3);
        if (isSealed) await audit.seal(7);
        const [row] = await bare.audit(2, 1);
        tamper(other(2, (row?.entry ?? '').replace('approve', 'ignored')));
        assert.deepEqual(gist((await audit.check()).fault), ['changed', 2]);
      }
    });

    it('reveals a genuine entry moved to the place of another sealed one', async () => {
      const { audit, bare, tamper } = await audited(3);
      await audit.seal(7);
      const [first] = await bare.audit(1, 1);
      tamper(other(2, first?.entry ?? ''));
      assert.deepEqual(gist((await audit.check()).fault), ['unlike-its-seal', 3]);
    });

    it('reveals entries missing from the middle and from the end', async () => {
      for (const gone of [2, 4]) {
        const { audit, tamper } = await audited(4);
        await audit.seal(7);
        tamper((rows) => rows.filter(({ seq }) => seq !== gone));
        assert.deepEqual(gist((await audit.check()).fault), [gone === 4 ? 'cut' : 'missing', gone]);
      }
    });

    it('rejects a chain made without the key', async () => {
      const { audit, bare } = await audited(2);
      await audit.seal(7);
      const [stored] = await bare.get(['audit/chain']);
      const { document = '', revision = 0 } = stored ?? {};
      await bare.commit({
        id: 'chain-forger',
        durable: 'now',
        records: [
          {
            key: 'audit/chain',
            replaces: revision,
            document: document.replace('"seq":2', '"seq":1'),
          },
        ],
      });
      assert.deepEqual(gist((await audit.check()).fault), ['forged-seal', 0]);
      assert.deepEqual(gist(await audit.seal(7)), ['forged-seal', 0]);
      assert.equal(await audit.removeOlder(100, 7), 0);
    });
  });
}

const closers: (() => Promise<void>)[] = [];

contract('records on SQLite', async () => {
  const { path, remove } = await makeTempDir();
  const file = join(path, 'records.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(RECORDS_SCHEMA);
  const log = openSync(`${file}-wal`, 'r+');
  const records = openSqliteRecords({ db, file, group: createGroupCommit(log, file) }, 1_000);
  closers.push(async () => {
    await records.close();
    closeSync(log);
    db.close();
    await remove();
  });
  return records;
});

let server: RedisServer;
let connection: RedisConnection;
let stores = 0;

before(async () => {
  server = await startRedis();
  connection = await connectRedis({ url: server.url, clock: createManualClock(), log: SILENT });
});
after(async () => {
  for (const close of closers) await close();
  await connection.close();
  await server.stop();
});

contract('records on Redis', async () => {
  stores += 1;
  const listen = connection.listen.bind(connection);
  return openRedisRecords({ link: connection.link, listen, prefix: `audit${stores}:{desk}` });
});
