/** The usage of the model in a turn, as its server counts it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChatModel } from '../../src/agent/model/create-chat-model.ts';
import { createScriptedModel } from '../../src/playground/script/scripted-model.ts';
import {
  cutAfter,
  type MockScript,
  sayCalls,
  sayStatus,
  sayText,
  toChunk,
  withUsage,
} from '../support/servers/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  createBench,
  createTestCheckpoints,
  FENCE,
  NO_SIGNAL,
  THREAD,
  until,
} from './agent-fixture.ts';

const CALL = sayCalls([{ id: 'c1', name: 'send', args: '{}' }]);
const usage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
});

test('the tokens of every answer of a turn are added up', async (t) => {
  const script: MockScript = (_request, index) =>
    index === 0 ? withUsage(CALL, usage(100, 20)) : withUsage(sayText('Done.'), usage(150, 5));
  const { agent, mock } = await createBench(t, script);
  const asked = await agent.start(aMessage('Send it'), FENCE, NO_SIGNAL);
  assert.deepEqual(asked.usage, { requests: 1, inputTokens: 100, outputTokens: 20, modelMs: 0 });
  const told = answering(asked, 'send', aReply('sent'));
  const state = await agent.resume(THREAD, told, FENCE, NO_SIGNAL);
  assert.equal(state.phase, 'finished');
  assert.deepEqual(state.usage, { requests: 2, inputTokens: 250, outputTokens: 25, modelMs: 0 });
  assert.deepEqual(mock.refusals, []);
});

test('the next turn of the thread starts at zero', async (t) => {
  const { agent } = await createBench(t, () => withUsage(sayText('Hi.'), usage(7, 3)));
  await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  const next = await agent.start(aMessage('Again', '100.2'), FENCE, NO_SIGNAL);
  assert.deepEqual(next.usage, { requests: 1, inputTokens: 7, outputTokens: 3, modelMs: 0 });
});

test('the time is the time spent waiting for the model, including failed attempts', async (t) => {
  const answers: { let: () => void }[] = [];
  const script: MockScript = async (_request, index) => {
    await new Promise<void>((resolve) => answers.push({ let: resolve }));
    return index === 0 ? sayStatus(503) : withUsage(sayText('Hi.'), usage(7, 3));
  };
  const { agent, clock } = await createBench(t, script, { maxRetries: 1 });
  const turn = agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  await until(() => answers.length === 1);
  await clock.advance(2_000);
  answers[0]?.let();
  // The wait before the retry does not count.
  await until(() => clock.pendingCount === 1);
  for (let round = 0; answers.length < 2; round += 1) {
    assert.ok(round < 1_000, 'no second try');
    await clock.advance(1);
  }
  await clock.advance(3_000);
  answers[1]?.let();
  const { usage: took } = await turn;
  assert.equal(took?.requests, 2);
  assert.equal(took?.inputTokens, 7);
  assert.ok((took?.modelMs ?? 0) >= 5_000 && (took?.modelMs ?? 0) < 5_900, `${took?.modelMs}`);
});

test('a server that reports no usage causes none, and the answer is kept', async (t) => {
  const { agent, mock } = await createBench(t, () => withUsage(sayText('Hi.'), null));
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.equal(state.usage, undefined);
  assert.equal(state.messages.at(-1)?.text, 'Hi.');
  assert.equal(mock.requests.length, 1);
});

for (const told of [{ prompt_tokens: null, completion_tokens: 3 }, { total_tokens: 9 }, {}]) {
  test(`invalid counts are left out: ${JSON.stringify(told)}`, async (t) => {
    const chunks = [
      toChunk({ role: 'assistant', content: 'Hi.' }, null),
      toChunk({}, 'stop'),
      { ...(toChunk({}, null) as object), choices: [], usage: told },
    ];
    const { agent } = await createBench(t, () => ({ kind: 'chunks', chunks }));
    const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
    assert.equal(state.messages.at(-1)?.text, 'Hi.');
    assert.equal(state.usage, undefined);
  });
}

test('a server that refuses the usage option is asked without it, from then on at once', async (t) => {
  const script: MockScript = (request) =>
    request.stream_options
      ? sayStatus(400, { message: 'Unrecognized request argument supplied: stream_options' })
      : sayText('Hi.');
  const { agent, mock } = await createBench(t, script);
  for (const ts of ['100.1', '100.2', '100.3']) {
    const state = await agent.start(aMessage('Hi', ts), FENCE, NO_SIGNAL);
    assert.equal(state.failure, undefined);
    assert.equal(state.usage, undefined);
  }
  assert.deepEqual(
    mock.requests.map((request) => request.stream_options !== undefined),
    [true, false, false, false],
  );
});

test('a request that is refused for another reason is not retried, and the usage option is still sent', async (t) => {
  const script: MockScript = (_request, index) =>
    index === 0 ? sayStatus(400) : withUsage(sayText('Hi.'), usage(7, 3));
  const { agent, mock } = await createBench(t, script);
  const refused = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.match(refused.failure ?? '', /did not accept/);
  const state = await agent.start(aMessage('Hi', '100.2'), FENCE, NO_SIGNAL);
  assert.equal(state.usage?.inputTokens, 7);
  assert.deepEqual(
    mock.requests.map((request) => request.stream_options !== undefined),
    [true, true],
  );
});

test('an answer that was cut off counts as a request with unknown tokens', async (t) => {
  const script: MockScript = (_request, index) =>
    index === 0 ? withUsage(CALL, usage(100, 20)) : cutAfter(sayText('Well'));
  const { agent } = await createBench(t, script);
  const asked = await agent.start(aMessage('Send it'), FENCE, NO_SIGNAL);
  const told = answering(asked, 'send', aReply('sent'));
  const state = await agent.resume(THREAD, told, FENCE, NO_SIGNAL);
  assert.match(state.failure ?? '', /broke off/);
  assert.deepEqual(state.usage, { requests: 2, inputTokens: 100, outputTokens: 20, modelMs: 0 });
});

test('the usage of a turn survives a restart', async (t) => {
  const { checkpoints } = createTestCheckpoints();
  const script: MockScript = (_request, index) =>
    index === 0 ? withUsage(CALL, usage(100, 20)) : withUsage(sayText('Done.'), usage(150, 5));
  const { agent, restart } = await createBench(t, script, { checkpoints });
  const asked = await agent.start(aMessage('Send it'), FENCE, NO_SIGNAL);
  const told = answering(asked, 'send', aReply('sent'));
  const state = await restart().resume(THREAD, told, FENCE, NO_SIGNAL);
  assert.equal(state.usage?.inputTokens, 250);
});

test('the scripted model of the playground reports its usage', async (t) => {
  const script = await createScriptedModel({ pieceEveryMs: 0 });
  t.after(() => script.stop());
  const { baseUrl, apiKey } = script;
  const options = { model: 'openai/scripted', baseUrl, apiKey, timeoutMs: 10_000, maxRetries: 0 };
  const { agent } = await createBench(t, () => sayText(''), { model: createChatModel(options) });
  const { usage: took } = await agent.start(aMessage('What can you do?'), FENCE, NO_SIGNAL);
  assert.ok(took !== undefined && took.outputTokens > 20, JSON.stringify(took));
});
