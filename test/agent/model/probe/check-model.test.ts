/** The result of the model check at the start: one line of the log, or a refusal with the remedy. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createChatModel } from '../../../../src/agent/model/create-chat-model.ts';
import { checkModel } from '../../../../src/agent/model/probe/check-model.ts';
import { createWorkspace } from '../../../../src/playground/workspace/create-workspace.ts';
import { createLog } from '../../../../src/process/log.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { failToStart, startApp } from '../../../support/app/app-process.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import {
  createProfileServer,
  finish,
  pieces,
  type Reply,
} from '../../../support/servers/profile-server.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const CALL: Reply = {
  events: [
    ...pieces({
      role: 'assistant',
      tool_calls: [
        { index: 0, id: 'c', function: { name: 'countersign_ready', arguments: '{"ready":true}' } },
      ],
    }),
    finish('tool_calls'),
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } },
  ],
};
const WITHOUT_TOOLS = (message: string): Reply => ({ status: 400, json: { error: { message } } });
const OLLAMA = WITHOUT_TOOLS('registry.ollama.ai/library/gemma:2b does not support tools');

async function check(t: TestContext, reply: Reply | undefined, allowsNoTools = false) {
  const server = await createProfileServer((request) => {
    if (reply === OLLAMA && request.tools === undefined) return SAYS_HELLO;
    return reply ?? {};
  });
  t.after(() => server.stop());
  if (reply === undefined) await server.stop();
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    destination: { write: (line: string) => lines.push(line) },
  });
  const clock = createManualClock();
  const model = createChatModel({
    model: 'openai/m',
    apiKey: 'sk-0123456789abcdef',
    baseUrl: server.url,
    timeoutMs: 60_000,
    maxRetries: 2,
    allowsNoTools,
    log,
  });
  const { signal } = new AbortController();
  await checkModel(model, { clock, log, signal });
  assert.equal(clock.pendingCount, 0);
  return { lines: lines.map((line) => JSON.parse(line)), server };
}

const SAYS_HELLO: Reply = {
  events: [...pieces({ role: 'assistant', content: 'Hello.' }), finish('stop')],
};

test('a model that calls the tool is one line of the log', async (t) => {
  const { lines, server } = await check(t, CALL);
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]?.tools?.length, 1);
  const [{ time: _, ...line } = { time: '' }, ...more] = lines;
  assert.deepEqual(more, []);
  assert.deepEqual(line, {
    level: 'info',
    model: 'm',
    tools: 'called',
    hasWholeArguments: true,
    reportsTokens: true,
    tookMs: 0,
    msg: 'The model answers and calls tools.',
  });
});

for (const [server, reply, remedy] of [
  ['Ollama', OLLAMA, /choose a model that Ollama lists under “tools”/],
  [
    'vLLM',
    WITHOUT_TOOLS(
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ),
    /start vLLM with --enable-auto-tool-choice and with --tool-call-parser/,
  ],
  [
    'llama.cpp',
    { status: 500, json: { error: { code: 500, message: 'tools param requires --jinja flag' } } },
    /start llama\.cpp with --jinja/,
  ],
  [
    'OpenRouter',
    { status: 404, json: { error: { message: 'No endpoints found that support tool use.' } } },
    /a model for which OpenRouter lists “tools”/,
  ],
] as const) {
  test(`${server} without tools stops the start with its remedy`, async (t) => {
    await assert.rejects(check(t, reply), (error: Error) => {
      assert.match(error.message, remedy);
      assert.match(error.message, /ALLOW_MODEL_WITHOUT_TOOLS=1/);
      return true;
    });
  });
}

test('such a model is used if that is allowed, and is asked without tools', async (t) => {
  const { lines, server } = await check(t, OLLAMA, true);
  assert.deepEqual(
    server.requests.map(({ tools }) => tools?.length),
    [1, undefined],
  );
  assert.equal(lines.at(-1)?.tools, 'not called');
});

test('a model that only answers with text is used with a warning', async (t) => {
  const { lines } = await check(t, SAYS_HELLO);
  assert.equal(lines.length, 1);
  assert.match(lines[0]?.msg, /did not call the tool/);
});

test('an unreachable server causes only a warning', async (t) => {
  const { lines } = await check(t, undefined);
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.level, 'warn');
  assert.match(
    lines[0]?.msg,
    /can’t be reached at http:\/\/127\.0\.0\.1:\d+\S*: the connection was refused \(ECONNREFUSED\)\. Check OPENAI_BASE_URL/,
  );
  assert.equal(lines[0]?.cause, 'the connection was refused (ECONNREFUSED)');
});

test('a rejected key causes a warning in the server’s words, without the key', async (t) => {
  const message = 'Incorrect API key provided: sk-0123456789abcdef. Ask your admin.';
  const { lines } = await check(t, { status: 401, json: { error: { message } } });
  assert.equal(lines.length, 1);
  assert.match(lines[0]?.said, /^Incorrect API key provided: .*Ask your admin\.$/);
  assert.doesNotMatch(JSON.stringify(lines), /0123456789abcdef/);
});

test('a slow model delays the start by at most five seconds', async () => {
  const clock = createManualClock();
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    destination: { write: (line: string) => lines.push(line) },
  });
  const stop = new AbortController();
  const never = new Promise<void>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve()),
  );
  const model = {
    ...{ name: 'slow', timeoutMs: 60_000, maxRetries: 0 },
    variables: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
    async *stream() {
      await never;
      yield { text: '', calls: [], finishReason: undefined };
    },
  };
  const checked = checkModel(model, { clock, log, signal: stop.signal });
  await clock.advance(4_999);
  assert.equal(lines.length, 0);
  await clock.advance(1);
  await checked;
  assert.match(lines.join(''), /the app starts without waiting/);
  stop.abort(new Error('The app stops.'));
});

test('the app does not start with a model that cannot call tools, unless that is allowed', async (t) => {
  const server = await createProfileServer((request) => (request.tools ? OLLAMA : SAYS_HELLO));
  t.after(() => server.stop());
  const workspace = await createWorkspace({ clock: createSystemClock() });
  t.after(() => workspace.stop());
  const { path, remove } = await makeTempDir();
  t.after(remove);
  const settings = {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    PORT: '0',
    DATA_DIR: join(path, 'data'),
    WORKSPACE_DIR: join(path, 'files'),
    OPENAI_BASE_URL: server.url,
  };
  const { code, output } = await failToStart(settings);
  assert.equal(code, 1);
  assert.match(output, /can’t call tools.*ALLOW_MODEL_WITHOUT_TOOLS=1/);
  assert.doesNotMatch(output, /^\s+at /m);
  const app = await startApp({ ...settings, ALLOW_MODEL_WITHOUT_TOOLS: '1' });
  assert.equal(await app.stop(), 0);
});
