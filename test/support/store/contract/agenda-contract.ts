import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgendaKey, renderCardKey, runCallKey } from '../../../../src/domain/ports/agenda.ts';
import { callRef } from '../../builders/call-ref.ts';
import { claimOne } from '../../builders/claim-one.ts';
import { claimKey, LEASE_MS, type OpenBench } from './contract-store.ts';

const KEY = runCallKey(callRef('call_a'));

export function agendaContract(open: OpenBench): void {
  test('the earlier of two due times counts', async (t) => {
    const { store } = await open(t);
    await store.agenda.wake([{ key: KEY, dueAt: 500 }]);
    await store.agenda.wake([{ key: KEY, dueAt: 900 }]);
    assert.equal(await store.agenda.nextDueAt(), 500);
    await store.agenda.wake([
      { key: KEY, dueAt: 200 },
      { key: KEY, dueAt: 300 },
    ]);
    assert.equal(await store.agenda.nextDueAt(), 200);
    assert.ok(await claimOne(store.agenda, 200, 1_000));
    assert.equal(await claimOne(store.agenda, 900, 1_000), undefined);
  });

  test('an empty agenda has no due time', async (t) => {
    const { store } = await open(t);
    assert.equal(await store.agenda.nextDueAt(), undefined);
    await store.agenda.wake([]);
    assert.equal(await claimOne(store.agenda, 1_000, 1_000), undefined);
    await store.agenda.wake([{ key: KEY, dueAt: 0 }]);
    const lease = await claimOne(store.agenda, 1_000, 1_000);
    assert.ok(lease);
    await store.agenda.finish(lease);
    assert.equal(await store.agenda.nextDueAt(), undefined);
  });

  test('a renewed lease lasts longer, under the same fence', async (t) => {
    const { store } = await open(t);
    await store.agenda.wake([{ key: KEY, dueAt: 0 }]);
    const lease = await claimOne(store.agenda, 0, 100);
    assert.ok(lease);
    assert.deepEqual(await store.agenda.renew(lease, 50, 100), { ...lease, expiresAt: 150 });
    assert.equal(await claimOne(store.agenda, 149, 100), undefined);
    assert.equal((await claimOne(store.agenda, 150, 100))?.tries, 1);
  });

  test('a worker that lost its lease can no longer use it', async (t) => {
    const { store } = await open(t);
    const { agenda } = store;
    await agenda.wake([{ key: KEY, dueAt: 0 }]);
    const lost = await claimOne(agenda, 0, 100);
    const heir = await claimOne(agenda, 100, 100);
    assert.ok(lost && heir);
    assert.equal(await agenda.renew(lost, 100, 900), undefined);
    await agenda.finish(lost);
    await agenda.backOff(lost, 110, 'late');
    await agenda.moveToDeadLetters(lost, 110, 'late');
    assert.equal(await agenda.nextDueAt(), 200);
    assert.deepEqual(await agenda.deadLetters(), []);
    await agenda.finish(heir);
    assert.equal(await agenda.renew(heir, 100, 900), undefined);
    await agenda.backOff(heir, 110, 'late');
    assert.equal(await agenda.nextDueAt(), undefined);
  });

  test('waking a key during its work causes one more pass', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const lease = await claimKey(bench, KEY);
    const now = bench.clock.now();
    for (let n = 0; n < 3; n += 1) await agenda.wake([{ key: KEY, dueAt: now }]);
    assert.equal(await claimOne(agenda, now, LEASE_MS), undefined);
    await agenda.finish(lease);
    const again = await claimOne(agenda, now, LEASE_MS);
    assert.equal(again?.tries, 0);
    assert.ok(again);
    await agenda.finish(again);
    assert.equal(await claimOne(agenda, now, LEASE_MS), undefined);
  });

  test('the pass after a worker death also covers the wake-up during its work', async (t) => {
    const bench = await open(t);
    await claimKey(bench, KEY);
    await bench.store.agenda.wake([{ key: KEY, dueAt: bench.clock.now() }]);
    await bench.clock.advance(LEASE_MS);
    const heir = await claimOne(bench.store.agenda, bench.clock.now(), LEASE_MS);
    assert.ok(heir);
    await bench.store.agenda.finish(heir);
    assert.equal(await claimOne(bench.store.agenda, bench.clock.now(), LEASE_MS), undefined);
  });

  test('a wake-up for later survives the death of the worker that owned the key', async (t) => {
    const bench = await open(t);
    await claimKey(bench, KEY);
    const later = bench.clock.now() + 10 * LEASE_MS;
    await bench.store.agenda.wake([{ key: KEY, dueAt: later }]);
    await bench.clock.advance(LEASE_MS);
    const heir = await claimOne(bench.store.agenda, bench.clock.now(), LEASE_MS);
    assert.ok(heir);
    await bench.store.agenda.finish(heir);
    assert.equal(await bench.store.agenda.nextDueAt(), later);
  });

  test('a wake-up for later, added during the work, fires at its time', async (t) => {
    const bench = await open(t);
    const lease = await claimKey(bench, KEY);
    const later = bench.clock.now() + 5_000;
    await bench.store.agenda.wake([{ key: KEY, dueAt: later }]);
    await bench.store.agenda.finish(lease);
    assert.equal(await bench.store.agenda.nextDueAt(), later);
  });

  test('failed work backs off, with one more try counted, until it succeeds', async (t) => {
    const { store } = await open(t);
    const { agenda } = store;
    await agenda.wake([{ key: KEY, dueAt: 0 }]);
    for (const tries of [0, 1, 2]) {
      const now = tries * 100;
      const lease = await claimOne(agenda, now, 50);
      assert.equal(lease?.tries, tries);
      assert.ok(lease);
      await agenda.backOff(lease, now + 100, 'rate limited');
      assert.equal(await claimOne(agenda, now + 99, 50), undefined);
    }
    const last = await claimOne(agenda, 300, 50);
    assert.equal(last?.tries, 3);
    assert.ok(last);
    await agenda.finish(last);
    await agenda.wake([{ key: KEY, dueAt: 400 }]);
    assert.equal((await claimOne(agenda, 400, 50))?.tries, 0);
  });

  test('a wake-up during a back-off fires at its own time, and a later one adds no delay', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    const lease = await claimKey(bench, KEY);
    await agenda.backOff(lease, now + 60_000, 'no answer');
    await agenda.wake([{ key: KEY, dueAt: now + 90_000 }]);
    assert.equal(await agenda.nextDueAt(), now + 60_000);
    await agenda.wake([{ key: KEY, dueAt: now }]);
    assert.equal((await claimOne(agenda, now, LEASE_MS))?.tries, 1);
  });

  test('a wake-up during work that then fails is not delayed by the back-off', async (t) => {
    const bench = await open(t);
    const now = bench.clock.now();
    const lease = await claimKey(bench, KEY);
    await bench.store.agenda.wake([{ key: KEY, dueAt: now }]);
    await bench.store.agenda.backOff(lease, now + 60_000, 'no answer');
    assert.equal((await claimOne(bench.store.agenda, now, LEASE_MS))?.tries, 1);
  });

  test('a dead letter stays visible and idle until it is woken, then starts with no tries', async (t) => {
    const bench = await open(t);
    const now = bench.clock.now();
    const failed = await claimKey(bench, KEY);
    await bench.store.agenda.backOff(failed, now, 'no answer');
    const lease = await claimOne(bench.store.agenda, now, LEASE_MS);
    assert.ok(lease);
    await bench.store.agenda.moveToDeadLetters(lease, now, 'gave up: "no answer"');
    const { agenda } = await bench.reopen();
    assert.deepEqual(await agenda.deadLetters(), [
      { key: KEY, reason: 'gave up: "no answer"', at: now },
    ]);
    assert.equal(await agenda.nextDueAt(), undefined);
    assert.equal(await claimOne(agenda, now + 10 * LEASE_MS, LEASE_MS), undefined);
    await agenda.wake([{ key: KEY, dueAt: now + 5 }]);
    assert.deepEqual(await agenda.deadLetters(), []);
    assert.equal((await claimOne(agenda, now + 5, LEASE_MS))?.tries, 0);
  });

  test('work woken before it becomes a dead letter starts again instead', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    await agenda.backOff(await claimKey(bench, KEY), now, 'no answer');
    const lease = await claimOne(agenda, now, LEASE_MS);
    assert.ok(lease);
    await agenda.wake([{ key: KEY, dueAt: now }]);
    await agenda.moveToDeadLetters(lease, now, 'gave up');
    assert.deepEqual(await agenda.deadLetters(), []);
    assert.equal((await claimOne(agenda, now, LEASE_MS))?.tries, 0);
  });

  test('key ids may contain any character', async (t) => {
    const { store } = await open(t);
    const ids = [
      'a:b',
      'run:a',
      ':',
      '',
      'T1/C1/1.0/call_x',
      '*?[]{}',
      '🚀\n\t"\'\\',
      'null\u0000byte',
    ];
    const keys = ids.flatMap((id): AgendaKey[] => [
      runCallKey(callRef(id)),
      renderCardKey(callRef(id)),
    ]);
    await store.agenda.wake(keys.map((key, index) => ({ key, dueAt: index })));
    const claimed: AgendaKey[] = [];
    for (const _ of keys) {
      const lease = await claimOne(store.agenda, 1_000, LEASE_MS);
      if (lease) claimed.push(lease.key);
    }
    assert.deepEqual(claimed, keys);
  });

  test('due times, tries and back-offs survive a restart', async (t) => {
    const bench = await open(t);
    const now = bench.clock.now();
    await bench.store.agenda.backOff(await claimKey(bench, KEY), now + 700, 'no answer');
    await bench.store.agenda.wake([{ key: runCallKey(callRef('later')), dueAt: now + 900 }]);
    const { agenda } = await bench.reopen();
    assert.equal(await agenda.nextDueAt(), now + 700);
    assert.equal((await claimOne(agenda, now + 700, LEASE_MS))?.tries, 1);
    assert.deepEqual(
      (await claimOne(agenda, now + 900, LEASE_MS))?.key,
      runCallKey(callRef('later')),
    );
  });
}
