import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Call, CallStatus } from '../../../../../src/domain/calls/call.ts';
import type { UntouchedThread } from '../../../../../src/domain/ports/store.ts';
import {
  channelKey,
  childThreadKey,
  type ThreadKey,
} from '../../../../../src/domain/threads/thread-key.ts';
import type { TurnRecord } from '../../../../../src/domain/threads/turn-record.ts';
import { APPROVER, REQUESTER, THREAD } from '../../../builders/a-call.ts';
import {
  aDraft,
  aMessage,
  aProposal,
  aSay,
  eventsOf,
  holdThread,
  type OpenBench,
  OTHER_THREAD,
  stepTo,
  storeCall,
} from '../contract-store.ts';

const CHILD = childThreadKey(THREAD, 'call_parent');
const ALL = { skip: 0, limit: 9 };

const aTurn = (id: string, settledAt: number) => ({ id, settledAt, messages: [] });

const leftRecord = (thread: ThreadKey): TurnRecord => ({
  v: 1,
  thread,
  turn: 'left',
  position: 0,
  message: { role: 'user', id: 'left', text: 'ask', author: REQUESTER, at: 900 },
  rejected: [],
});

export function removalContract(open: OpenBench): void {
  /** A store with a thread that has every kind of data, all ended by `at`, and the thread of a helper below it. */
  async function withThread(t: TestContext, at: number, status: CallStatus = 'succeeded') {
    const bench = await open(t);
    const { history, inbox, ledger, outbox } = bench.store;
    const fence = await holdThread(bench);
    const below = await holdThread(bench, CHILD);
    await inbox.receive(aMessage('1.000100', { receivedAt: 500 }), {});
    await inbox.end('T1/C1/1.000100', 'turn', {}, fence);
    const parent = { id: 'call_parent', toolCallId: 'tc_p', child: CHILD, updatedAt: at };
    const begun = await storeCall(bench.store, fence, 'pending', parent);
    const approved = stepTo(begun, 'approved', 'approve');
    const run = stepTo(approved.call, 'running', 'claim');
    const ended = stepTo(run.call, 'succeeded', 'finish');
    const call: Call = { ...ended.call, verdict: { kind: 'approve', by: APPROVER, at: 1_500 } };
    assert.ok(await ledger.write(begun, [approved, run, { ...ended, call }], {}));
    assert.equal((await ledger.decidedBy(APPROVER, { since: 0, limit: 9 })).length, 1);
    const child = { id: 'call_child', thread: CHILD, updatedAt: at };
    const inner = await storeCall(bench.store, below, status, child);
    await ledger.placeCard(call.id, { channel: 'C1', ts: '2.0' });
    await history.append(THREAD, aTurn('one', at), {}, fence);
    await history.append(CHILD, aTurn('two', at), {}, below);
    // Left by a version that does not know them.
    await bench.store.turnRecords.keep([leftRecord(THREAD)], fence);
    await bench.store.turnRecords.keep([leftRecord(CHILD)], below);
    await history.rate(THREAD, 'one', { by: REQUESTER, value: 'good', at }, {});
    await outbox.add([aSay('said'), aSay('unsaid')], []);
    await outbox.markSent('said');
    return { bench, fence, call, inner };
  }

  const found = (touchedAt: number): UntouchedThread => ({
    thread: THREAD,
    touchedAt,
    turns: 2,
    calls: 2,
  });

  test('threads without activity since a given time are found, longest idle first', async (t) => {
    const { bench } = await withThread(t, 2_000);
    const late = { id: 'late', thread: OTHER_THREAD, receivedAt: 3_000 };
    await bench.store.inbox.receive(aMessage('3.000100', late), {});
    const store = await bench.reopen();
    const { history } = store;
    assert.deepEqual(await history.inactiveThreads(2_000, ALL), []);
    assert.deepEqual(await history.inactiveThreads(2_001, ALL), [found(2_000)]);
    const both = await history.inactiveThreads(9_000, ALL);
    assert.deepEqual(
      both.map(({ thread }) => thread),
      [THREAD, OTHER_THREAD],
    );
    assert.deepEqual(await history.inactiveThreads(9_000, { skip: 0, limit: 1 }), both.slice(0, 1));
    assert.deepEqual(await history.inactiveThreads(9_000, { skip: 1, limit: 9 }), both.slice(1));
  });

  test('all data of a thread and its child threads is removed, and received or sent messages are still known', async (t) => {
    const { bench, call, inner } = await withThread(t, 2_000);
    const { history } = bench.store;
    assert.equal(await history.remove(found(2_000), { audit: [aDraft('removed')] }), true);
    assert.equal(await history.remove(found(2_000), { audit: [aDraft('again')] }), false);
    const store = await bench.reopen();
    for (const { id, requester, thread, tool, turn } of [call, inner]) {
      assert.deepEqual(await store.turnRecords.ofTurn(thread, 'left'), []);
      assert.equal(await store.ledger.get(id), undefined);
      assert.deepEqual(await store.ledger.ofThread(thread), []);
      assert.deepEqual(await store.ledger.ofThread(thread, turn), []);
      assert.deepEqual(await store.ledger.ofRequester(requester, tool, 0), []);
      assert.deepEqual(await store.ledger.decidedBy(APPROVER, { since: 0, limit: 9 }), []);
      assert.deepEqual(await store.history.newest(thread, 9, 0), []);
      assert.equal(await store.ledger.cardOf(id), undefined);
    }
    assert.deepEqual(await store.ledger.withStatus('succeeded'), []);
    assert.deepEqual(await store.ledger.count(), {});
    assert.deepEqual(await store.ledger.newest({ limit: 9 }), []);
    assert.deepEqual(await store.history.ratings(THREAD, 'one'), []);
    assert.deepEqual(await store.outbox.pendingMessages(THREAD), []);
    assert.deepEqual(await store.outbox.threadsWithPendingMessages(), []);
    assert.deepEqual(await store.history.inactiveThreads(9_000, ALL), []);
    assert.deepEqual(await eventsOf(store), ['removed']);
    assert.equal(await store.inbox.hasThread(THREAD), true);
    assert.equal((await store.inbox.received([aMessage('1.000100').id])).size, 1);
    const again = aMessage('1.000100', { receivedAt: 9_000 });
    assert.equal(await store.inbox.receive(again, {}), 'known');
    await store.outbox.add([aSay('said'), aSay('unsaid')], []);
    assert.deepEqual(await store.outbox.pendingMessages(THREAD), []);
  });

  test('a thread touched after it was found keeps everything', async (t) => {
    const { bench, call } = await withThread(t, 2_000);
    const { history, inbox, ledger } = bench.store;
    await inbox.receive(aMessage('4.000100', { receivedAt: 4_000 }), {});
    assert.equal(await history.remove(found(2_000), { audit: [aDraft('removed')] }), false);
    assert.deepEqual(await ledger.get(call.id), { ...call, delivered: call.delivered });
    assert.equal((await history.newest(THREAD, 9, 0)).length, 1);
    assert.deepEqual(await eventsOf(bench.store), []);
  });

  test('a thread with a waiting message keeps everything, however old it is', async (t) => {
    const { bench } = await withThread(t, 2_000);
    const { history, inbox } = bench.store;
    await inbox.receive(aMessage('4.000100', { thread: CHILD, receivedAt: 1_000 }), {});
    assert.equal(await history.remove(found(2_000), {}), false);
    assert.equal((await history.newest(THREAD, 9, 0)).length, 1);
  });

  for (const status of ['proposed', 'pending', 'approved', 'running', 'unknown'] as const) {
    test(`a thread with a call that is ${status} keeps everything, however old it is`, async (t) => {
      const { bench, inner } = await withThread(t, 2_000, status);
      const { history, ledger } = bench.store;
      assert.equal(await history.remove(found(2_000), {}), false);
      assert.equal((await ledger.get(inner.id))?.status, status);
      assert.equal((await history.newest(CHILD, 9, 0)).length, 1);
    });
  }

  test('a step of a call touches its thread', async (t) => {
    const { bench, inner } = await withThread(t, 2_000, 'unknown');
    const settled = stepTo(inner, 'succeeded', 'settle');
    const step = { ...settled, call: { ...settled.call, updatedAt: 7_000 } };
    await bench.store.ledger.write(inner, [step], {});
    assert.deepEqual(await bench.store.history.inactiveThreads(7_000, ALL), []);
    assert.deepEqual(await bench.store.history.inactiveThreads(7_001, ALL), [found(7_000)]);
  });
  test('calls of a channel itself are found once they have ended, however recent its other calls are, and are removed with their cards', async (t) => {
    const bench = await open(t);
    const { history, ledger } = bench.store;
    const channel = channelKey({ team: 'T1', channel: 'C1' });
    const fence = await holdThread(bench, channel);
    const own = await holdThread(bench);
    const store = (id: string, status: CallStatus, updatedAt: number) =>
      storeCall(bench.store, fence, status, {
        ...{ id, toolCallId: id, messageId: 'key:k1', turn: id, thread: channel, updatedAt },
      });
    const old = await store('call_old', 'succeeded', 1_500);
    const older = await store('call_older', 'expired', 1_400);
    const young = await store('call_young', 'replied', 2_000);
    const open_ = await store('call_open', 'unknown', 1_100);
    await storeCall(bench.store, own, 'succeeded', { id: 'call_thread', updatedAt: 1_100 });
    await ledger.placeCard(old.id, { channel: 'C1', ts: '2.0' });
    const ids = async (before: number, limit = 9) =>
      (await history.endedChannelCalls(before, limit)).map(({ id }) => id).sort();
    assert.deepEqual(await ids(1_400), []);
    assert.deepEqual(await ids(1_401), ['call_older']);
    assert.deepEqual(await ids(2_000), ['call_old', 'call_older']);
    assert.equal((await ids(2_000, 1)).length, 1);
    const found = await history.endedChannelCalls(2_000, 9);
    await ledger.markDelivered([old.id]);
    assert.equal(await history.removeCalls([...found, open_], {}), false);
    assert.equal(await history.removeCalls(found, { audit: [aDraft('removed')] }), true);
    assert.equal(await history.removeCalls(found, { audit: [aDraft('again')] }), false);
    const again = await bench.reopen();
    for (const { id, requester, tool, turn } of [old, older]) {
      assert.equal(await again.ledger.get(id), undefined);
      assert.equal(await again.ledger.cardOf(id), undefined);
      assert.deepEqual(await again.ledger.ofThread(channel, turn), []);
      const others = await again.ledger.ofRequester(requester, tool, 0);
      assert.ok(!others.some((call) => call.id === id));
    }
    assert.deepEqual(
      (await again.ledger.ofThread(channel)).map(({ id }) => id),
      [young.id, open_.id],
    );
    assert.deepEqual(await again.ledger.count(), { replied: 1, unknown: 1, succeeded: 1 });
    assert.deepEqual(await eventsOf(again), ['removed']);
    const anew = await again.ledger.propose(aProposal({ ...old, status: 'proposed' }), {});
    assert.equal(anew.status, 'proposed');
  });
}
