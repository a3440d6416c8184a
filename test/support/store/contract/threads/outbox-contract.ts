import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanceTurnKey, deliverOutboxKey } from '../../../../../src/domain/ports/agenda.ts';
import { REQUESTER, THREAD } from '../../../builders/a-call.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import { aSay, holdThread, type OpenBench, OTHER_THREAD } from '../contract-store.ts';

export function outboxContract(open: OpenBench): void {
  test('unsent messages are returned in the order they were added, each in its thread', async (t) => {
    const { store } = await open(t);
    const says = [
      aSay('z', { kind: 'answer', text: '# *md* 🚀\n"x"', createdAt: 9 }),
      aSay('a', { kind: 'private', to: REQUESTER, createdAt: 1 }),
    ];
    await store.outbox.add(says, []);
    await store.outbox.add([aSay('m', { createdAt: 5 }), aSay('o', { thread: OTHER_THREAD })], []);
    assert.deepEqual(await store.outbox.pendingMessages(THREAD), [
      ...says,
      aSay('m', { createdAt: 5 }),
    ]);
    assert.deepEqual(await store.outbox.pendingMessages(OTHER_THREAD), [
      aSay('o', { thread: OTHER_THREAD }),
    ]);
  });

  test('a message id is sent once, even when added again afterwards', async (t) => {
    const bench = await open(t);
    const { outbox } = bench.store;
    await outbox.add([aSay('a'), aSay('b')], []);
    await outbox.add([aSay('a', { text: 'another text' })], []);
    assert.deepEqual(await outbox.pendingMessages(THREAD), [aSay('a'), aSay('b')]);
    await outbox.markSent('a');
    await outbox.markSent('a');
    await outbox.markSent('unknown');
    await outbox.add([aSay('a')], []);
    assert.deepEqual(await outbox.pendingMessages(THREAD), [aSay('b')]);
    const store = await bench.reopen();
    await store.outbox.add([aSay('a')], []);
    assert.deepEqual(await store.outbox.pendingMessages(THREAD), [aSay('b')]);
  });

  test('a message is added together with its task', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    await bench.store.outbox.add([aSay('a')], [{ key: deliverOutboxKey(THREAD), dueAt: 7 }], fence);
    assert.deepEqual(await bench.store.agenda.unscheduled([deliverOutboxKey(THREAD)]), []);
    assert.deepEqual((await claimOne(bench.store.agenda, 7, 1_000))?.key, deliverOutboxKey(THREAD));
    const wake = { key: advanceTurnKey(OTHER_THREAD), dueAt: 8 };
    await assert.rejects(bench.store.outbox.add([aSay('b')], [wake], { ...fence, token: 0 }));
    assert.equal(await claimOne(bench.store.agenda, 8, 1_000), undefined);
  });

  test('the place of a streaming message is kept until it is forgotten', async (t) => {
    const bench = await open(t);
    const { outbox } = bench.store;
    assert.equal(await outbox.liveMessageOf(THREAD), undefined);
    await outbox.placeLiveMessage(THREAD, { channel: 'C1', ts: '1' });
    await outbox.placeLiveMessage(THREAD, { channel: 'C1', ts: '2' });
    const store = await bench.reopen();
    assert.deepEqual(await store.outbox.liveMessageOf(THREAD), { channel: 'C1', ts: '2' });
    assert.equal(await store.outbox.liveMessageOf(OTHER_THREAD), undefined);
    await store.outbox.placeLiveMessage(THREAD, undefined);
    assert.equal(await store.outbox.liveMessageOf(THREAD), undefined);
  });
}
