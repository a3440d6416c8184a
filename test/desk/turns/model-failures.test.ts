/** After any failure of the model or its network, people get one explanation, the thread works, and no partial call runs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import {
  cutAfter,
  finishWith,
  type MockAnswer,
  sayCalls,
  sayStatus,
  sayText,
  toChunk,
} from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

const RUN_ALL: Gate = () => ({ kind: 'run' });
const ACT = { id: 'c', name: 'act', args: '{"note":"one"}' };
const CALL = sayCalls([ACT], 'I act.');

interface Trouble {
  readonly what: string;
  readonly answer: MockAnswer;
  /** The explanation that people read; absent if the model recovers by itself. */
  readonly notice?: RegExp;
  /** The text that arrived before the failure, or in the end. */
  readonly words?: string | readonly string[];
  readonly runs?: readonly string[];
}

const thirty = Array.from({ length: 30 }, (_, n) => `n${n}`);

const TROUBLES: readonly Trouble[] = [
  { what: '429', answer: sayStatus(429), notice: /too many requests/ },
  {
    what: '429 for an hour',
    answer: sayStatus(429, {}, { 'retry-after': '3600' }),
    notice: /too many/,
  },
  { what: '500', answer: sayStatus(500), notice: /a temporary problem/ },
  { what: '529', answer: sayStatus(529), notice: /a temporary problem/ },
  { what: '401', answer: sayStatus(401), notice: /check OPENAI_API_KEY/ },
  { what: 'an empty answer', answer: sayText(), notice: /empty answer/ },
  {
    what: 'the length limit amid a call',
    answer: finishWith(CALL, 'length'),
    notice: /length limit/,
    words: 'I act.',
  },
  { what: 'a content filter', answer: finishWith(CALL, 'content_filter'), notice: /content rules/ },
  {
    what: 'a filtered request',
    answer: sayStatus(400, { code: 'content_filter' }),
    notice: /content rules/,
  },
  { what: 'a reset connection', answer: cutAfter(sayText()), notice: /could not be reached/ },
  {
    what: 'a connection reset after a call',
    answer: cutAfter(CALL),
    notice: /broke off/,
    words: 'I act.',
  },
  {
    what: 'no finish reason',
    answer: finishWith(CALL, null),
    words: ['I act.', 'Over it.'],
    runs: ['one'],
  },
  {
    what: 'an error amid the stream',
    answer: {
      kind: 'chunks',
      chunks: [toChunk({ content: 'Well' }, null), { error: { message: 'x' } }],
    },
    notice: /a temporary problem/,
    words: 'Well',
  },
  {
    what: 'a megabyte of arguments',
    answer: sayCalls([{ ...ACT, args: `{"note":"${'x'.repeat(1_100_000)}"}` }]),
    notice: /too large/,
  },
  {
    what: 'too many calls',
    answer: sayCalls(Array.from({ length: 33 }, () => ({ name: 'act', args: ACT.args }))),
    notice: /more than 32/,
  },
  {
    what: 'cut-off arguments',
    answer: sayCalls([{ ...ACT, args: '{"note":"on' }]),
    words: 'Over it.',
  },
  {
    what: 'a duplicate key',
    answer: sayCalls([{ ...ACT, args: '{"note":"a","note":"b"}' }]),
    words: 'Over it.',
  },
  {
    what: 'arguments of another shape',
    answer: sayCalls([{ ...ACT, args: '{"text":1}' }]),
    words: 'Over it.',
  },
  { what: 'an unknown tool', answer: sayCalls([{ ...ACT, name: 'explode' }]), words: 'Over it.' },
  {
    what: 'thirty calls at once',
    answer: sayCalls(thirty.map((note) => ({ name: 'act', args: JSON.stringify({ note }) }))),
    words: 'Over it.',
    runs: thirty,
  },
  {
    what: 'the same tool call id twice',
    answer: sayCalls([ACT, { ...ACT, args: '{"note":"two"}' }]),
    words: 'Over it.',
    runs: ['one', 'two'],
  },
  {
    what: 'a good call beside a broken one',
    answer: sayCalls([ACT, { id: 'd', name: 'act', args: '{"note":' }]),
    words: 'Over it.',
    runs: ['one'],
  },
];

async function failingDesk(t: TestContext, patch: Partial<Parameters<typeof buildDesk>[1]> = {}) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate: RUN_ALL, tools: [tool.definition], ...patch });
  const said = (kind: string) =>
    desk.chat.said.flatMap((say) => (say.kind === kind ? [say.text] : []));
  const ran = () => tool.runs.map(({ note }) => note).sort();
  return { desk, said, ran };
}

/** The next message is answered normally. */
async function assertContinues(desk: TestDesk, answers: number): Promise<void> {
  desk.model.script(() => sayText('Here I am.'));
  await desk.send('and now?');
  const texts = desk.chat.said.map(({ text }) => text);
  assert.equal(texts.length, answers + 1);
  assert.equal(texts.at(-1), 'Here I am.');
  assert.deepEqual(desk.model.refusals, []);
}

for (const { what, answer, notice, words, runs = [] } of TROUBLES) {
  test(`${what}: ${notice ? 'one explanation' : 'the model is told'}, and the thread continues`, async (t) => {
    const { desk, said, ran } = await failingDesk(t);
    desk.model.script((_request, index) => (index === 0 ? answer : sayText('Over it.')));
    await desk.send('please act');
    assert.deepEqual(said('answer'), words === undefined ? [] : [words].flat());
    assert.equal(said('notice').length, notice ? 1 : 0);
    if (notice) assert.match(said('notice')[0] ?? '', notice);
    assert.deepEqual(ran(), [...runs].sort());
    await assertContinues(desk, desk.chat.said.length);
    assert.deepEqual(ran(), [...runs].sort());
  });
}

for (const deltas of [[], ['Let me']]) {
  test(`silence ${deltas.length === 0 ? 'before the headers' : 'within an answer'} ends in one explanation, and the thread continues`, async (t) => {
    const { desk, said } = await failingDesk(t, { modelTimeoutMs: 5_000 });
    desk.model.script(() => ({ kind: 'hang', deltas }));
    const sent = desk.send('please act');
    await until(() => desk.model.requests.length === 1);
    // The silence starts after these words.
    for (let round = 0; round < 300; round += 1) await new Promise((r) => setImmediate(r));
    await desk.clock.advance(5_000);
    await sent;
    assert.deepEqual(said('answer'), deltas);
    assert.equal(said('notice').length, 1);
    assert.match(said('notice')[0] ?? '', /did not answer in time/);
    await assertContinues(desk, desk.chat.said.length);
  });
}

test('a 429 with Retry-After is retried at that time, and the person sees only the answer', async (t) => {
  const { desk, said } = await failingDesk(t, { modelRetries: 2 });
  const limited = sayStatus(429, {}, { 'retry-after': '7' });
  desk.model.script((_request, index) => (index === 0 ? limited : sayText('Here.')));
  const sent = desk.send('please act');
  await until(() => desk.model.requests.length === 1);
  for (let round = 0; round < 300; round += 1) await new Promise((r) => setImmediate(r));
  await desk.clock.advance(6_999);
  assert.equal(desk.model.requests.length, 1);
  await desk.clock.advance(1);
  await sent;
  assert.deepEqual([said('answer'), said('notice')], [['Here.'], []]);
});

test('a message that is too long is answered, and its author is told what was left out', async (t) => {
  const { desk, said } = await failingDesk(t, { contextTokens: 4_000 });
  desk.model.script(() => sayText('Long indeed.'));
  await desk.send(`Begin ${'word '.repeat(20_000)} end.`);
  assert.deepEqual(said('answer'), ['Long indeed.']);
  assert.equal(said('notice').length, 1);
  assert.match(
    said('notice')[0] ?? '',
    /too long for me.*about \d+ KB.*send it in separate, shorter messages/,
  );
  assert.match(
    JSON.stringify(desk.model.requests[0]?.messages.at(-1)),
    /bytes left out for length/,
  );
  await assertContinues(desk, 2);
  assert.equal(said('notice').length, 1);
  const [, , next] = desk.model.requests[1]?.messages ?? [];
  assert.equal(next?.role, 'assistant');
});
