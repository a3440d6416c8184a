import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import {
  type AgendaKey,
  advanceTurnKey,
  deliverOutboxKey,
  renderCardKey,
} from '../../../src/domain/ports/agenda.ts';
import type { Outbox } from '../../../src/domain/ports/store.ts';
import { createHolds } from '../../../src/stores/holds/holds.ts';
import type { Records } from '../../../src/stores/records.ts';
import { createGroupCommit } from '../../../src/stores/sqlite/group-commit.ts';
import { openSqliteRecords, RECORDS_SCHEMA } from '../../../src/stores/sqlite/sqlite-records.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { aSay } from '../../support/store/contract/contract-store.ts';
import { watchSyncs } from '../../support/store/watch-syncs.ts';
import { openStore, tempDir } from '../sqlite/open-store.ts';

const LEASE_MS = 1_000;
const REDRAW = renderCardKey({ id: 'call_a', thread: THREAD });

/** A thread with two leased tasks. */
async function openThread(t: TestContext) {
  const { clock, store } = await openStore(t, { onWake: () => {} });
  const { agenda } = store;
  const wake = (...keys: readonly AgendaKey[]) =>
    agenda.wake(keys.map((key) => ({ key, dueAt: clock.now() })));
  const claim = async () => (await agenda.claim(clock.now(), LEASE_MS, 3)).leases;
  await wake(advanceTurnKey(THREAD), deliverOutboxKey(THREAD));
  const [pump, say] = await claim();
  assert.ok(pump && say);
  return { agenda, clock, pump, say, store, wake, claim };
}

/** Waits until started writes wait for the disk. */
async function untilWritten(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
}

test('a task requested again while it ends runs once more', async (t) => {
  const { agenda, claim, pump, say, wake } = await openThread(t);
  const asked = wake(say.key);
  await untilWritten();
  await Promise.all([asked, agenda.finish(say)]);
  await agenda.finish(pump);
  const [again] = await claim();
  assert.deepEqual(again?.key, say.key);
});

test('a thread returned while its hold is renewed is free for later work', async (t) => {
  const { agenda, claim, clock, pump, say, wake } = await openThread(t);
  await agenda.postpone(say, clock.now() + 10);
  await wake(say.key);
  const [sooner] = await claim();
  assert.deepEqual(sooner?.key, say.key);
  await agenda.finish(sooner);
  await clock.advance(10);
  await Promise.all([claim(), agenda.finish(pump)]);
  assert.deepEqual(await claim(), []);
  await wake(REDRAW);
  const [next] = await claim();
  assert.deepEqual(next?.key, REDRAW);
});

async function openDatabase(t: TestContext) {
  const file = join(await tempDir(t), 'records.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(RECORDS_SCHEMA);
  const log = openSync(`${file}-wal`, 'r+');
  t.after(() => {
    closeSync(log);
    db.close();
  });
  return { db, file, group: createGroupCommit(log, file) };
}

test('tasks leased while the store cannot be read are returned by the next claim', async (t) => {
  const clock = createManualClock();
  const records = openSqliteRecords(await openDatabase(t), clock.now());
  let failures = 0;
  const lease: Records['lease'] = async (...args) => {
    if (failures === 0) return await records.lease(...args);
    failures -= 1;
    throw new Error('The store cannot be read.');
  };
  const holds = createHolds({ ...records, lease }, clock);
  const tasks = [{ unit: 'unit', id: 'task', askedFor: clock.now() }];
  await records.commit({ id: 'commit', durable: 'later', tasks });
  assert.ok(await holds.enter('unit', LEASE_MS));
  holds.requestLease();
  failures = 1;
  await assert.rejects(holds.take(clock.now(), LEASE_MS, 3), /cannot be read/);
  const again = await holds.take(clock.now(), LEASE_MS, 3);
  assert.deepEqual(
    again.tasks.map(({ id }) => id),
    ['task'],
  );
});

for (const [what, look] of [
  [
    'a list',
    async ({ pendingMessages: unsaid }: Outbox) => assert.equal((await unsaid(THREAD)).length, 1),
  ],
  ['a record', ({ markSent: markSaid }: Outbox) => markSaid('a')],
] as const) {
  test(`${what} that a holder keeps in memory is returned once it is on the disk`, async (t) => {
    const { agenda, say, store } = await openThread(t);
    const { outbox } = store;
    await agenda.within(say, async () => {
      assert.deepEqual(await outbox.pendingMessages(THREAD), []);
      const order: string[] = [];
      watchSyncs(t, () => order.push('on the disk'));
      const promised = outbox.add([aSay('a')], []);
      await untilWritten();
      await look(outbox);
      order.push('told');
      await promised;
      assert.deepEqual(order, ['on the disk', 'told']);
    });
  });
}
