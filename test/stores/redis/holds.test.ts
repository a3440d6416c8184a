/** What a process caches for a thread that it holds, while others write to it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { advanceTurnKey, type Lease, renderCardKey } from '../../../src/domain/ports/agenda.ts';
import {
  claimKey,
  holdThread,
  LEASE_MS,
  OTHER_THREAD,
  stepTo,
  storeCall,
} from '../../support/store/contract/contract-store.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';
import { openerOf } from './open-store.ts';

const { start, stop, openStore } = openerOf(startRedis);

before(start);
after(stop);

async function twoProcesses(t: Parameters<typeof openStore>[0]) {
  let heard = 0;
  const holder = await openStore(t, { onWake: () => (heard += 1) });
  const other = await openStore(t, { prefix: holder.prefix });
  const call = await storeCall(holder.store, await holdThread(holder), 'pending');
  const lease = await claimKey(holder, renderCardKey(call));
  const read = () =>
    holder.store.agenda.within(lease, async () => {
      const [found] = await holder.store.ledger.ofThread(call.thread, call.turn);
      return found?.status;
    });
  return { holder, other, call, lease, read, hearings: () => heard };
}

test('a holder sees a change of another process once it is notified', async (t) => {
  const { call, hearings, other, read } = await twoProcesses(t);
  assert.equal(await read(), 'pending');
  const before = hearings();
  const wakes = [{ key: renderCardKey(call), dueAt: other.clock.now() }];
  const step = stepTo(call, 'approved', 'approve');
  assert.equal(await other.store.ledger.write(call, [step], { wakes }), true);
  await until(() => hearings() > before);
  assert.equal(await read(), 'approved');
});

test('a change that the holder has not been notified of rejects its writes, and is visible afterwards', async (t) => {
  const { call, holder, lease, other, read } = await twoProcesses(t);
  assert.equal(await read(), 'pending');
  const step = stepTo(call, 'approved', 'approve');
  assert.equal(await other.store.ledger.write(call, [step], {}), true);
  const late = stepTo(call, 'ignored', 'ignore');
  const write = () => holder.store.ledger.write(call, [late], {});
  assert.equal(await holder.store.agenda.within(lease, write), false);
  assert.equal(await read(), 'approved');
});

test('a decision is rejected if what it read has changed, even without a notification', async (t) => {
  const { call, holder, lease, other } = await twoProcesses(t);
  const { agenda, ledger, observe, pause } = holder.store;
  const step = stepTo(call, 'approved', 'approve');
  const { seen } = await observe(() => agenda.within(lease, () => pause.read()));
  await other.store.pause.write({ by: call.requester, at: 1 }, {});
  assert.equal(await ledger.write(call, [step], {}, seen), false);
  assert.equal((await other.store.ledger.get(call.id))?.status, 'pending');
  await other.store.pause.write(undefined, {});
  assert.equal(await ledger.write(call, [step], {}, seen), true);
});

test('nothing is cached for a thread that another process owns by now', async (t) => {
  const { call, hearings, holder, other, read } = await twoProcesses(t);
  for (const { clock } of [holder, other]) await clock.advance(LEASE_MS);
  const before = hearings();
  await claimKey(other, renderCardKey(call));
  // The notification empties the cache, so the holder must read after it.
  await until(() => hearings() > before);
  assert.equal(await read(), 'pending');
  await holder.store.agenda.claim(holder.clock.now(), LEASE_MS, 1);
  const step = stepTo(call, 'approved', 'approve');
  assert.equal(await other.store.ledger.write(call, [step], {}), true);
  assert.equal(await read(), 'approved');
});

test('a renewal never shortens a lease: a running tool keeps its thread during shorter work', async (t) => {
  const { holder, lease, other } = await twoProcesses(t);
  const { agenda } = holder.store;
  const now = holder.clock.now();
  await agenda.renew(lease, now, LEASE_MS);
  await agenda.renew(lease, now, LEASE_MS / 3);
  for (const { clock } of [holder, other]) await clock.advance(LEASE_MS / 2);
  const { leases } = await other.store.agenda.claim(other.clock.now(), LEASE_MS, 1);
  assert.deepEqual(leases, []);
});

test('a process that ends releases tasks that it has not started', async (t) => {
  const { call, holder, other } = await twoProcesses(t);
  const now = holder.clock.now();
  const idle = { ...call, thread: OTHER_THREAD };
  await holder.store.agenda.wake(
    [advanceTurnKey(OTHER_THREAD), renderCardKey(idle)].map((key) => ({ key, dueAt: now })),
  );
  const { leases } = await holder.store.agenda.claim(now, LEASE_MS, 1);
  await holder.store.agenda.finish(leases[0] as Lease);
  await holder.store.close();
  const claimed = await other.store.agenda.claim(now, LEASE_MS, 1);
  assert.deepEqual(
    claimed.leases.map(({ key, tries }) => [key, tries]),
    [[renderCardKey(idle), 0]],
  );
});
