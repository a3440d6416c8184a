import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUESTER } from '../../../builders/a-call.ts';
import { aDraft, eventsOf, type OpenBench } from '../contract-store.ts';

export function pauseContract(open: OpenBench): void {
  test('a pause survives a restart until it is ended, and the first one is kept', async (t) => {
    const bench = await open(t);
    const { pause } = bench.store;
    const first = { by: REQUESTER, at: 5 };
    assert.equal(await pause.read(), undefined);
    assert.equal(await pause.write(undefined, { audit: [aDraft('not paused')] }), false);
    assert.equal(await pause.write(first, { audit: [aDraft('paused')] }), true);
    assert.equal(await pause.write({ ...first, at: 6 }, { audit: [aDraft('again')] }), false);
    const store = await bench.reopen();
    assert.deepEqual(await store.pause.read(), first);
    assert.equal(await store.pause.write(undefined, { audit: [aDraft('resumed')] }), true);
    assert.equal(await store.pause.read(), undefined);
    assert.deepEqual(await eventsOf(store), ['paused', 'resumed']);
  });
}
