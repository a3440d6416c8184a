/** A turn is put back from what is recorded of it, and a state that can't be read is no failure of the store. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { INTERRUPT } from '@langchain/langgraph';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import {
  type GraphState,
  type RecordedTurn,
  UnreadableStateError,
} from '../../src/domain/agent.ts';
import { StaleFenceError, StoreUnavailableError } from '../../src/domain/store.ts';
import { sayCalls, sayText } from '../support/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  CLEAN_UP,
  createBench,
  createTestSaver,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from './agent-fixture.ts';

function recordOf({ turn, messages, spent, notice }: GraphState): RecordedTurn {
  assert.ok(turn);
  return { turn, messages, spent, notice };
}

/** What the state says, but for the addresses of its calls. */
function tell({ open, ...state }: GraphState) {
  return { ...state, open: open.map(({ interruptId: _, ...call }) => call) };
}

/** A saver whose answers can be changed, and whose writes fail in turn. */
function createOddSaver() {
  const { saver } = createTestSaver();
  const odd = {
    change: (tuple: CheckpointTuple): CheckpointTuple | Promise<never> => tuple,
    failAt: Number.POSITIVE_INFINITY,
    writes: 0,
  };
  const getTuple = saver.getTuple.bind(saver);
  saver.getTuple = async (config) => {
    const tuple = await getTuple(config);
    return tuple && odd.change(tuple);
  };
  const count = () => {
    odd.writes += 1;
    if (odd.writes === odd.failAt) throw new Error('The process died here.');
  };
  const { put, putWrites, forget } = saver;
  saver.put = async (...args) => {
    count();
    return await put.call(saver, ...args);
  };
  saver.putWrites = async (...args) => {
    count();
    await putWrites.call(saver, ...args);
  };
  saver.forget = async (...args) => {
    count();
    await forget.call(saver, ...args);
  };
  return { saver, odd };
}

test('a turn that is put back is the turn that it was, and goes on', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) => {
    if (index === 0) return sayCalls([{ id: 'p', name: 'pay', args: '{"n": 1.0}' }], 'First.');
    if (index > 1) return sayText('Done.');
    return sayCalls([
      { id: 's', name: 'send', args: '{"broken' },
      { id: 'p', name: 'pay', args: '' },
    ]);
  });
  const first = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  const second = await agent.resume(
    THREAD,
    answering(first, 'pay', aReply('paid')),
    FENCE,
    NO_SIGNAL,
  );
  const asked = mock.requests.length;
  await agent.forget(THREAD, FENCE);
  const rebuilt = await agent.rebuild?.(recordOf(second), FENCE, NO_SIGNAL);
  assert.ok(rebuilt);
  assert.deepEqual(tell(rebuilt), tell(second));
  assert.deepEqual(await agent.read(THREAD), rebuilt);
  assert.equal(mock.requests.length, asked);
  const replies = {
    ...answering(rebuilt, 'send', aReply('invalid', { status: 'error' })),
    ...answering(rebuilt, 'pay', aReply('paid again')),
  };
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.phase, 'finished');
  assert.deepEqual(
    end.messages.map(({ text }) => text),
    ['Go', 'First.', 'paid', '', 'invalid', 'paid again', 'Done.'],
  );
  assert.equal(end.spent?.requests, 3);
  assert.deepEqual(mock.refusals, []);
});

test('it takes the place of whatever is stored, also of another turn', async (t) => {
  const { agent } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  await agent.start(aMessage('Another', '9.9'), FENCE, NO_SIGNAL);
  const rebuilt = await agent.rebuild?.(recordOf(asked), FENCE, NO_SIGNAL);
  assert.ok(rebuilt);
  assert.deepEqual(tell(rebuilt), tell(asked));
});

test('a worker that dies while it puts a turn back leaves one that can be put back', async (t) => {
  const { saver, odd } = createOddSaver();
  const { agent, mock } = await createBench(t, CLEAN_UP, { saver });
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  let deaths = 0;
  for (;;) {
    odd.writes = 0;
    odd.failAt = deaths + 1;
    const state = await agent.rebuild?.(recordOf(asked), FENCE, NO_SIGNAL).catch(() => undefined);
    if (state) break;
    deaths += 1;
    odd.failAt = Number.POSITIVE_INFINITY;
    const half = await agent.read(THREAD);
    if (half.phase === 'stuck') {
      assert.deepEqual(tell(await agent.proceed(THREAD, FENCE, NO_SIGNAL)), tell(asked));
    } else {
      assert.ok(half.phase === 'none' || half.phase === 'waiting', half.phase);
    }
  }
  assert.ok(deaths >= 3, `It died ${deaths} times only.`);
  assert.deepEqual(tell(await agent.read(THREAD)), tell(asked));
  assert.equal(mock.requests.length, 1);
});

describe('a state that', () => {
  const writes = (change: (value: unknown) => unknown) => (tuple: CheckpointTuple) => ({
    ...tuple,
    pendingWrites: tuple.pendingWrites?.map(([task, channel, value]) => {
      return [task, channel, channel === INTERRUPT ? change(value) : value] as const;
    }) as NonNullable<CheckpointTuple['pendingWrites']>,
  });
  const values = (patch: Readonly<Record<string, unknown>>) => (tuple: CheckpointTuple) => ({
    ...tuple,
    checkpoint: {
      ...tuple.checkpoint,
      channel_values: { ...tuple.checkpoint.channel_values, ...patch },
    },
  });
  const asText = (change: (json: string) => string) => (value: unknown) =>
    JSON.parse(change(JSON.stringify(value))) as unknown;
  const user = { role: 'user', id: 'T1/C1/100.1', text: 'Clean up', author: {}, at: 1 };

  const unreadable: Readonly<
    Record<string, (tuple: CheckpointTuple) => CheckpointTuple | Promise<never>>
  > = {
    'its saver can’t read': () => Promise.reject(new UnreadableStateError('Damaged.')),
    'asks in a way of another version': writes(asText((json) => json.replace('"v":1', '"v":2'))),
    'asks about a call of another message': writes(asText((json) => json.replace('msg_', 'm_'))),
    'asks about a call that its message does not have': writes(
      asText((json) => json.replace('"toolCallId":"c1"', '"toolCallId":"c9"')),
    ),
    'has no list of messages': values({ messages: 'none' }),
    'has a message of an unknown role': values({ messages: [{ ...user, role: 'robot' }] }),
    'has a message without words': values({ messages: [{ ...user, text: undefined }] }),
    'has a call without arguments': values({
      messages: [
        user,
        { role: 'assistant', id: 'msg_1', text: '', calls: [{ id: 'c1', tool: 'pay' }] },
      ],
    }),
    'has ended without the answers to its calls': values({ __pregel_tasks: [] }),
  };
  for (const [what, change] of Object.entries(unreadable)) {
    it(`${what} is unreadable, and gives way to a turn`, async (t) => {
      const { saver, odd } = createOddSaver();
      const { agent } = await createBench(t, CLEAN_UP, { saver });
      const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
      odd.change = change;
      const { phase, turn, open, messages } = await agent.read(THREAD);
      assert.deepEqual([phase, turn, open, messages], ['unreadable', undefined, [], []]);
      odd.change = (tuple) => tuple;
      const rebuilt = await agent.rebuild?.(recordOf(asked), FENCE, NO_SIGNAL);
      assert.ok(rebuilt);
      assert.deepEqual(tell(rebuilt), tell(asked));
    });
  }

  for (const error of [
    new StoreUnavailableError('Away.', 'not-done'),
    new StaleFenceError('Too old.'),
    new Error('The disk failed.'),
  ]) {
    it(`can’t be asked for is not lost: ${error.name}, ${error.message}`, async (t) => {
      const { saver, odd } = createOddSaver();
      const { agent } = await createBench(t, CLEAN_UP, { saver });
      await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
      odd.change = () => Promise.reject(error);
      await assert.rejects(agent.read(THREAD), error);
    });
  }
});

test('a thread whose state is gone by the time it is answered does not come to the model', async (t) => {
  const { agent, mock } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  const replies = answering(asked, 'send', aReply('sent'));
  await agent.forget(THREAD, FENCE);
  await assert.rejects(agent.resume(THREAD, replies, FENCE, NO_SIGNAL), UnreadableStateError);
  assert.equal(mock.requests.length, 1);
  const { turn } = await agent.read(THREAD);
  assert.equal(turn, undefined);
});
