import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pumpKey, redrawKey, runKey } from '../../../src/domain/agenda.ts';
import { THREAD } from '../a-call.ts';
import { claimOne } from '../claim-one.ts';
import { claimKey, LEASE_MS, type OpenBench, OTHER_THREAD } from './store-bench.ts';

const KEY = runKey('call_a');

export function claimContract(open: OpenBench): void {
  test('the key that has been due longest is claimed first, and none before its time', async (t) => {
    const { clock, store } = await open(t);
    const start = clock.now();
    const wakes = [30, 10, 20].map((ms) => ({ key: runKey(`call_${ms}`), dueAt: start + ms }));
    await store.agenda.wake(wakes);
    assert.equal(await store.agenda.nextDueAt(), start + 10);
    assert.equal(await claimOne(store.agenda, start + 9, LEASE_MS), undefined);
    const claimed: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      claimed.push((await claimOne(store.agenda, start + 30, LEASE_MS))?.key.id ?? 'none');
    }
    assert.deepEqual(claimed, ['call_10', 'call_20', 'call_30']);
    assert.equal(await claimOne(store.agenda, start + 30, LEASE_MS), undefined);
  });

  test('one worker at a time has a key', async (t) => {
    const { clock, store } = await open(t);
    const keys = ['a', 'b', 'c'].map((id) => runKey(`call_${id}`));
    await store.agenda.wake(keys.map((key) => ({ key, dueAt: clock.now() })));
    const workers = Array.from({ length: 8 }, () => claimOne(store.agenda, clock.now(), LEASE_MS));
    const leases = (await Promise.all(workers)).filter((lease) => lease !== undefined);
    assert.deepEqual(leases.map(({ key }) => key.id).sort(), ['call_a', 'call_b', 'call_c']);
    assert.equal(await store.agenda.nextDueAt(), clock.now() + LEASE_MS);
  });

  test('several keys are leased at once, the longest due first, each under a fence of its own', async (t) => {
    const { clock, store } = await open(t);
    const { agenda } = store;
    const now = clock.now();
    const died = runKey('call_died');
    await agenda.wake([{ key: died, dueAt: now - 90 }]);
    await agenda.claim(now - 90, 60, 1);
    const dues = [40, 10, 20];
    await agenda.wake(dues.map((ms) => ({ key: runKey(`call_${ms}`), dueAt: now - ms })));
    await agenda.wake([{ key: runKey('later'), dueAt: now + 1 }]);
    const first = await agenda.claim(now, LEASE_MS, 3);
    const [one, two, three] = first.map(({ fence }) => fence);
    assert.ok(one && two && three && one < two && two < three);
    const leased = { expiresAt: now + LEASE_MS, deaths: 0, tries: 0 };
    assert.deepEqual(first, [
      { ...leased, key: runKey('call_40'), fence: one },
      { ...leased, key: died, fence: two, tries: 1, deaths: 1 },
      { ...leased, key: runKey('call_20'), fence: three },
    ]);
    const rest = await agenda.claim(now, LEASE_MS, 3);
    assert.deepEqual(
      rest.map(({ key }) => key),
      [runKey('call_10')],
    );
    assert.deepEqual(await agenda.claim(now, LEASE_MS, 3), []);
    for (const lease of [...first, ...rest]) await agenda.finish(lease);
    assert.equal(await agenda.nextDueAt(), now + 1);
  });

  test('fences grow over all keys', async (t) => {
    const bench = await open(t);
    const keys = [KEY, pumpKey(THREAD), redrawKey('call_a'), pumpKey(OTHER_THREAD)];
    let newest = 0;
    for (const key of [...keys, ...keys]) {
      const lease = await claimKey(bench, key);
      assert.ok(lease.fence > newest, `${lease.fence} is larger than ${newest}`);
      newest = lease.fence;
      await bench.store.agenda.finish(lease);
    }
    const store = await bench.reopen();
    assert.ok((await claimKey({ store, clock: bench.clock }, KEY)).fence > newest);
  });

  test('a lease that ran out is claimed by another worker, one more try counted', async (t) => {
    const { clock, store } = await open(t);
    const start = clock.now();
    await store.agenda.wake([{ key: KEY, dueAt: start }]);
    const dead = await claimOne(store.agenda, start, LEASE_MS);
    assert.ok(dead);
    const counts = { tries: 0, deaths: 0 };
    assert.deepEqual(dead, { key: KEY, fence: dead.fence, expiresAt: start + LEASE_MS, ...counts });
    assert.equal(await claimOne(store.agenda, start + LEASE_MS - 1, LEASE_MS), undefined);
    const heir = await claimOne(store.agenda, start + LEASE_MS, LEASE_MS);
    assert.equal(heir?.tries, 1);
    assert.ok(heir && heir.fence > dead.fence);
    await store.agenda.finish(heir);
    assert.equal(await claimOne(store.agenda, start + LEASE_MS, LEASE_MS), undefined);
  });

  test('a lease that ran out takes its place among the due keys', async (t) => {
    const { store } = await open(t);
    await store.agenda.wake([{ key: KEY, dueAt: 0 }]);
    await claimOne(store.agenda, 0, 100);
    await store.agenda.wake([
      { key: runKey('late'), dueAt: 101 },
      { key: runKey('early'), dueAt: 99 },
    ]);
    const order: string[] = [];
    for (let n = 0; n < 3; n += 1)
      order.push((await claimOne(store.agenda, 200, 500))?.key.id ?? '');
    assert.deepEqual(order, ['early', 'call_a', 'late']);
  });
}
