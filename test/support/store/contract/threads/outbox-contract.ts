import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pumpKey, sayKey } from '../../../../../src/domain/ports/agenda.ts';
import { REQUESTER, THREAD } from '../../../builders/a-call.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import { aSay, holdThread, type OpenBench, OTHER_THREAD } from '../contract-store.ts';

export function outboxContract(open: OpenBench): void {
  test('unsaid things come in the order in which they were added, each in its thread', async (t) => {
    const { store } = await open(t);
    const says = [
      aSay('z', { kind: 'answer', text: '# *md* 🚀\n"x"', createdAt: 9 }),
      aSay('a', { kind: 'private', to: REQUESTER, createdAt: 1 }),
    ];
    await store.outbox.add(says, []);
    await store.outbox.add([aSay('m', { createdAt: 5 }), aSay('o', { thread: OTHER_THREAD })], []);
    assert.deepEqual(await store.outbox.unsaid(THREAD), [...says, aSay('m', { createdAt: 5 })]);
    assert.deepEqual(await store.outbox.unsaid(OTHER_THREAD), [
      aSay('o', { thread: OTHER_THREAD }),
    ]);
  });

  test('one id is said once, also when it is added again after it was said', async (t) => {
    const bench = await open(t);
    const { outbox } = bench.store;
    await outbox.add([aSay('a'), aSay('b')], []);
    await outbox.add([aSay('a', { text: 'another text' })], []);
    assert.deepEqual(await outbox.unsaid(THREAD), [aSay('a'), aSay('b')]);
    await outbox.markSaid('a');
    await outbox.markSaid('a');
    await outbox.markSaid('unknown');
    await outbox.add([aSay('a')], []);
    assert.deepEqual(await outbox.unsaid(THREAD), [aSay('b')]);
    const store = await bench.reopen();
    await store.outbox.add([aSay('a')], []);
    assert.deepEqual(await store.outbox.unsaid(THREAD), [aSay('b')]);
  });

  test('what is added is put on the agenda with it', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    await bench.store.outbox.add([aSay('a')], [{ key: sayKey(THREAD), dueAt: 7 }], fence);
    assert.deepEqual(await bench.store.agenda.unplanned([sayKey(THREAD)]), []);
    assert.deepEqual((await claimOne(bench.store.agenda, 7, 1_000))?.key, sayKey(THREAD));
    const wake = { key: pumpKey(OTHER_THREAD), dueAt: 8 };
    await assert.rejects(bench.store.outbox.add([aSay('b')], [wake], { ...fence, token: 0 }));
    assert.equal(await claimOne(bench.store.agenda, 8, 1_000), undefined);
  });

  test('the place of a growing message is kept until it is forgotten', async (t) => {
    const bench = await open(t);
    const { outbox } = bench.store;
    assert.equal(await outbox.liveOf(THREAD), undefined);
    await outbox.placeLive(THREAD, { channel: 'C1', ts: '1' });
    await outbox.placeLive(THREAD, { channel: 'C1', ts: '2' });
    const store = await bench.reopen();
    assert.deepEqual(await store.outbox.liveOf(THREAD), { channel: 'C1', ts: '2' });
    assert.equal(await store.outbox.liveOf(OTHER_THREAD), undefined);
    await store.outbox.placeLive(THREAD, undefined);
    assert.equal(await store.outbox.liveOf(THREAD), undefined);
  });
}
