import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../../src/domain/store.ts';
import { createGroupCommit } from '../../../src/stores/records/group-commit.ts';
import type { Commit, Records } from '../../../src/stores/records/records.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/records/sqlite-records.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { watchSyncs } from '../../support/watch-syncs.ts';
import { recordsContract } from './records-contract.ts';

async function openFile() {
  const { path, remove } = await makeTempDir();
  const file = join(path, 'records.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(RECORDS_SCHEMA);
  const log = openSync(`${file}-wal`, 'r+');
  const group = createGroupCommit(log, file);
  const records = openSqliteRecords({ db, file, group }, 1_000);
  return {
    records,
    db,
    async close() {
      await records.close();
      closeSync(log);
      db.close();
      await remove();
    },
  };
}

recordsContract('SQLite', openFile, 300);

test('a commit that fails on the disk takes no unit from its holder', async (t) => {
  const { close, db, records } = await openFile();
  t.after(close);
  const task = { unit: 'u', id: 'do' };
  await records.commit({ id: 'ask', durable: 'later', tasks: [{ ...task, askedFor: 1 }] });
  const { holds } = await records.lease(2_000, 1_000, { most: 1 });
  const done: Omit<Commit, 'id'> = {
    durable: 'later',
    fences: holds,
    releases: true,
    audit: ['over'],
    tasks: [{ ...task, isDone: true }],
  };
  db.exec('CREATE TEMP TRIGGER full AFTER INSERT ON main.audit BEGIN SELECT RAISE(ABORT, 1); END');
  await assert.rejects(records.commit({ id: 'full', ...done }));
  db.exec('DROP TRIGGER full');
  assert.deepEqual(await records.stateOf([task]), ['handed-out']);
  assert.equal((await records.commit({ id: 'again', ...done })).kind, 'done');
  assert.deepEqual(await records.stateOf([task]), [undefined]);
});

/** Every way to be told what the store holds. */
const LOOKS: Readonly<Record<string, (records: Records) => Promise<unknown>>> = {
  get: (records) => records.get(['a']),
  range: (records) => records.range({ partition: 'p', limit: 1 }),
  count: (records) => records.count(['p']),
  lease: (records) => records.lease(2_000, 1_000, { most: 1 }),
  renew: (records) => records.renew([], 2_000, 1_000),
  stateOf: (records) => records.stateOf([{ unit: 'u', id: 'do' }]),
  audit: (records) => records.audit(1, 1),
  newestAudit: (records) => records.newestAudit(),
  'a commit that comes too late': (records) =>
    records.commit({ id: 'late', durable: 'later', records: [{ key: 'a', expects: 9 }] }),
};

test('nobody is told of a promised commit before it is on the disk', async (t) => {
  const { close, records } = await openFile();
  t.after(close);
  const syncs = watchSyncs(t);
  for (const [name, look] of Object.entries(LOOKS)) {
    const order: string[] = [];
    const commit: Commit = {
      id: name,
      durable: 'now',
      records: [{ key: name, replaces: 0, document: '1' }],
    };
    const before = syncs.count();
    await Promise.all([
      records.commit(commit).then(() => order.push('promised')),
      look(records).then(() => order.push('told')),
    ]);
    assert.deepEqual(order, ['promised', 'told'], name);
    assert.equal(syncs.count() - before, 1, `${name} makes no sync of its own`);
  }
});

test('after a sync has failed nothing is promised any more, and nothing told', async (t) => {
  const { db, records } = await openFile();
  t.after(() => void db.close());
  const syncs = watchSyncs(t, () => {
    throw new Error('EIO: i/o error, fdatasync');
  });
  const commit: Commit = {
    id: 'lost',
    durable: 'now',
    records: [{ key: 'a', replaces: 0, document: '1' }],
  };
  await assert.rejects(records.commit(commit), StoreUnavailableError);
  syncs.stop();
  // Slack repeats what was not acknowledged: that it is known would be an acknowledgement.
  for (const look of Object.values(LOOKS))
    await assert.rejects(look(records), StoreUnavailableError);
  await assert.rejects(records.commit({ ...commit, id: 'again' }), StoreUnavailableError);
});
