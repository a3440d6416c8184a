import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HumanMessage } from '@langchain/core/messages';
import { createAnswerCollector } from '../../../../src/agent/model/collect-answer.ts';
import { ModelSettingError } from '../../../../src/agent/model/create-chat-model.ts';
import { loadChatModel } from '../../../../src/agent/model/providers/load-chat-model.ts';
import { createMockModel, sayCalls } from '../../../support/servers/mock-model.ts';

const ACCESS = { apiKey: 'sk-test', timeoutMs: 1, maxRetries: 0 };

async function refusalOf(model: string, load?: () => Promise<unknown>): Promise<string> {
  try {
    await loadChatModel({ ...ACCESS, model }, load);
  } catch (error) {
    assert(error instanceof ModelSettingError, String(error));
    return error.message;
  }
  return assert.fail(`${model} was loaded.`);
}

test('a provider with OpenAI’s protocol needs no package, and uses its own settings', async (t) => {
  const args = '{"to":"a","to":"b","n":2512292042121000001}';
  const mock = await createMockModel(() => sayCalls([{ id: 'c', name: 'pay', args }]));
  t.after(() => mock.stop());
  const load = () => Promise.reject(new Error('No package is loaded.'));
  const options = { ...ACCESS, model: 'xai/grok/4', baseUrl: mock.url };
  const model = await loadChatModel(options, load);
  assert.equal(model.name, 'grok/4');
  assert.deepEqual(model.variables, { key: 'XAI_API_KEY', baseUrl: 'XAI_BASE_URL' });
  const collector = createAnswerCollector();
  const pieces = model.stream([new HumanMessage('Hi')], [], new AbortController().signal);
  for await (const piece of pieces) collector.add(piece);
  assert.deepEqual(collector.answer().calls, [{ id: 'c', tool: 'pay', args }]);
  assert.deepEqual(mock.refusals, []);
});

for (const [provider, address] of [
  ['openai', 'https://api.openai.com/v1'],
  ['deepseek', 'https://api.deepseek.com'],
  ['groq', 'https://api.groq.com/openai/v1'],
  ['xai', 'https://api.x.ai/v1'],
] as const) {
  test(`${provider} is reached at its own address`, async () => {
    assert.equal((await loadChatModel({ ...ACCESS, model: `${provider}/m` })).origin, address);
  });
}

test('a package that exports something else is refused, with the version that was tested', async () => {
  const refusal = await refusalOf('anthropic/claude', async () => ({ Claude: class {} }));
  assert.match(refusal, /exports no ChatAnthropic/);
  assert.match(refusal, /npm install -E @langchain\/anthropic@\d+\.\d+\.\d+$/);
});

test('a package that is not installed is named, with the command that installs it', async () => {
  const missing = new Error("Cannot find package '@langchain/anthropic' imported from here");
  const refusal = await refusalOf('anthropic/claude', () => Promise.reject(missing));
  assert.match(refusal, /@langchain\/anthropic, which is not installed\. Run: npm install -E/);
});

test('a package that fails to load is refused with the reason', async () => {
  const refusal = await refusalOf('anthropic/claude', () =>
    Promise.reject(new Error('needs Node 30')),
  );
  assert.match(refusal, /could not be loaded: needs Node 30/);
});

test('an unsupported provider is refused with the reason and the alternative', async () => {
  for (const [model, why] of [
    ['google-genai/gemini', /only as parsed values.*OPENAI_BASE_URL=https:\/\/generativelanguage/],
    [
      'ollama/qwen',
      /only as parsed values.*MODEL=openai\/qwen, OPENAI_BASE_URL=http:\/\/localhost/,
    ],
    ['mistral/large', /can’t be stopped.*OPENAI_BASE_URL=https:\/\/api\.mistral\.ai/],
    ['openrouter/a/b', /skips parts.*MODEL=openai\/a\/b/],
    ['constructor/x', /which is unknown.*openai, anthropic, deepseek, groq and xai/],
  ] as const) {
    assert.match(await refusalOf(model), why);
  }
});

test('another provider without a key is refused, unless it has its own address', async () => {
  const keyless = { model: 'anthropic/claude', timeoutMs: 1, maxRetries: 0 };
  await assert.rejects(loadChatModel(keyless), /ANTHROPIC_API_KEY is not set/);
  const model = await loadChatModel({ ...keyless, baseUrl: 'http://127.0.0.1:1' });
  assert.equal(model.name, 'claude');
});
