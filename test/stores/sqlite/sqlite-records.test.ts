import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../../src/domain/ports/store.ts';
import type { Commit, Fence, Records } from '../../../src/stores/records.ts';
import { createGroupCommit } from '../../../src/stores/sqlite/group-commit.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/sqlite/sqlite-records.ts';
import { randomCases } from '../../support/sample.ts';
import { watchSyncs } from '../../support/store/watch-syncs.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { recordsContract } from '../backend-contract/records-contract.ts';

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
      try {
        await records.close();
      } finally {
        closeSync(log);
        db.close();
        await remove();
      }
    },
  };
}

recordsContract('SQLite', openFile, randomCases(300));

test('a commit that fails on the disk leaves its holder every unit', async (t) => {
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

/** Opens a file with some records on the disk, and two held units with a leased task. */
async function openStocked() {
  const { close, records } = await openFile();
  await records.commit({
    id: 'stock',
    durable: 'now',
    records: [
      { key: 'changed', replaces: 0, document: '1', add: [{ partition: 'p', sort: '1' }] },
      { key: 'removed', replaces: 0, document: '1', add: [{ partition: 'q', sort: '1' }] },
      { key: 'other', replaces: 0, document: '1', add: [{ partition: 'o', sort: '1' }] },
    ],
    tasks: [
      { unit: 'held', id: 'do', askedFor: 1 },
      { unit: 'failing', id: 'do', askedFor: 2 },
    ],
  });
  const { holds } = await records.lease(2_000, 1_000, { most: 2 });
  const [held, failing] = holds;
  assert.ok(held && failing);
  return { records, holds: { held, failing }, close };
}

/** The commit that somebody waits for in these tests. */
const PROMISE: Commit = {
  id: 'promise',
  durable: 'now',
  records: [
    { key: 'new', replaces: 0, document: '1', add: [{ partition: 'n', sort: '1' }] },
    { key: 'changed', replaces: 1, document: '2' },
    { key: 'removed', replaces: 1, isDeletion: true, drop: [{ partition: 'q', sort: '1' }] },
  ],
  tasks: [
    { unit: 'free', id: 'do', askedFor: 1 },
    { unit: 'held', id: 'do', askedFor: 1 },
    { unit: 'held', id: 'more', askedFor: 1 },
    { unit: 'failing', id: 'do', putOffTo: 1, isFailure: true },
  ],
  audit: ['made'],
};

type Look = (
  records: Records,
  holds: { readonly held: Fence; readonly failing: Fence },
) => Promise<unknown>;

/** A commit that returns finished tasks again if they were requested meanwhile. */
const finish: Look = (records, { held: { token, unit } }) =>
  records.commit({
    id: 'finish',
    durable: 'later',
    held: { now: 2_000, units: [{ unit, token, done: ['do'] }] },
  });

/** Every read that reveals the promised commit. */
const LOOKS: Readonly<Record<string, Look>> = {
  'get, of what is new': (records) => records.get(['new']),
  'get, of what is gone': (records) => records.get(['other', 'removed']),
  'range, of what is new': (records) => records.range({ partition: 'n', limit: 1 }),
  'range, of what is gone': (records) => records.range({ partition: 'q', limit: 1 }),
  'range, of what has changed': (records) => records.range({ partition: 'p', limit: 1 }),
  count: (records) => records.count(['o', 'q']),
  'lease, of any': (records) => records.lease(2_000, 1_000, { most: 1 }),
  'lease, by name': (records) => records.lease(2_000, 1_000, { unit: 'free' }),
  renew: (records, { held }) => records.renew([held], 2_000, 1_000),
  stateOf: (records) => records.stateOf([{ unit: 'free', id: 'do' }]),
  audit: (records) => records.audit(1, 1),
  newestAudit: (records) => records.newestAudit(),
  whenDurable: (records) => records.whenDurable(['n']),
  'a commit that comes too late': (records) =>
    records.commit({ id: 'late', durable: 'later', records: [{ key: 'new', expects: 0 }] }),
  'a commit that hands something out': finish,
};

/** Reads that do not reveal it. */
const LOOKS_ELSEWHERE: Readonly<Record<string, Look>> = {
  get: (records) => records.get(['other', 'none']),
  range: (records) => records.range({ partition: 'o', limit: 1 }),
  count: (records) => records.count(['o', 'none']),
  lease: (records) => records.lease(2_000, 1_000, { unit: 'empty' }),
  'renew, of what is only put off': async (records, { failing }) => {
    const [hold] = await records.renew([failing], 2_000, 1_000);
    assert.equal(hold?.tasks.length, 1);
  },
  stateOf: (records) => records.stateOf([{ unit: 'empty', id: 'do' }]),
  whenDurable: (records) => records.whenDurable(['o', 'other']),
  'a commit that comes too late': (records) =>
    records.commit({ id: 'late', durable: 'later', records: [{ key: 'other', expects: 9 }] }),
  'a commit that was not promised': async (records) => {
    const change = { key: 'found out again', replaces: 0, document: '1' };
    await records.commit({ id: 'later', durable: 'later', records: [change] });
    await records.get([change.key]);
  },
};

for (const [looks, expected] of [
  [LOOKS, ['promised', 'told']],
  [LOOKS_ELSEWHERE, ['told', 'promised']],
] as const) {
  for (const [name, look] of Object.entries(looks)) {
    const when = looks === LOOKS ? 'once it is on the disk' : 'at once, as it tells nothing of it';
    test(`${name}: answers beside a promised commit ${when}`, async (t) => {
      const { close, holds, records } = await openStocked();
      t.after(close);
      const syncs = watchSyncs(t);
      const order: string[] = [];
      await Promise.all([
        records.commit(PROMISE).then(() => order.push('promised')),
        look(records, holds).then(() => order.push('told')),
      ]);
      assert.deepEqual(order, expected);
      assert.equal(syncs.count(), 1, 'it makes no sync of its own');
    });
  }
}

test('after a failed sync every promise and every read is refused', async (t) => {
  const { close, holds, records } = await openStocked();
  t.after(() => assert.rejects(close(), StoreUnavailableError));
  const syncs = watchSyncs(t, () => {
    throw new Error('EIO: i/o error, fdatasync');
  });
  await assert.rejects(records.commit(PROMISE), StoreUnavailableError);
  syncs.stop();
  // Slack repeats unacknowledged requests: a read that shows the record would be an acknowledgement.
  for (const look of [...Object.values(LOOKS), ...Object.values(LOOKS_ELSEWHERE)])
    await assert.rejects(look(records, holds), StoreUnavailableError);
  await assert.rejects(records.commit({ ...PROMISE, id: 'again' }), StoreUnavailableError);
});
