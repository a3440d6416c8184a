/** A turn is rebuilt from its records, and an unreadable state is not a store failure. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { INTERRUPT } from '@langchain/langgraph';
import {
  type GraphState,
  type RecordedTurn,
  UnreadableStateError,
} from '../../src/domain/ports/agent.ts';
import { StaleFenceError, StoreUnavailableError } from '../../src/domain/ports/store.ts';
import { sayCalls, sayText } from '../support/servers/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  CLEAN_UP,
  createBench,
  createTestCheckpoints,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from './agent-fixture.ts';

function recordOf({ turn, messages, spent, notice }: GraphState): RecordedTurn {
  assert.ok(turn);
  return { turn, messages, spent, notice };
}

/** The state without the interrupt ids of its calls. */
function withoutInterruptIds({ open, ...state }: GraphState) {
  return { ...state, open: open.map(({ interruptId: _, ...call }) => call) };
}

/** The parts of a stored state that these tests change. */
interface Parts {
  readonly checkpoint: { readonly channel_values: Readonly<Record<string, unknown>> };
  readonly pendingWrites: readonly (readonly [string, string, unknown])[];
}

/** Checkpoints whose answers can be changed. */
function createOddCheckpoints() {
  const { checkpoints } = createTestCheckpoints();
  const odd = { change: async (text: string): Promise<string> => text };
  const { read } = checkpoints;
  checkpoints.read = async (thread, fence) => {
    const text = await read(thread, fence);
    return text === undefined ? undefined : await odd.change(text);
  };
  return { checkpoints, odd };
}

test('a rebuilt turn equals the original and continues', async (t) => {
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
  assert.deepEqual(withoutInterruptIds(rebuilt), withoutInterruptIds(second));
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

test('it replaces any stored state, even of another turn', async (t) => {
  const { agent } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  await agent.start(aMessage('Another', '9.9'), FENCE, NO_SIGNAL);
  const rebuilt = await agent.rebuild?.(recordOf(asked), FENCE, NO_SIGNAL);
  assert.ok(rebuilt);
  assert.deepEqual(withoutInterruptIds(rebuilt), withoutInterruptIds(asked));
});

describe('a state that', () => {
  const parts = (change: (parts: Parts) => unknown) => async (text: string) =>
    JSON.stringify(change(JSON.parse(text) as Parts));
  const writes = (change: (value: unknown) => unknown) =>
    parts(({ pendingWrites, ...rest }) => ({
      ...rest,
      pendingWrites: pendingWrites.map(([task, channel, value]) => {
        return [task, channel, channel === INTERRUPT ? change(value) : value];
      }),
    }));
  const values = (patch: Readonly<Record<string, unknown>>) =>
    parts(({ checkpoint, ...rest }) => ({
      ...rest,
      checkpoint: {
        ...checkpoint,
        channel_values: { ...checkpoint.channel_values, ...patch },
      },
    }));
  const asText = (change: (json: string) => string) => (value: unknown) =>
    JSON.parse(change(JSON.stringify(value))) as unknown;
  const user = { role: 'user', id: 'T1/C1/100.1', text: 'Clean up', author: {}, at: 1 };

  const unreadable: Readonly<Record<string, (text: string) => Promise<string>>> = {
    'its store can’t read': () => Promise.reject(new UnreadableStateError('Damaged.')),
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
    it(`${what} is unreadable, and is replaced by a rebuilt turn`, async (t) => {
      const { checkpoints, odd } = createOddCheckpoints();
      const { agent } = await createBench(t, CLEAN_UP, { checkpoints });
      const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
      odd.change = change;
      const { phase, turn, open, messages } = await agent.read(THREAD);
      assert.deepEqual([phase, turn, open, messages], ['unreadable', undefined, [], []]);
      odd.change = async (text) => text;
      const rebuilt = await agent.rebuild?.(recordOf(asked), FENCE, NO_SIGNAL);
      assert.ok(rebuilt);
      assert.deepEqual(withoutInterruptIds(rebuilt), withoutInterruptIds(asked));
    });
  }

  for (const error of [
    new StoreUnavailableError('Away.', 'not-done'),
    new StaleFenceError('Too old.'),
    new Error('The disk failed.'),
  ]) {
    it(`fails to load is not treated as lost: ${error.name}, ${error.message}`, async (t) => {
      const { checkpoints, odd } = createOddCheckpoints();
      const { agent } = await createBench(t, CLEAN_UP, { checkpoints });
      await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
      odd.change = () => Promise.reject(error);
      await assert.rejects(agent.read(THREAD), error);
    });
  }
});

test('a thread whose state is gone when its call is answered does not ask the model', async (t) => {
  const { agent, mock } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  const replies = answering(asked, 'send', aReply('sent'));
  await agent.forget(THREAD, FENCE);
  await assert.rejects(agent.resume(THREAD, replies, FENCE, NO_SIGNAL), UnreadableStateError);
  assert.equal(mock.requests.length, 1);
  const { turn } = await agent.read(THREAD);
  assert.equal(turn, undefined);
});
