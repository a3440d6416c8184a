import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MockScript, sayCalls } from '../../support/servers/mock-model.ts';
import {
  type AgentBench,
  aMessage,
  aReply,
  createBench,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from '../agent-fixture.ts';

/** Answers every call with the same reply until the turn ends. */
async function playOut({ agent }: AgentBench, status: 'ok' | 'error') {
  let state = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  while (state.phase === 'waiting') {
    const replies = Object.fromEntries(
      state.open.map(({ interruptId }) => [interruptId, aReply('so', { status })]),
    );
    state = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  }
  return state;
}

const payWith =
  (argsOf: (index: number) => string): MockScript =>
  (_request, index) =>
    sayCalls([{ id: `c${index}`, name: 'pay', args: argsOf(index) }]);

test('a turn stops after 25 model answers, with a message', async (t) => {
  const bench = await createBench(
    t,
    payWith((index) => `{"n":${index}}`),
  );
  const state = await playOut(bench, 'error');
  assert.equal(state.phase, 'finished');
  assert.equal(bench.mock.requests.length, 25);
  assert.match(state.failure ?? '', /stopped after 25 steps/);
  assert.equal(state.messages.at(-1)?.role, 'tool');
});

test('the same call failing three times stops the turn, however its arguments are spaced', async (t) => {
  const args = ['{"a":1,"b":2}', '{ "b": 2.0, "a": 1 }', '{"b":2,"a":1}'];
  const bench = await createBench(
    t,
    payWith((index) => args[index] ?? '{}'),
  );
  const state = await playOut(bench, 'error');
  assert.equal(bench.mock.requests.length, 3);
  assert.match(state.failure ?? '', /pay failed 3 times with the same arguments/);
});

test('the same malformed call failing three times stops the turn', async (t) => {
  const bench = await createBench(
    t,
    payWith(() => '{"a":'),
  );
  await playOut(bench, 'error');
  assert.equal(bench.mock.requests.length, 3);
});

test('the same call that succeeds, or a failing one that changes, does not stop the turn', async (t) => {
  const working = await createBench(
    t,
    payWith(() => '{}'),
  );
  await playOut(working, 'ok');
  assert.equal(working.mock.requests.length, 25);
});
