import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleFenceError } from '../../../../../src/domain/ports/store.ts';
import type { InboxMessage } from '../../../../../src/domain/threads/message.ts';
import { childThreadKey, type ThreadKey } from '../../../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../../builders/a-call.ts';
import {
  aDraft,
  aMessage,
  eventsOf,
  holdThread,
  loseThread,
  type OpenBench,
  OTHER_THREAD,
} from '../contract-store.ts';

export function inboxContract(open: OpenBench): void {
  test('a message is accepted once, with its effects once', async (t) => {
    const { store } = await open(t);
    const message = aMessage('1700000001.000100', { text: 'héllo\n"there" 🚀' });
    assert.equal(await store.inbox.receive(message, { audit: [aDraft('first')] }), 'new');
    const again = { ...message, text: 'edited' };
    assert.equal(await store.inbox.receive(again, { audit: [aDraft('second')] }), 'known');
    assert.deepEqual(await store.inbox.waiting(THREAD), [message]);
    assert.deepEqual(await eventsOf(store), ['first']);
  });

  test('of many deliveries of one message, one is new', async (t) => {
    const { store } = await open(t);
    const message = aMessage('1700000001.000100');
    const all = await Promise.all(
      Array.from({ length: 8 }, () => store.inbox.receive(message, {})),
    );
    assert.equal(all.filter((how) => how === 'new').length, 1);
    assert.equal((await store.inbox.waiting(THREAD)).length, 1);
  });

  test('waiting messages are returned oldest first, in whatever order they arrive', async (t) => {
    const { store } = await open(t);
    const times = [
      '1700000002.000200',
      '1700000002.000100',
      '999999999.000900',
      '10000000000.000100',
    ];
    for (const ts of times) await store.inbox.receive(aMessage(ts), {});
    await store.inbox.receive(aMessage('1.000100', { id: 'other', thread: OTHER_THREAD }), {});
    const order = (await store.inbox.waiting(THREAD)).map(({ ts }) => ts);
    assert.deepEqual(order, [
      '999999999.000900',
      '1700000002.000100',
      '1700000002.000200',
      '10000000000.000100',
    ]);
  });

  test('a thread is known from its first message on, also after that message has ended', async (t) => {
    const bench = await open(t);
    const message = aMessage('1700000001.000100');
    assert.equal(await bench.store.inbox.hasThread(THREAD), false);
    await bench.store.inbox.receive(message, {});
    await bench.store.inbox.end(message.id, 'answered', {}, await holdThread(bench));
    assert.equal(await bench.store.inbox.hasThread(THREAD), true);
    assert.equal(await bench.store.inbox.hasThread(OTHER_THREAD), false);
  });

  test('a message is known as received, however it ended', async (t) => {
    const bench = await open(t);
    const { inbox } = bench.store;
    const [ended, waits] = [aMessage('1700000001.000100'), aMessage('1700000002.000100')];
    await inbox.receive(ended, {});
    await inbox.receive(waits, {});
    await inbox.end(ended.id, 'answered', {}, await holdThread(bench));
    const never = aMessage('1700000003.000100').id;
    assert.deepEqual(
      await inbox.received([never, waits.id, ended.id]),
      new Set([ended.id, waits.id]),
    );
    assert.deepEqual(await inbox.received([]), new Set());
  });

  test('one message at a time is current, and an ended one never again', async (t) => {
    const bench = await open(t);
    const { inbox } = bench.store;
    const [first, second] = [aMessage('1700000001.000100'), aMessage('1700000002.000100')];
    await inbox.receive(first, {});
    await inbox.receive(second, {});
    const fence = await holdThread(bench);
    assert.equal(await inbox.current(THREAD), undefined);
    assert.equal(await inbox.begin(first.id, { audit: [aDraft('began')] }, fence), true);
    assert.equal(await inbox.begin(first.id, { audit: [aDraft('again')] }, fence), false);
    assert.equal(await inbox.begin(second.id, { audit: [aDraft('both')] }, fence), false);
    assert.deepEqual(await inbox.current(THREAD), first);
    assert.deepEqual(await inbox.waiting(THREAD), [second]);
    assert.equal(await inbox.end(first.id, 'turn', { audit: [aDraft('ended')] }, fence), true);
    assert.equal(await inbox.end(first.id, 'turn', { audit: [aDraft('twice')] }, fence), false);
    assert.equal(await inbox.begin(first.id, {}, fence), false);
    assert.equal(await inbox.begin(second.id, {}, fence), true);
    assert.deepEqual(await inbox.current(THREAD), second);
    assert.deepEqual(await eventsOf(bench.store), ['began', 'ended']);
  });

  test('a waiting message can end without becoming current', async (t) => {
    const bench = await open(t);
    const message = aMessage('1700000001.000100');
    await bench.store.inbox.receive(message, {});
    const fence = await holdThread(bench);
    assert.equal(await bench.store.inbox.end(message.id, 'reply', {}, fence), true);
    assert.deepEqual(await bench.store.inbox.waiting(THREAD), []);
    assert.equal(await bench.store.inbox.begin(message.id, {}, fence), false);
    assert.equal(await bench.store.inbox.end('unknown', 'reply', {}, fence), false);
  });

  test('the fence of another thread moves no message', async (t) => {
    const bench = await open(t);
    const message = aMessage('1700000001.000100');
    await bench.store.inbox.receive(message, {});
    const other = await holdThread(bench, OTHER_THREAD);
    assert.equal(await bench.store.inbox.begin(message.id, {}, other), false);
    assert.equal(await bench.store.inbox.end(message.id, 'turn', {}, other), false);
    assert.deepEqual(await bench.store.inbox.waiting(THREAD), [message]);
  });

  test('a worker that lost the thread moves no message', async (t) => {
    const bench = await open(t);
    const message = aMessage('1700000001.000100');
    await bench.store.inbox.receive(message, {});
    const { old, young } = await loseThread(bench);
    await assert.rejects(bench.store.inbox.begin(message.id, {}, old), StaleFenceError);
    await assert.rejects(bench.store.inbox.end(message.id, 'turn', {}, old), StaleFenceError);
    assert.equal(await bench.store.inbox.begin(message.id, {}, young), true);
  });

  test('messages survive a restart in their state', async (t) => {
    const bench = await open(t);
    const [first, second] = [aMessage('1700000001.000100'), aMessage('1700000002.000100')];
    await bench.store.inbox.receive(first, {});
    await bench.store.inbox.receive(second, {});
    await bench.store.inbox.begin(first.id, {}, await holdThread(bench));
    const store = await bench.reopen();
    assert.deepEqual(await store.inbox.current(THREAD), first);
    assert.deepEqual(await store.inbox.waiting(THREAD), [second]);
    assert.equal(await store.inbox.receive(first, {}), 'known');
  });

  test('open turns are found by workspace and channel, including those of child threads', async (t) => {
    const bench = await open(t);
    const { inbox } = bench.store;
    const child = childThreadKey(THREAD, 'call_1');
    const message = (id: string, thread: ThreadKey): InboxMessage => ({
      id,
      thread,
      author: REQUESTER,
      ts: '1.000001',
      text: id,
      receivedAt: 1,
    });
    for (const [id, thread] of [
      ['a', THREAD],
      ['b', child],
      ['c', OTHER_THREAD],
    ] as const) {
      await inbox.receive(message(id, thread), {});
      await inbox.begin(id, {}, await holdThread(bench, thread));
    }
    await inbox.receive(message('d', THREAD), {});
    const ids = async (place: { team: string; channel?: string }) =>
      (await inbox.ongoing(place)).map(({ id }) => id).sort();
    assert.deepEqual(await ids({ team: 'T1', channel: 'C1' }), ['a', 'b']);
    assert.deepEqual(await ids({ team: 'T1' }), ['a', 'b', 'c']);
    assert.deepEqual(await ids({ team: 'T1', channel: 'C' }), []);
    assert.deepEqual(await ids({ team: 'T' }), []);
    assert.deepEqual(
      [...(await inbox.threadsWithMessages())].sort(),
      [THREAD, child, OTHER_THREAD].sort(),
    );
  });

  test('only a current message can be stopped, and only once', async (t) => {
    const bench = await open(t);
    const { inbox } = bench.store;
    const fence = await holdThread(bench);
    const message = {
      id: 'a',
      thread: THREAD,
      author: REQUESTER,
      ts: '1.1',
      text: 'a',
      receivedAt: 1,
    };
    await inbox.receive(message, {});
    const effects = { audit: [aDraft('stopped')] };
    assert.equal(await inbox.stop('a', REQUESTER, 5, effects), false);
    await inbox.begin('a', {}, fence);
    assert.equal(await inbox.stop('a', REQUESTER, 6, effects), true);
    assert.equal(await inbox.stop('a', { team: 'T1', user: 'U9' }, 7, effects), false);
    const store = await bench.reopen();
    const stopped = { by: REQUESTER, at: 6 };
    assert.deepEqual(await store.inbox.current(THREAD), { ...message, stopped });
    assert.deepEqual(await eventsOf(store), ['stopped']);
  });
}
