import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashClaims, type Pin } from '../../../../../src/domain/tools/tool-pin.ts';
import { REQUESTER } from '../../../builders/a-call.ts';
import { aDraft, eventsOf, type OpenBench } from '../contract-store.ts';

function aPin(tool: string, description: string, at: number): Pin {
  const claims = { server: 'box', tool, description, schema: { type: 'object' }, annotations: {} };
  return { name: `box__${tool}`, claims, hash: hashClaims(claims), at };
}

export function pinsContract(open: OpenBench): void {
  test('a pin is stored once, changes only from the version that was seen, and survives a restart', async (t) => {
    const bench = await open(t);
    const { pins } = bench.store;
    assert.deepEqual(await pins.all(), []);
    const [second, first] = [aPin('b', 'Does b.', 1), aPin('a', 'Does a.', 2)];
    assert.equal(await pins.write(second, undefined, { audit: [aDraft('pinned b')] }), true);
    assert.equal(await pins.write(first, undefined, { audit: [aDraft('pinned a')] }), true);
    const other = { ...aPin('a', 'Does another thing.', 3), by: REQUESTER };
    assert.equal(await pins.write(other, undefined, { audit: [aDraft('too late')] }), false);
    assert.equal(await pins.write(other, second.hash, { audit: [aDraft('too late')] }), false);
    assert.equal(await pins.write(aPin('c', '', 4), first.hash, {}), false);
    const writes = [1, 2].map(() =>
      pins.write(other, first.hash, { audit: [aDraft('accepted a')] }),
    );
    assert.deepEqual((await Promise.all(writes)).sort(), [false, true]);
    const store = await bench.reopen();
    assert.deepEqual(await store.pins.all(), [other, second]);
    assert.deepEqual(await eventsOf(store), ['pinned b', 'pinned a', 'accepted a']);
  });
}
