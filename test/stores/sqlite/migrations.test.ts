import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { childThreadKey } from '../../../src/domain/thread-key.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { MIGRATIONS, migrate } from '../../../src/stores/sqlite/migrations.ts';
import { APPROVER, aCall, THREAD } from '../../support/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { aDraft } from '../../support/store-contract/store-bench.ts';
import { openStore, tempDir } from './open-store.ts';

const STEPS = [
  'CREATE TABLE notes (text TEXT)',
  `ALTER TABLE notes ADD COLUMN size INTEGER; UPDATE notes SET size = length(text)`,
];

function versionOf(db: Database.Database): unknown {
  return db.pragma('user_version', { simple: true });
}

test('an older database is brought to the newest version, its data kept', (t) => {
  const db = new Database(':memory:');
  t.after(() => db.close());
  migrate(db, STEPS.slice(0, 1));
  db.exec(`INSERT INTO notes VALUES ('four')`);
  migrate(db, STEPS);
  migrate(db, STEPS);
  assert.deepEqual(db.prepare('SELECT * FROM notes').all(), [{ text: 'four', size: 4 }]);
  assert.equal(versionOf(db), 2);
});

test('a step that fails leaves the version before it', (t) => {
  const db = new Database(':memory:');
  t.after(() => db.close());
  const broken = [...STEPS, 'CREATE TABLE half (x); INSERT INTO missing VALUES (1)'];
  assert.throws(() => migrate(db, broken), /missing/);
  assert.equal(versionOf(db), 2);
  assert.throws(() => db.exec('SELECT * FROM half'), /no such table/);
});

test('a database of a newer version is refused and left as it is', async (t) => {
  const { store, dataDir } = await openStore(t);
  assert.equal(versionOf(store.saver.db), MIGRATIONS.length);
  await store.close();
  const db = new Database(join(dataDir, 'countersign.db'));
  db.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  db.close();
  const open = () => createSqliteStore({ dataDir, clock: createManualClock() });
  assert.throws(open, /written by a newer Countersign.*Start the newer Countersign/);
  const after = new Database(join(dataDir, 'countersign.db'));
  assert.equal(versionOf(after), MIGRATIONS.length + 1);
  after.close();
});

test('an empty database file becomes one of ours', async (t) => {
  const dataDir = await tempDir(t);
  new Database(join(dataDir, 'countersign.db')).close();
  const { store } = await openStore(t, { dataDir });
  assert.equal(versionOf(store.saver.db), MIGRATIONS.length);
});

test('calls of before the policy are found by their requester and tool, damaged ones passed over', async (t) => {
  const dataDir = await tempDir(t);
  const db = new Database(join(dataDir, 'countersign.db'));
  migrate(db, MIGRATIONS.slice(0, 3));
  const insert = db.prepare(`
    INSERT INTO calls (id, thread, turn, message_id, tool_call_id, position, created_at, status,
      revision, delivered, document) VALUES (?, 't', 't', 'm', ?, 0, 5000, 'pending', 2, 0, ?)`);
  const old = aCall({ createdAt: 5_000, votes: [{ by: APPROVER, at: 6_000 }] });
  insert.run(old.id, old.id, JSON.stringify(old));
  insert.run('damaged', 'damaged', '{"requester');
  db.close();
  const { store } = await openStore(t, { dataDir });
  assert.deepEqual(await store.ledger.ofRequester(old.requester, old.tool, 5_000), [old]);
  const mine = [`user:${old.requester.user}`] as const;
  assert.deepEqual(await store.ledger.askingAny('T1', mine, { limit: 5 }), [old]);
  assert.deepEqual(await store.ledger.madeBy(old.requester, { isOver: false, limit: 5 }), [old]);
  assert.deepEqual(await store.ledger.decidedBy(APPROVER, { since: 6_000, limit: 5 }), [old]);
});

test('what was before the records were tidied is counted, and threads are found untouched by what happened in them last', async (t) => {
  const dataDir = await tempDir(t);
  const db = new Database(join(dataDir, 'countersign.db'));
  migrate(db, MIGRATIONS.slice(0, 4));
  const old = aCall({
    createdAt: 2_000,
    updatedAt: 9_000,
    thread: childThreadKey(THREAD, 'call_p'),
  });
  db.prepare(`
    INSERT INTO calls (id, thread, turn, message_id, tool_call_id, position, created_at, status,
      revision, delivered, document, requester)
    VALUES (?, ?, 't', 'm', 'c', 0, 2000, 'succeeded', 1, 0, ?, 'T1/U1')`).run(
    old.id,
    old.thread,
    JSON.stringify({ ...old, status: 'succeeded' }),
  );
  db.prepare(
    `INSERT INTO turns (thread, id, settled_at, messages) VALUES (?, 'one', 5000, '[]')`,
  ).run(THREAD);
  db.prepare(
    `INSERT INTO inbox VALUES ('m', 'T1/C2/3.0', '3.0', 'answered', '{"receivedAt":7000}')`,
  ).run();
  db.prepare(`INSERT INTO inbox VALUES ('d', 'T1/C3/3.0', '3.0', 'answered', '{"recei')`).run();
  db.exec(`INSERT INTO audit VALUES (1, 1, 'e', 's', 'a', '{}', 'p', 'h')`);
  db.close();
  const { store } = await openStore(t, { dataDir });
  assert.deepEqual(await store.history.untouched(99_000, { skip: 0, limit: 9 }), [
    { thread: 'T1/C2/3.0', touchedAt: 7_000, turns: 0, calls: 0 },
    { thread: THREAD, touchedAt: 9_000, turns: 1, calls: 1 },
  ]);
  assert.equal(await store.audit.newest(), 1);
  await store.audit.append([aDraft('next')]);
  assert.equal(await store.audit.newest(), 2);
});
