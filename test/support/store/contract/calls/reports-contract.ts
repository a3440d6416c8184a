import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderCardKey } from '../../../../../src/domain/ports/agenda.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import { holdThread, LEASE_MS, type OpenBench, stepTo, storeCall } from '../contract-store.ts';

export function reportsContract(open: OpenBench): void {
  test('the newest report of a running call survives a restart, and wakes', async (t) => {
    const bench = await open(t);
    const call = await storeCall(bench.store, await holdThread(bench), 'running');
    const at = bench.clock.now() + 500;
    const wakes = [{ key: renderCardKey(call), dueAt: at }];
    assert.equal(await bench.store.reports.of(call.id), undefined);
    await bench.store.reports.keep(call, { text: '1 of 3', at: 7 }, []);
    await bench.store.reports.keep(call, { text: '2 of 3 “✓”\t🚀', at: 8 }, wakes);
    const { agenda, reports } = await bench.reopen();
    assert.deepEqual(await reports.of(call.id), { text: '2 of 3 “✓”\t🚀', at: 8 });
    assert.equal(await reports.of('call_of_nobody'), undefined);
    await bench.clock.advance(LEASE_MS);
    const keys = [];
    for (;;) {
      const lease = await claimOne(agenda, bench.clock.now(), LEASE_MS);
      if (!lease) break;
      keys.push(lease.key);
    }
    assert.ok(keys.some(({ task, id }) => task === 'redraw' && id === call.id));
  });

  test('a report is removed with the end of its call, and none is added later', async (t) => {
    const bench = await open(t);
    const { store } = bench;
    const call = await storeCall(store, await holdThread(bench), 'running');
    await store.reports.keep(call, { text: 'half', at: 7 }, []);
    const step = stepTo(call, 'succeeded', 'finish');
    await store.ledger.write(call, [step], {});
    assert.equal(await store.reports.of(call.id), undefined);
    const wakes = [{ key: renderCardKey(call), dueAt: 0 }];
    for (const late of [call, step.call]) {
      await store.reports.keep(late, { text: 'late', at: 8 }, wakes);
      assert.equal(await store.reports.of(call.id), undefined);
    }
    assert.notEqual(
      (await claimOne(store.agenda, bench.clock.now(), LEASE_MS))?.key.task,
      'redraw',
    );
  });

  test('a run that another worker has taken over adds no more reports', async (t) => {
    const bench = await open(t);
    const { store } = bench;
    const call = await storeCall(store, await holdThread(bench), 'running');
    await store.reports.keep(call, { text: 'of the first', at: 7 }, []);
    const step = stepTo(call, 'running', 'recover');
    await store.ledger.write(call, [step], {});
    assert.equal(await store.reports.of(call.id), undefined);
    await store.reports.keep(step.call, { text: 'of the second', at: 8 }, []);
    await store.reports.keep(call, { text: 'of the first', at: 9 }, []);
    assert.deepEqual(await store.reports.of(call.id), { text: 'of the second', at: 8 });
  });

  test('a call that is not running accepts no report', async (t) => {
    const bench = await open(t);
    const call = await storeCall(bench.store, await holdThread(bench), 'approved');
    await bench.store.reports.keep(call, { text: 'early', at: 7 }, []);
    assert.equal(await bench.store.reports.of(call.id), undefined);
  });
}
