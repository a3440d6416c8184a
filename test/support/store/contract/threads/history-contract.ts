import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleFenceError } from '../../../../../src/domain/ports/store.ts';
import type { SettledTurn } from '../../../../../src/domain/threads/message.ts';
import { childThreadKey, type ThreadKey } from '../../../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../../builders/a-call.ts';
import {
  aDraft,
  eventsOf,
  holdThread,
  loseThread,
  type OpenBench,
  OTHER_THREAD,
} from '../contract-store.ts';

function aTurn(id: string, settledAt = 1_000): SettledTurn {
  return {
    id,
    settledAt,
    messages: [
      { role: 'user', id, text: `ask ${id} "🚀"`, author: REQUESTER, at: 900 },
      {
        role: 'assistant',
        id: `ai_${id}`,
        text: '',
        calls: [{ id: 'tc', tool: 'x', args: '{"a":1}' }],
      },
      { role: 'tool', id: `tm_${id}`, callId: 'tc', tool: 'x', text: 'done', status: 'ok' },
    ],
  };
}

export function historyContract(open: OpenBench): void {
  test('the newest turns are returned newest first, up to a limit', async (t) => {
    const bench = await open(t);
    const { history } = bench.store;
    const fence = await holdThread(bench);
    // Ordered by appending: clocks of several processes need not agree.
    const turns = [aTurn('one', 5_000), aTurn('two', 4_000), aTurn('three', 3_000)];
    for (const turn of turns) await history.append(THREAD, turn, {}, fence);
    assert.deepEqual(await history.newest(THREAD, 10, 0), turns.toReversed());
    const ids = async (limit: number, skip: number): Promise<readonly string[]> =>
      (await history.newest(THREAD, limit, skip)).map(({ id }) => id);
    assert.deepEqual(await ids(2, 0), ['three', 'two']);
    assert.deepEqual(await ids(2, 1), ['two', 'one']);
    assert.deepEqual(await ids(2, 3), []);
    assert.deepEqual(await ids(0, 0), []);
    assert.deepEqual(await history.newest(OTHER_THREAD, 10, 0), []);
  });

  test('a turn with a known id is neither appended nor changed, and has no effects', async (t) => {
    const bench = await open(t);
    const { history } = bench.store;
    const fence = await holdThread(bench);
    await history.append(THREAD, aTurn('one'), { audit: [aDraft('first')] }, fence);
    await history.append(
      THREAD,
      { ...aTurn('one'), messages: [] },
      { audit: [aDraft('again')] },
      fence,
    );
    assert.deepEqual(await history.newest(THREAD, 10, 0), [aTurn('one')]);
    assert.deepEqual(await eventsOf(bench.store), ['first']);
    assert.equal(await history.has(THREAD, 'one'), true);
    assert.equal(await history.has(THREAD, 'two'), false);
    assert.equal(await history.has(OTHER_THREAD, 'one'), false);
  });

  test('a worker that lost the thread, or owns another one, appends nothing', async (t) => {
    const bench = await open(t);
    const { old } = await loseThread(bench);
    const other = await holdThread(bench, OTHER_THREAD);
    await assert.rejects(
      bench.store.history.append(THREAD, aTurn('one'), {}, old),
      StaleFenceError,
    );
    await assert.rejects(bench.store.history.append(THREAD, aTurn('one'), {}, other), /fence/);
    assert.deepEqual(await bench.store.history.newest(THREAD, 10, 0), []);
  });

  test('turns survive a restart', async (t) => {
    const bench = await open(t);
    await bench.store.history.append(THREAD, aTurn('one'), {}, await holdThread(bench));
    const store = await bench.reopen();
    assert.deepEqual(await store.history.newest(THREAD, 10, 0), [aTurn('one')]);
    assert.equal(await store.history.has(THREAD, 'one'), true);
  });

  test('the other fields of a turn are returned with it', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const usage = { requests: 2, inputTokens: 10, outputTokens: 3, modelMs: 40 };
    const turn = { ...aTurn('one'), failure: 'It “broke”.', usage };
    await bench.store.history.append(THREAD, turn, {}, fence);
    const store = await bench.reopen();
    assert.deepEqual(await store.history.newest(THREAD, 1, 0), [turn]);
  });

  test('the newest rating of a turn by each person is kept, and none for a missing turn', async (t) => {
    const bench = await open(t);
    const { history } = bench.store;
    await history.append(THREAD, aTurn('one'), {}, await holdThread(bench));
    const good = { by: REQUESTER, value: 'good', at: 1 } as const;
    const bad = { by: { team: 'T1', user: 'U9' }, value: 'bad', at: 2 } as const;
    assert.equal(await history.rate(THREAD, 'one', good, { audit: [aDraft('rated')] }), true);
    assert.equal(await history.rate(THREAD, 'one', bad, {}), true);
    assert.equal(await history.rate(THREAD, 'one', { ...good, value: 'bad', at: 3 }, {}), true);
    assert.equal(await history.rate(THREAD, 'two', good, { audit: [aDraft('not')] }), false);
    assert.equal(await history.rate(OTHER_THREAD, 'one', good, {}), false);
    const store = await bench.reopen();
    const kept = [{ ...good, value: 'bad', at: 3 }, bad];
    assert.deepEqual(await store.history.ratings(THREAD, 'one'), kept);
    assert.deepEqual(await eventsOf(store), ['rated']);
  });

  test('clearing a thread removes its own turns and those of its child threads, and no others', async (t) => {
    const bench = await open(t);
    const { history } = bench.store;
    const child = childThreadKey(THREAD, 'call_1');
    const neighbour = `${THREAD}5` as ThreadKey;
    for (const thread of [THREAD, child, neighbour, OTHER_THREAD]) {
      await history.append(thread, aTurn('one'), {}, await holdThread(bench, thread));
    }
    await history.rate(THREAD, 'one', { by: REQUESTER, value: 'good', at: 1 }, {});
    assert.equal(await history.clear(THREAD, { audit: [aDraft('cleared')] }), 2);
    assert.deepEqual(await history.newest(THREAD, 9, 0), []);
    assert.deepEqual(await history.newest(child, 9, 0), []);
    assert.deepEqual(await history.ratings(THREAD, 'one'), []);
    assert.equal((await history.newest(neighbour, 9, 0)).length, 1);
    assert.equal((await history.newest(OTHER_THREAD, 9, 0)).length, 1);
    assert.deepEqual(await eventsOf(bench.store), ['cleared']);
  });
}
