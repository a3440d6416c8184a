import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenBench } from '../contract-store.ts';

export function draftsContract(open: OpenBench): void {
  test('the newest draft survives a restart until it is dropped; others stay', async (t) => {
    const bench = await open(t);
    const until = bench.clock.now() + 1_000;
    await bench.store.drafts.keep('a', 'first', until);
    await bench.store.drafts.keep('a', 'second ✓', until);
    await bench.store.drafts.keep('b', 'other', until);
    const store = await bench.reopen();
    assert.equal(await store.drafts.read('a'), 'second ✓');
    await store.drafts.drop('a');
    await store.drafts.drop('never kept');
    assert.equal(await store.drafts.read('a'), undefined);
    assert.equal(await store.drafts.read('b'), 'other');
  });

  test('a draft expires at its time, and a later one with its id is a new draft', async (t) => {
    const { store, clock } = await open(t);
    await store.drafts.keep('a', 'old', clock.now() + 1_000);
    await clock.advance(999);
    assert.equal(await store.drafts.read('a'), 'old');
    await clock.advance(1);
    assert.equal(await store.drafts.read('a'), undefined);
    await store.drafts.keep('a', 'new', clock.now() + 1_000);
    assert.equal(await store.drafts.read('a'), 'new');
  });
}
