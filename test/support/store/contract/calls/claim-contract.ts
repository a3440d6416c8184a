import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  advanceTurnKey,
  deliverOutboxKey,
  renderCardKey,
  runCallKey,
  threadCommandsKey,
} from '../../../../../src/domain/ports/agenda.ts';
import { THREAD } from '../../../builders/a-call.ts';
import { callRef } from '../../../builders/call-ref.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import { claimKey, LEASE_MS, type OpenBench, OTHER_THREAD } from '../contract-store.ts';

const KEY = runCallKey(callRef('call_a'));

export function claimContract(open: OpenBench): void {
  test('the key that has been due longest is claimed first, and none before its due time', async (t) => {
    const { clock, store } = await open(t);
    const start = clock.now();
    const wakes = [30, 10, 20].map((ms) => ({
      key: runCallKey(callRef(`call_${ms}`)),
      dueAt: start + ms,
    }));
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

  test('one worker at a time owns a key', async (t) => {
    const { clock, store } = await open(t);
    const keys = ['a', 'b', 'c'].map((id) => runCallKey(callRef(`call_${id}`)));
    await store.agenda.wake(keys.map((key) => ({ key, dueAt: clock.now() })));
    const workers = Array.from({ length: 8 }, () => claimOne(store.agenda, clock.now(), LEASE_MS));
    const leases = (await Promise.all(workers)).filter((lease) => lease !== undefined);
    assert.deepEqual(leases.map(({ key }) => key.id).sort(), ['call_a', 'call_b', 'call_c']);
    assert.equal(await store.agenda.nextDueAt(), clock.now() + LEASE_MS);
  });

  test('several keys are leased at once, the longest due first, each with its own fence', async (t) => {
    const { clock, store } = await open(t);
    const { agenda } = store;
    const now = clock.now();
    const died = runCallKey(callRef('call_died'));
    await agenda.wake([{ key: died, dueAt: now - 90 }]);
    await agenda.claim(now - 90, 60, 1);
    const dues = [40, 10, 20];
    await agenda.wake(
      dues.map((ms) => ({ key: runCallKey(callRef(`call_${ms}`)), dueAt: now - ms })),
    );
    await agenda.wake([{ key: runCallKey(callRef('later')), dueAt: now + 1 }]);
    const { leases } = await agenda.claim(now, LEASE_MS, 3);
    const first = leases.toSorted((a, b) => a.fence - b.fence);
    const [one, two, three] = first.map(({ fence }) => fence);
    assert.ok(one && two && three && one < two && two < three);
    const leased = { expiresAt: now + LEASE_MS, deaths: 0, tries: 0 };
    assert.deepEqual(first, [
      { ...leased, key: runCallKey(callRef('call_40')), fence: one },
      { ...leased, key: died, fence: two, tries: 1, deaths: 1 },
      { ...leased, key: runCallKey(callRef('call_20')), fence: three },
    ]);
    const { leases: rest, next } = await agenda.claim(now, LEASE_MS, 3);
    assert.equal(next, now + 1, 'what is not due yet');
    assert.deepEqual(
      rest.map(({ key }) => key),
      [runCallKey(callRef('call_10'))],
    );
    assert.deepEqual(await agenda.claim(now, LEASE_MS, 3), { leases: [], next });
    for (const lease of [...first, ...rest]) await agenda.finish(lease);
    assert.equal(await agenda.nextDueAt(), now + 1);
  });

  test('fences increase across all keys', async (t) => {
    const bench = await open(t);
    const keys = [
      KEY,
      advanceTurnKey(THREAD),
      renderCardKey(callRef('call_a')),
      advanceTurnKey(OTHER_THREAD),
    ];
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

  test('an expired lease is claimed by another worker, with one more try counted', async (t) => {
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

  test('an expired lease is ordered among the due keys', async (t) => {
    const { store } = await open(t);
    await store.agenda.wake([{ key: KEY, dueAt: 0 }]);
    await claimOne(store.agenda, 0, 100);
    await store.agenda.wake([
      { key: runCallKey(callRef('late')), dueAt: 101 },
      { key: runCallKey(callRef('early')), dueAt: 99 },
    ]);
    const order: string[] = [];
    for (let n = 0; n < 3; n += 1)
      order.push((await claimOne(store.agenda, 200, 500))?.key.id ?? '');
    assert.deepEqual(order, ['early', 'call_a', 'late']);
  });

  test('the owner of a thread gets all its due tasks, including those added meanwhile', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    await agenda.wake(
      [advanceTurnKey(THREAD), deliverOutboxKey(THREAD)].map((key) => ({ key, dueAt: now })),
    );
    const { leases: both } = await agenda.claim(now, LEASE_MS, 5);
    const [fence] = both.map((lease) => lease.fence);
    assert.deepEqual(
      both.map((lease) => [lease.key.task, lease.fence]),
      [
        ['pump', fence],
        ['say', fence],
      ],
    );
    const call = { id: 'call_a', thread: THREAD };
    await agenda.wake([{ key: renderCardKey(call), dueAt: now }]);
    const drawn = await claimOne(agenda, now, LEASE_MS);
    assert.deepEqual([drawn?.key, drawn?.fence], [renderCardKey(call), fence]);
  });

  test('finished tasks of a thread do not run again under a later owner', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    const keys = [advanceTurnKey(THREAD), deliverOutboxKey(THREAD), threadCommandsKey(THREAD)];
    await agenda.wake(keys.map((key) => ({ key, dueAt: now })));
    const { leases } = await agenda.claim(now, LEASE_MS, 3);
    for (const lease of leases) await agenda.finish(lease);
    const { agenda: reopened } = await bench.reopen();
    assert.equal(await claimOne(reopened, now + LEASE_MS, LEASE_MS), undefined);
    assert.deepEqual(await reopened.unscheduled(keys), keys);
  });

  test('a task requested again while others of its thread run, runs once more', async (t) => {
    const bench = await open(t);
    const { agenda } = bench.store;
    const now = bench.clock.now();
    await agenda.wake(
      [advanceTurnKey(THREAD), deliverOutboxKey(THREAD)].map((key) => ({ key, dueAt: now })),
    );
    const { leases } = await agenda.claim(now, LEASE_MS, 2);
    const said = leases.find(({ key }) => key.task === 'say');
    assert.ok(said);
    const wake = { key: deliverOutboxKey(THREAD), dueAt: now };
    // While it runs, and after it.
    await agenda.wake([wake]);
    await agenda.finish(said);
    const again = await claimOne(agenda, now, LEASE_MS);
    assert.deepEqual(again?.key, deliverOutboxKey(THREAD));
    assert.ok(again);
    await agenda.finish(again);
    await agenda.wake([wake]);
    assert.deepEqual((await claimOne(agenda, now, LEASE_MS))?.key, deliverOutboxKey(THREAD));
    assert.equal(await claimOne(agenda, now, LEASE_MS), undefined);
  });
}
