import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LLMock } from '@copilotkit/aimock';
import { createChatModel } from '../../src/agent/model/create-chat-model.ts';
import {
  aMessage,
  answering,
  aReply,
  createBench,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from './agent-fixture.ts';

test('a conversation with one call works with a third-party server', async (t) => {
  const mock = new LLMock({ port: 0 });
  mock.on(
    { userMessage: /email ann/i, hasToolResult: false },
    { toolCalls: [{ name: 'send', arguments: '{"to":"ann@x"}', id: 'call_1' }] },
  );
  mock.on({ userMessage: /email ann/i, hasToolResult: true }, { content: 'Sent to Ann.' });
  await mock.start();
  t.after(() => mock.stop());
  const baseUrl = `${mock.url}/v1`;
  const model = createChatModel({
    model: 'openai/gpt-4o-mini',
    baseUrl,
    timeoutMs: 60_000,
    maxRetries: 0,
  });
  const { agent } = await createBench(t, () => ({ kind: 'hang', deltas: [] }), { model });
  const asked = await agent.start(aMessage('Please email Ann'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    asked.open.map(({ tool, argsText, toolCallId }) => [tool, argsText, toolCallId]),
    [['send', '{"to":"ann@x"}', 'call_1']],
  );
  const end = await agent.resume(THREAD, answering(asked, 'send', aReply('ok')), FENCE, NO_SIGNAL);
  assert.equal(end.messages.at(-1)?.text, 'Sent to Ann.');
});

test('a malformed stream of a third-party server ends the turn with a message', async (t) => {
  const mock = new LLMock({ port: 0 });
  mock.on({ userMessage: /./ }, { content: 'Hello there, how are you today?' });
  mock.setChaos({ malformedRate: 1 });
  await mock.start();
  t.after(() => mock.stop());
  const baseUrl = `${mock.url}/v1`;
  const model = createChatModel({
    model: 'openai/gpt-4o-mini',
    baseUrl,
    timeoutMs: 60_000,
    maxRetries: 0,
  });
  const { agent } = await createBench(t, () => ({ kind: 'hang', deltas: [] }), { model });
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.equal(state.phase, 'finished');
  assert.ok(state.failure);
});
