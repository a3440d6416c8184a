import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage } from '@langchain/core/messages';
import { createAnswerCollector } from '../../../../src/agent/model/collect-answer.ts';
import { anthropic as provider } from '../../../../src/agent/model/providers/anthropic.ts';
import { loadChatModel } from '../../../../src/agent/model/providers/load-chat-model.ts';
import type { Tool } from '../../../../src/domain/tools/tool.ts';
import {
  type AnthropicAnswer,
  type AnthropicScript,
  createMockAnthropic,
} from '../../../support/servers/mock-anthropic.ts';
import type { AnthropicBlock } from '../../../support/servers/mock-anthropic-rules.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import {
  aMessage,
  aReply,
  createBench,
  createTestHistory,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from '../../agent-fixture.ts';

async function anthropicBench(
  t: TestContext,
  script: AnthropicScript,
  patch: Parameters<typeof createBench>[2] = {},
) {
  const anthropic = await createMockAnthropic(script);
  t.after(() => anthropic.stop());
  const model = await loadChatModel({
    model: 'anthropic/claude-mock',
    apiKey: 'sk-ant-test',
    baseUrl: anthropic.url,
    timeoutMs: 60_000,
    maxRetries: patch.maxRetries ?? 0,
  });
  const bench = await createBench(t, () => sayText('never asked'), { ...patch, model });
  return { ...bench, anthropic, model };
}

test('the version that the start requires is the one that is tested here', () => {
  const { lc_kwargs: _, ...chat } = new ChatAnthropic({ model: 'claude', apiKey: 'k' });
  assert.match(JSON.stringify(chat), new RegExp(`"${provider.version}"`));
});

const RAW = [
  '{"ticket": 2512292042121000001, "amt": 0.10, "big": 1e400}',
  '{"to":"a@x","to":"b@x"}',
  '{"cmd":"rm -rf /srv/tm',
  '{"a":1,}',
  'null',
  '[1]',
  '  {"a" : 1 }\n',
  '{"s":"\\ud800 \\u00e9 é 😀 \\/"}',
];

test('argument text reaches the desk as Claude wrote it, and is sent back as Anthropic accepts it', async (t) => {
  const { agent, anthropic } = await anthropicBench(t, (_request, index) =>
    index === 0
      ? {
          thoughts: 'Hm.',
          words: 'I send.',
          calls: RAW.map((args, at) => ({ id: `toolu_${at}`, name: 'send', args })),
        }
      : { words: 'I see.' },
  );
  const asked = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    asked.open.map(({ argsText }) => argsText),
    RAW,
  );
  assert.equal(asked.messages.at(-1)?.text, 'I send.');
  const replies = Object.fromEntries(
    asked.open.map(({ interruptId, position }) => [interruptId, aReply(`answer ${position}`)]),
  );
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.failure, undefined);
  assert.deepEqual(anthropic.refusals, []);
  const echoed = anthropic.requests[1]?.messages.at(-2)?.content as readonly AnthropicBlock[];
  const inputs = echoed.flatMap(({ type, input }) => (type === 'tool_use' ? [input] : []));
  assert.deepEqual(echoed[0], { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' });
  assert.deepEqual(inputs.at(-2), { a: 1 });
  for (const at of [0, 1, 2, 3, 4, 5]) {
    assert.deepEqual(inputs[at], { unreadable_arguments: RAW[at] });
  }
});

const FAILURES: readonly (readonly [string, AnthropicAnswer, RegExp])[] = [
  ['max_tokens amid a call', { stop: 'max_tokens' }, /length limit/],
  ['a full context', { stop: 'model_context_window_exceeded' }, /length limit/],
  ['a refusal', { stop: 'refusal' }, /content rules/],
  ['a paused turn', { stop: 'pause_turn' }, /broke off/],
  ['a cut connection', { stop: null }, /broke off/],
  ['an overload amid the answer', { error: 'overloaded_error' }, /a temporary problem/],
  ['529', { status: 529, error: 'overloaded_error' }, /a temporary problem/],
  ['429', { status: 429, error: 'rate_limit_error' }, /too many requests/],
  ['401', { status: 401, error: 'authentication_error' }, /check ANTHROPIC_API_KEY/],
  ['404', { status: 404, error: 'not_found_error' }, /check MODEL and ANTHROPIC_BASE_URL/],
  [
    'no credit',
    {
      status: 400,
      error: 'invalid_request_error',
      message: 'Your credit balance is too low to access the Anthropic API.',
    },
    /no credit/,
  ],
  [
    'a prompt that is too long',
    { status: 400, error: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8' },
    /too long for the model/,
  ],
];

for (const [what, said, sentence] of FAILURES) {
  test(`${what}: one message, and none of its calls is made`, async (t) => {
    const calls = [{ id: 'toolu_1', name: 'delete', args: '{"path":"a"}' }];
    const { agent, anthropic } = await anthropicBench(t, () => ({ calls, ...said }));
    const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
    assert.equal(state.phase, 'finished');
    assert.deepEqual(state.open, []);
    assert.match(state.failure ?? '', sentence);
    assert.equal(anthropic.requests.length, 1);
    assert.deepEqual(anthropic.refusals, []);
  });
}

test('arguments at the start of a call are read as the text that they are', async (t) => {
  const input = { path: 'a', n: '2512292042121000001' };
  const call = { id: 'toolu_1', name: 'delete', args: '', input };
  const { agent } = await anthropicBench(t, () => ({ calls: [call] }));
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    state.open.map(({ argsText }) => argsText),
    [JSON.stringify(input)],
  );
});

test('a tool without parameters is called without arguments', async (t) => {
  const call = { id: 'toolu_1', name: 'pay', args: '' };
  const { agent } = await anthropicBench(t, () => ({ calls: [call] }));
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    state.open.map(({ argsText }) => argsText),
    [''],
  );
});

test('a 429 is retried at the time that Anthropic names', async (t) => {
  const { agent, anthropic, clock } = await anthropicBench(
    t,
    (_request, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '7' } } : { words: 'Here.' },
    { maxRetries: 1 },
  );
  const turn = agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  while (anthropic.requests.length === 0) await new Promise((r) => setImmediate(r));
  for (let round = 0; round < 500; round += 1) await new Promise((r) => setImmediate(r));
  await clock.advance(6_999);
  assert.equal(anthropic.requests.length, 1);
  await clock.advance(1);
  assert.equal((await turn).messages.at(-1)?.text, 'Here.');
});

test('a history of other models is sent in a form that Anthropic accepts', async (t) => {
  const author = { team: 'T1', user: 'U1' };
  const turn = (id: string) => ({
    id,
    settledAt: 1,
    messages: [
      { role: 'user' as const, id, text: ' ', author, at: 1 },
      {
        role: 'assistant' as const,
        id: `${id}a`,
        text: '\n',
        calls: [
          { id: 'functions.send:0', tool: 'no such tool!', args: '{}' },
          { id: 'functions_send_0', tool: 'send', args: '{"n":1}' },
        ],
      },
      {
        role: 'tool' as const,
        id: `${id}t`,
        callId: 'functions_send_0',
        tool: 'send',
        text: 'ok',
        status: 'ok' as const,
      },
      { role: 'assistant' as const, id: `${id}b`, text: '', calls: [] },
    ],
  });
  const history = createTestHistory([turn('m1'), turn('m2')]);
  const { agent, anthropic } = await anthropicBench(t, () => ({ words: 'Fine.' }), { history });
  const state = await agent.start(aMessage('And now?'), FENCE, NO_SIGNAL);
  assert.deepEqual(anthropic.refusals, []);
  assert.equal(state.messages.at(-1)?.text, 'Fine.');
  assert.match(JSON.stringify(anthropic.requests[0]?.messages), /Not run: the turn ended/);
});

test('a tool whose schema is a union at its top is offered as well', async (t) => {
  const { anthropic, model } = await anthropicBench(t, () => ({ words: 'Fine.' }));
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ required: ['a'] }],
  };
  const tool = { name: 'either', description: 'Either.', schema } as unknown as Tool;
  const collector = createAnswerCollector();
  for await (const piece of model.stream([new HumanMessage('Hi')], [tool], NO_SIGNAL)) {
    collector.add(piece);
  }
  assert.deepEqual(anthropic.refusals, []);
  assert.equal(anthropic.requests[0]?.tools?.[0]?.name, 'either');
  assert.match(anthropic.requests[0]?.tools?.[0]?.description ?? '', /anyOf/);
});

test('a megabyte of arguments is read quickly, and the call is not made', async (t) => {
  const call = { id: 'toolu_1', name: 'pay', args: `{"s":"${'x'.repeat(1_100_000)}"}` };
  const { agent } = await anthropicBench(t, () => ({ calls: [call] }));
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.match(state.failure ?? '', /too large/);
});
