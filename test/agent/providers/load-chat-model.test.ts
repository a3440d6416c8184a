import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { ChatOpenAICompletions } from '@langchain/openai';
import { createAnswerCollector } from '../../../src/agent/collect-answer.ts';
import { ModelSettingError } from '../../../src/agent/model.ts';
import { loadChatModel } from '../../../src/agent/providers/load-chat-model.ts';
import { createMockModel, sayCalls } from '../../support/mock-model.ts';

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

/** As the package of xAI is made: a child of OpenAI's completions. */
class ChatXAI extends ChatOpenAICompletions {
  constructor({ baseURL, ...fields }: { readonly baseURL: string; readonly model: string }) {
    super({ ...fields, configuration: { baseURL } });
  }
}

/** Mends what it streams, as libraries like to. */
class Mending extends ChatXAI {
  override async *_streamResponseChunks(messages: BaseMessage[], options: object) {
    for await (const chunk of super._streamResponseChunks(messages, { ...options })) {
      const { tool_call_chunks: pieces = [] } = chunk.message as AIMessageChunk;
      for (const piece of pieces) piece.args = piece.args?.replace('001', '000') ?? '';
      yield chunk;
    }
  }
}

/** Takes a stream that broke for one that ended. */
class Passing extends ChatXAI {
  override async *_streamResponseChunks(messages: BaseMessage[], options: object) {
    try {
      yield* super._streamResponseChunks(messages, { ...options });
    } catch {
      const generationInfo = { finish_reason: 'tool_calls' };
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk(''), generationInfo });
    }
  }
}

test('a package that hands on the text is used, at the address and with the key that are set', async (t) => {
  const args = '{"to":"a","to":"b","n":2512292042121000001}';
  const mock = await createMockModel(() => sayCalls([{ id: 'c', name: 'pay', args }]));
  t.after(() => mock.stop());
  const named: string[] = [];
  const load = async (name: string) => {
    named.push(name);
    return { ChatXAI };
  };
  const options = { ...ACCESS, model: 'xai/grok/4', baseUrl: mock.url };
  const model = await loadChatModel(options, load);
  assert.deepEqual([model.name, named], ['grok/4', ['@langchain/xai']]);
  assert.deepEqual(model.variables, { key: 'XAI_API_KEY', baseUrl: 'XAI_BASE_URL' });
  const collector = createAnswerCollector();
  const pieces = model.stream([new HumanMessage('Hi')], [], new AbortController().signal);
  for await (const piece of pieces) collector.add(piece);
  assert.deepEqual(collector.answer().calls, [{ id: 'c', tool: 'pay', args }]);
  assert.deepEqual(mock.refusals, []);
});

const UNFIT: readonly (readonly [what: string, exported: unknown, why: RegExp])[] = [
  ['changes the text', { ChatXAI: Mending }, /does not hand on the text/],
  ['passes over a broken part', { ChatXAI: Passing }, /passes over a part/],
  ['exports something else', { Grok: ChatXAI }, /exports no ChatXAI/],
  ['can’t stream', { ChatXAI: class {} }, /no method _streamResponseChunks/],
];
for (const [what, exported, why] of UNFIT) {
  test(`a package that ${what} is refused, with the version that was tested`, async () => {
    const refusal = await refusalOf('xai/grok', async () => exported);
    assert.match(refusal, why);
    assert.match(refusal, /npm install -E @langchain\/xai@\d+\.\d+\.\d+$/);
  });
}

test('a package that is not installed is named, with the line that installs it', async () => {
  const refusal = await refusalOf('deepseek/deepseek-chat');
  assert.match(refusal, /@langchain\/deepseek, which is not installed\. Run: npm install -E/);
});

test('a package that does not load says why', async () => {
  const refusal = await refusalOf('groq/llama', () => Promise.reject(new Error('needs Node 30')));
  assert.match(refusal, /could not be loaded: needs Node 30/);
});

test('a provider whose text is gone is refused with the reason and the way out', async () => {
  for (const [model, why] of [
    ['google-genai/gemini', /parsed values only.*OPENAI_BASE_URL=https:\/\/generativelanguage/],
    ['ollama/qwen', /parsed values only.*MODEL=openai\/qwen, OPENAI_BASE_URL=http:\/\/localhost/],
    ['mistral/large', /can’t be stopped.*OPENAI_BASE_URL=https:\/\/api\.mistral\.ai/],
    ['openrouter/a/b', /passes over.*MODEL=openai\/a\/b/],
    ['constructor/x', /not known here.*openai, anthropic, deepseek, groq and xai/],
  ] as const) {
    assert.match(await refusalOf(model), why);
  }
});

test('another provider without a key is refused, unless it has an address of its own', async () => {
  const keyless = { model: 'anthropic/claude', timeoutMs: 1, maxRetries: 0 };
  await assert.rejects(loadChatModel(keyless), /ANTHROPIC_API_KEY is not set/);
  const model = await loadChatModel({ ...keyless, baseUrl: 'http://127.0.0.1:1' });
  assert.equal(model.name, 'claude');
});
