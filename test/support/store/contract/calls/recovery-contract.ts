import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgendaKey,
  type AgendaTask,
  advanceTurnKey,
  deliverOutboxKey,
  runCallKey,
} from '../../../../../src/domain/ports/agenda.ts';
import { THREAD } from '../../../builders/a-call.ts';
import { callRef } from '../../../builders/call-ref.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import {
  aSay,
  claimKey,
  holdThread,
  LEASE_MS,
  type OpenBench,
  OTHER_THREAD,
  storeCall,
} from '../contract-store.ts';

const KEY = runCallKey(callRef('call_a'));

/** Tests the basis of recovery: whether work is scheduled, postponing it, and pages of calls. */
export function recoveryContract(open: OpenBench): void {
  test('a key is unscheduled before its first wake and after its work, and never in between', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    const isUnplanned = async () => (await agenda.unscheduled([KEY])).length === 1;
    assert.equal(await isUnplanned(), true);
    await agenda.wake([{ key: KEY, dueAt: now + 1_000 }]);
    assert.equal(await isUnplanned(), false);
    const lease = await claimKey(bench, KEY);
    assert.equal(await isUnplanned(), false);
    await bench.clock.advance(2 * LEASE_MS);
    assert.equal(await isUnplanned(), false);
    const heir = await claimOne(agenda, bench.clock.now(), LEASE_MS);
    assert.ok(heir && heir.fence > lease.fence);
    await agenda.backOff(heir, bench.clock.now(), 'no answer');
    assert.equal(await isUnplanned(), false);
    const last = await claimOne(agenda, bench.clock.now(), LEASE_MS);
    assert.ok(last);
    await agenda.moveToDeadLetters(last, bench.clock.now(), 'gave up');
    assert.equal(await isUnplanned(), false);
    await agenda.finish(await claimKey(bench, KEY));
    assert.equal(await isUnplanned(), true);
  });

  test('returns the keys that nobody woke, in the order given', async (t) => {
    const { agenda } = (await open(t)).store;
    const ids = ['z', 'a', 'x:y', '', 'm'];
    await agenda.wake([
      { key: runCallKey(callRef('a')), dueAt: 5 },
      { key: advanceTurnKey(THREAD), dueAt: 5 },
    ]);
    const found = await agenda.unscheduled([
      ...ids.map((id) => runCallKey(callRef(id))),
      advanceTurnKey(THREAD),
      deliverOutboxKey(THREAD),
    ]);
    assert.deepEqual(found, [
      ...['z', 'x:y', '', 'm'].map((id) => runCallKey(callRef(id))),
      deliverOutboxKey(THREAD),
    ]);
    assert.deepEqual(await agenda.unscheduled([]), []);
  });

  test('postponed work returns at its time with the same number of tries', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    await agenda.backOff(await claimKey(bench, KEY), now, 'no answer');
    const lease = await claimOne(agenda, now, LEASE_MS);
    assert.equal(lease?.tries, 1);
    assert.ok(lease);
    await agenda.postpone(lease, now + 700);
    assert.equal(await claimOne(agenda, now + 699, LEASE_MS), undefined);
    const again = await claimOne(agenda, now + 700, LEASE_MS);
    assert.equal(again?.tries, 1);
    assert.ok(again);
    await agenda.postpone(lease, now + 1);
    assert.equal(await agenda.nextDueAt(), now + 700 + LEASE_MS);
  });

  test('a wake-up during work that is then postponed is not postponed with it', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    const lease = await claimKey(bench, KEY);
    await agenda.wake([{ key: KEY, dueAt: now }]);
    await agenda.postpone(lease, now + 60_000);
    assert.deepEqual((await claimOne(agenda, now, LEASE_MS))?.key, KEY);
  });

  test('consecutive worker deaths are counted, and an orderly end of the work resets the count', async (t) => {
    const bench = await open(t);
    let now = bench.clock.now();
    const dieAndClaim = async () => {
      now += LEASE_MS;
      const lease = await claimOne(bench.store.agenda, now, LEASE_MS);
      assert.ok(lease);
      return lease;
    };
    const first = await claimKey(bench, KEY);
    const counts = [first.deaths];
    let lease = first;
    for (let i = 0; i < 3; i += 1) {
      lease = await dieAndClaim();
      counts.push(lease.deaths);
    }
    assert.deepEqual(counts, [0, 1, 2, 3]);
    await bench.store.agenda.backOff(lease, now, 'no answer');
    const after = await claimOne(bench.store.agenda, now, LEASE_MS);
    assert.deepEqual([after?.deaths, after?.tries], [0, 4]);
    assert.equal((await dieAndClaim()).deaths, 1);
  });

  test('a key of a task unknown to this version is claimed and moved to the dead letters like any other', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const key: AgendaKey = { task: 'remind' as AgendaTask, id: 'call_a' };
    await agenda.wake([
      { key, dueAt: 1 },
      { key: KEY, dueAt: 2 },
    ]);
    const lease = await claimOne(agenda, 5, LEASE_MS);
    assert.deepEqual(lease?.key, key);
    assert.ok(lease);
    await agenda.moveToDeadLetters(lease, 5, 'unknown here');
    assert.deepEqual(await agenda.deadLetters(), [{ key, reason: 'unknown here', at: 5 }]);
    assert.deepEqual((await claimOne(agenda, 5, LEASE_MS))?.key, KEY);
  });

  test('calls of one status are returned in pages, oldest first, even after the last one of a page has moved on', async (t) => {
    const bench = await open(t);
    const { ledger } = bench.store;
    const fence = await holdThread(bench);
    for (let n = 0; n < 7; n += 1) {
      const patch = { id: `call_${'gfedcba'[n]}`, toolCallId: `tc_${n}`, createdAt: n };
      await storeCall(bench.store, fence, n === 3 ? 'approved' : 'pending', patch);
    }
    const page = async (after: string | undefined, limit: number) =>
      (await ledger.withStatus('pending', { after, limit })).map(({ id }) => id);
    assert.deepEqual(await page(undefined, 2), ['call_g', 'call_f']);
    assert.deepEqual(await page('call_f', 2), ['call_e', 'call_c']);
    assert.deepEqual(await page('call_d', 9), ['call_c', 'call_b', 'call_a']);
    assert.deepEqual(await page('call_a', 2), []);
    assert.deepEqual(await ledger.withStatus('unknown', { limit: 2 }), []);
  });

  test('threads with unsent messages are found, each once', async (t) => {
    const { outbox } = (await open(t)).store;
    assert.deepEqual(await outbox.threadsWithPendingMessages(), []);
    const says = [aSay('a'), aSay('b'), aSay('c', { thread: OTHER_THREAD })];
    await outbox.add(says, []);
    assert.deepEqual(await outbox.threadsWithPendingMessages(), [THREAD, OTHER_THREAD].sort());
    for (const id of ['a', 'c']) await outbox.markSent(id);
    assert.deepEqual(await outbox.threadsWithPendingMessages(), [THREAD]);
    await outbox.markSent('b');
    assert.deepEqual(await outbox.threadsWithPendingMessages(), []);
  });
}
