import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChatModel, ModelSettingError } from '../../../src/agent/model/create-chat-model.ts';
import {
  cutAfter,
  finishWith,
  type MockAnswer,
  type MockModel,
  sayCalls,
  sayStatus,
  sayText,
  toChunk,
} from '../../support/servers/mock-model.ts';
import { aMessage, createBench, FENCE, NO_SIGNAL, THREAD, until } from '../agent-fixture.ts';

const CALL = sayCalls([{ id: 'c', name: 'delete', args: '{"path":"a"}' }], 'I delete it.');

const HALF_CALL = sayCalls([{ id: 'c', name: 'delete', args: '{"path":"a' }], 'I delete it.');

const FAILURES: readonly (readonly [
  what: string,
  answer: MockAnswer,
  sentence: RegExp,
  said: string | undefined,
])[] = [
  ['429', sayStatus(429), /too many requests.*Wait/, undefined],
  ['429 without credit', sayStatus(429, { code: 'insufficient_quota' }), /no credit/, undefined],
  ['402', sayStatus(402), /no credit/, undefined],
  [
    '401',
    sayStatus(401, { message: 'Incorrect key sk-12' }),
    /does not accept our key.*OPENAI_API_KEY/,
    undefined,
  ],
  ['403', sayStatus(403), /does not accept our key/, undefined],
  ['404', sayStatus(404), /does not know the configured model.*MODEL/, undefined],
  ['408', sayStatus(408), /did not answer in time/, undefined],
  ['500', sayStatus(500), /a temporary problem/, undefined],
  ['529', sayStatus(529), /a temporary problem/, undefined],
  ['400', sayStatus(400), /did not accept the request/, undefined],
  [
    'too long a context',
    sayStatus(400, { code: 'context_length_exceeded' }),
    /too long for the model/,
    undefined,
  ],
  ['413', sayStatus(413), /too long for the model/, undefined],
  ['a filtered request', sayStatus(400, { code: 'content_filter' }), /content rules/, undefined],
  ['an empty answer', sayText(), /empty answer/, undefined],
  ['an answer of spaces', sayText(' \n'), /empty answer/, undefined],
  ['the length limit', finishWith(sayText('Once upon'), 'length'), /length limit/, 'Once upon'],
  ['the length limit in a call', finishWith(CALL, 'length'), /no action was taken/, 'I delete it.'],
  ['a filtered answer', finishWith(sayText('Half'), 'content_filter'), /content rules/, undefined],
  [
    'something else than an answer',
    { kind: 'chunks', chunks: [{ hello: 'world' }] },
    /an answer that I can’t read.*BASE_URL/,
    undefined,
  ],
  ['an error as the whole answer', sayStatus(200), /a temporary problem/, undefined],
  ['an empty stream', { kind: 'chunks', chunks: [] }, /an answer that I can’t read/, undefined],
  [
    'a call in OpenAI’s older form',
    {
      kind: 'chunks',
      chunks: [
        toChunk({ role: 'assistant', content: 'I delete it.' }, null),
        toChunk({ function_call: { name: 'delete', arguments: '{}' } }, null),
        toChunk({}, 'function_call'),
      ],
    },
    /an answer that I can’t read/,
    'I delete it.',
  ],
  ['no finish reason amid a call', finishWith(HALF_CALL, null), /broke off/, 'I delete it.'],
  ['a cut connection', cutAfter(CALL), /broke off/, 'I delete it.'],
  ['a connection cut at once', cutAfter(sayText()), /could not be reached/, undefined],
  [
    'an error amid the stream',
    { kind: 'chunks', chunks: [{ error: { message: 'Overloaded' } }] },
    /a temporary problem/,
    undefined,
  ],
  [
    'a megabyte of arguments',
    sayCalls([{ id: 'c', name: 'pay', args: 'x'.repeat(1_100_000) }]),
    /too large/,
    undefined,
  ],
];

/** A server that refuses the first request is asked again without this field, which may be the reason. */
const asksForTokens = (mock: MockModel) =>
  mock.requests.filter((request) => request.stream_options?.include_usage);

for (const [what, answer, sentence, said] of FAILURES) {
  test(`${what}: the turn ends with a message to the person`, async (t) => {
    const { agent, mock, clock, warnings } = await createBench(t, () => answer);
    const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
    assert.equal(state.phase, 'finished');
    assert.deepEqual(state.open, []);
    assert.match(state.failure ?? '', sentence);
    assert.doesNotMatch(state.failure ?? '', /sk-12|Overloaded|Error/);
    const last = state.messages.at(-1);
    assert.equal(last?.role === 'assistant' ? last.text : undefined, said);
    assert.ok(state.messages.every((each) => each.role !== 'assistant' || each.calls.length === 0));
    assert.equal(asksForTokens(mock).length, 1);
    assert.equal(clock.pendingCount, 0);
    assert.equal(warnings.length, 1);
    assert.doesNotMatch(JSON.stringify(warnings), /sk-12/);
  });
}

test('an unreachable server is reported as such, and the log says where and why', async (t) => {
  const { agent, mock, warnings } = await createBench(t, () => sayText('Hi.'));
  await mock.stop();
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.match(state.failure ?? '', /could not be reached/);
  const [warning] = warnings;
  assert.match(JSON.stringify(warning), /"address":"http:\/\/127\.0\.0\.1:\d+\/v1"/);
  assert.match(JSON.stringify(warning), /"cause":"the connection was refused \(ECONNREFUSED\)"/);
});

for (const deltas of [[], ['Let me']]) {
  test(`silence after ${deltas.length} words ends the turn at the timeout, and no sooner`, async (t) => {
    const { agent, mock, clock } = await createBench(t, () => ({ kind: 'hang', deltas }), {
      timeoutMs: 5_000,
    });
    let isOver = false;
    const turn = agent.start(aMessage('Hi'), FENCE, NO_SIGNAL).finally(() => {
      isOver = true;
    });
    await until(() => mock.requests.length === 1);
    await clock.advance(4_999);
    assert.equal(isOver, false);
    await clock.advance(5_000);
    const state = await turn;
    assert.match(state.failure ?? '', /did not answer in time/);
    assert.equal(state.messages.at(1)?.text, deltas[0]);
  });
}

test('silence after some words is not retried', async (t) => {
  const { agent, mock, clock } = await createBench(
    t,
    () => ({ kind: 'hang', deltas: ['Let me'] }),
    {
      timeoutMs: 5_000,
      maxRetries: 3,
      onDelta: () => heard.push(1),
    },
  );
  const heard: number[] = [];
  const turn = agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  await until(() => heard.length === 1);
  await clock.advance(5_000);
  assert.match((await turn).failure ?? '', /did not answer in time/);
  assert.equal(mock.requests.length, 1);
});

test('an answer may take as long as it likes while text keeps coming', async (t) => {
  const heard: string[] = [];
  const { agent, clock } = await createBench(
    t,
    () => ({
      kind: 'chunks',
      chunks: (async function* () {
        for (const word of ['One ', 'two ', 'three.']) {
          const before = heard.length;
          yield toChunk({ role: 'assistant', content: word }, null);
          await until(() => heard.length > before);
          await clock.advance(4_000);
        }
        yield toChunk({}, 'stop');
      })(),
    }),
    { timeoutMs: 5_000, onDelta: (_thread, text) => heard.push(text) },
  );
  const state = await agent.start(aMessage('Count'), FENCE, NO_SIGNAL);
  assert.equal(state.failure, undefined);
  assert.equal(state.messages.at(-1)?.text, 'One two three.');
});

test('a temporary failure is retried at the time that the provider names', async (t) => {
  const answers = [sayStatus(429, {}, { 'retry-after': '7' }), sayStatus(503), sayText('Here.')];
  const { agent, mock, clock } = await createBench(
    t,
    (_request, index) => answers[index] ?? sayText(),
    {
      maxRetries: 2,
    },
  );
  const turn = agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  await until(() => mock.requests.length === 1 && clock.pendingCount === 1);
  await untilWaiting(clock);
  await clock.advance(6_999);
  assert.equal(mock.requests.length, 1);
  await clock.advance(1);
  await until(() => mock.requests.length === 2);
  await untilWaiting(clock);
  await clock.advance(2_000);
  const state = await turn;
  assert.equal(state.failure, undefined);
  assert.equal(state.messages.at(-1)?.text, 'Here.');
  assert.equal(mock.requests.length, 3);
});

/** Lets the answer arrive; after that, only the wait is scheduled. */
async function untilWaiting(clock: { readonly pendingCount: number }): Promise<void> {
  for (let round = 0; round < 200; round += 1) await new Promise((r) => setImmediate(r));
  await until(() => clock.pendingCount === 1);
}

test('a permanent failure is not retried', async (t) => {
  for (const answer of [
    sayStatus(401),
    sayStatus(400),
    sayStatus(429, {}, { 'retry-after': '31' }),
  ]) {
    const { agent, mock } = await createBench(t, () => answer, { maxRetries: 3 });
    await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
    assert.equal(asksForTokens(mock).length, 1);
  }
});

test('an answer that was cut off after its first words is not retried', async (t) => {
  const { agent, mock } = await createBench(t, () => cutAfter(sayText('Well')), { maxRetries: 3 });
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.match(state.failure ?? '', /broke off/);
  assert.equal(mock.requests.length, 1);
});

test('an abort ends the wait for a retry', async (t) => {
  const { agent, mock, clock } = await createBench(t, () => sayStatus(503), { maxRetries: 3 });
  const stop = new AbortController();
  const turn = agent.start(aMessage('Hi'), FENCE, stop.signal);
  await until(() => mock.requests.length === 1);
  await untilWaiting(clock);
  stop.abort(new Error('Shutting down.'));
  await assert.rejects(turn, /Shutting down/);
  await until(() => clock.pendingCount === 0);
  assert.equal((await agent.read(THREAD)).phase, 'stuck');
});

test('an unusable model is refused with the remedy', () => {
  const rest = { timeoutMs: 1, maxRetries: 0 };
  for (const [model, why] of [
    ['anthropic/claude', /not OpenAI-compatible\./],
    ['gpt-4o-mini', /provider\/name/],
    ['openai/', /provider\/name/],
    ['', /provider\/name/],
  ] as const) {
    assert.throws(() => createChatModel({ ...rest, model, apiKey: 'k' }), why);
  }
  const keyless = () => createChatModel({ ...rest, model: 'openai/x' });
  assert.throws(keyless, ModelSettingError);
  assert.throws(keyless, /OPENAI_API_KEY is not set/);
  assert.equal(
    createChatModel({ ...rest, model: 'openai/org/x', baseUrl: 'http://a/v1' }).name,
    'org/x',
  );
});
