import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { createGroupCommit } from '../../../src/stores/records/group-commit.ts';
import type { Commit } from '../../../src/stores/records/records.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/records/sqlite-records.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
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
