import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleFenceError } from '../../../../src/domain/ports/store.ts';
import { childThreadKey, type ThreadKey } from '../../../../src/domain/threads/thread-key.ts';
import type { TurnRecord } from '../../../../src/domain/threads/turn-record.ts';
import { REQUESTER, THREAD } from '../../builders/a-call.ts';
import {
  aDraft,
  aProposal,
  eventsOf,
  holdThread,
  loseThread,
  type OpenBench,
  OTHER_THREAD,
} from './contract-store.ts';

const HALF = JSON.parse('"half \\ud83d"') as string;

function aRecord(position: number, patch: Partial<TurnRecord> = {}): TurnRecord {
  const id = `ai_${position}`;
  const rejected = {
    ...({ role: 'tool', id: `${id}/c1`, callId: 'c1', tool: 'x' } as const),
    ...({ text: `Not run:\n"${HALF}" 🚀`, status: 'error' } as const),
  };
  return {
    v: 1,
    thread: THREAD,
    turn: 'one',
    position,
    message: {
      role: 'assistant',
      id,
      text: 'héllo',
      calls: [{ id: 'c1', tool: 'x', args: '{"a' }],
    },
    rejected: [rejected],
    spent: { requests: 2, modelMs: 0.5, tokens: { input: 10, output: 3 } },
    notice: 'Cut.',
    ...patch,
  };
}

const USER: TurnRecord = {
  v: 1,
  thread: THREAD,
  turn: 'one',
  position: 0,
  message: { role: 'user', id: 'one', text: 'ask', author: REQUESTER, at: 900 },
  rejected: [],
};

export function turnRecordsContract(open: OpenBench): void {
  test('messages of a turn are returned unchanged, in order of position', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    await bench.store.turnRecords.keep([aRecord(10), aRecord(2), USER], fence);
    await bench.store.turnRecords.keep([aRecord(0, { turn: 'two' })], fence);
    const store = await bench.reopen();
    assert.deepEqual(await store.turnRecords.ofTurn(THREAD, 'one'), [
      USER,
      aRecord(2),
      aRecord(10),
    ]);
    assert.deepEqual(await store.turnRecords.ofTurn(OTHER_THREAD, 'one'), []);
    assert.deepEqual(await store.turnRecords.ofTurn(THREAD, 'three'), []);
  });

  test('a known position is not overwritten', async (t) => {
    const bench = await open(t);
    const { turnRecords } = bench.store;
    const fence = await holdThread(bench);
    await turnRecords.keep([aRecord(1)], fence);
    await turnRecords.keep([aRecord(1, { notice: 'Other.' }), aRecord(3)], fence);
    assert.deepEqual(await turnRecords.ofTurn(THREAD, 'one'), [aRecord(1), aRecord(3)]);
  });

  test('messages are stored together with the call that they request, or not at all', async (t) => {
    const bench = await open(t);
    const { ledger, turnRecords } = bench.store;
    const { old, young } = await loseThread(bench);
    const effects = { turnRecords: [USER, aRecord(1)], audit: [aDraft('proposed')] };
    await assert.rejects(ledger.propose(aProposal(), effects, old), StaleFenceError);
    assert.deepEqual(await turnRecords.ofTurn(THREAD, 'one'), []);
    await ledger.propose(aProposal(), effects, young);
    await ledger.propose(aProposal(), { turnRecords: [aRecord(3)] }, young);
    assert.deepEqual(await turnRecords.ofTurn(THREAD, 'one'), [USER, aRecord(1)]);
    assert.deepEqual(await eventsOf(bench.store), ['proposed']);
  });

  test('a worker that lost the thread, or owns another one, stores nothing', async (t) => {
    const bench = await open(t);
    const { turnRecords } = bench.store;
    const { old } = await loseThread(bench);
    const other = await holdThread(bench, OTHER_THREAD);
    await assert.rejects(turnRecords.keep([USER], old), StaleFenceError);
    await assert.rejects(turnRecords.keep([USER], other), /fence/);
    assert.deepEqual(await turnRecords.ofTurn(THREAD, 'one'), []);
  });

  test('are removed when the turn is appended to the history; other messages stay', async (t) => {
    const bench = await open(t);
    const { history, turnRecords } = bench.store;
    const child = childThreadKey(THREAD, 'call_1');
    const keep = async (thread: ThreadKey, turn: string) => {
      const fence = await holdThread(bench, thread);
      await turnRecords.keep([{ ...USER, thread, turn }], fence);
      return fence;
    };
    await keep(child, 'below');
    const fence = await keep(THREAD, 'one');
    const turn = { id: 'one', settledAt: 1_000, messages: [] };
    const { old, young } = { old: { ...fence, token: fence.token - 1 }, young: fence };
    await assert.rejects(history.append(THREAD, turn, {}, old), StaleFenceError);
    assert.equal((await turnRecords.ofTurn(THREAD, 'one')).length, 1);
    await history.append(THREAD, turn, {}, young);
    assert.deepEqual(await turnRecords.ofTurn(THREAD, 'one'), []);
    await turnRecords.keep([{ ...USER, turn: 'two' }], young);
    await history.append(THREAD, turn, {}, young);
    assert.equal((await turnRecords.ofTurn(THREAD, 'two')).length, 1);
    assert.equal((await turnRecords.ofTurn(child, 'below')).length, 1);
  });
}
