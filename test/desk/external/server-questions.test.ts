/** Questions that an MCP server asks while its tool runs: the requester of the call answers them during the run. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { toExternalTool } from '../../../src/agent/tools/external-tool.ts';
import { createAskQuestion } from '../../../src/desk/external/ask-question.ts';
import { createCallWatch } from '../../../src/desk/external/watch-calls.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { originOf } from '../../../src/domain/calls/call-origin.ts';
import type { AskPeople, QuestionAnswer } from '../../../src/domain/tools/server-tools.ts';
import { type Tool, UnknownOutcomeError } from '../../../src/domain/tools/tool.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

const SCHEMA = {
  type: 'object',
  properties: { where: { type: 'string', enum: ['here', 'there'] } },
  required: ['where'],
  additionalProperties: false,
};

const isQuestion = (call: Call) => originOf(call) === 'server-question';

interface Bench extends TestDesk {
  readonly answers: readonly QuestionAnswer[];
  /** Lets the tool that waits for its answer end, after the question was asked. */
  question(): Promise<Call>;
  asked(): Promise<Call>;
}

/** A desk whose agent calls a tool of a server, which asks a question as soon as it runs. */
async function build(t: TestContext, end?: () => Promise<string>): Promise<Bench> {
  const answers: QuestionAnswer[] = [];
  let ask: AskPeople | undefined;
  const tool: Tool = {
    name: 'box__move',
    server: 'box',
    description: '',
    schema: { type: 'object' },
    schemaHash: 'a'.repeat(64),
    risk: 'medium',
    idempotent: false,
    secrets: [],
    parse: (value) => ({ ok: true, value, canonical: '{}' }),
    async run(_args, { callId, signal }) {
      assert(ask);
      const deadlineAt = desk.clock.now() + 50_000;
      const words = { message: 'Where to? <!channel>', schema: SCHEMA, initial: {} };
      const question = { callId, server: 'box', deadlineAt, ...words };
      const answer = await ask(question, signal);
      answers.push(answer);
      return end ? await end() : JSON.stringify(answer);
    },
  };
  const desk = await buildDesk(t, { tools: [], made: [tool] });
  const { clock, store } = desk;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const watch = createCallWatch({ audit: store.audit, clock, log });
  t.after(() => watch.stop());
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `question${ids}`.padEnd(22, '0');
  };
  ask = createAskQuestion({ store, clock, newId, ofOutside: toExternalTool, watch: watch.watch });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'box__move', args: '{}' }]) : sayText('Done.'),
  );
  await desk.send('Move it');
  const [call] = await desk.calls();
  assert(call);
  assert.equal(call.server, 'box');
  const { id: callId, attempt } = call;
  const digest = call.digest.slice(0, 10);
  await desk.desk.decide({ callId, attempt, digest, by: REQUESTER, decision: { kind: 'approve' } });
  const find = async (isIt: (call: Call) => boolean) => (await desk.calls()).find(isIt);
  const question = async () => {
    const found = await find(isQuestion);
    assert(found);
    return found;
  };
  await until(async () => (await find(isQuestion))?.status === 'pending');
  const bench = { ...desk, answers, question };
  return {
    ...bench,
    async asked() {
      const found = await find((each) => !isQuestion(each));
      assert(found);
      return found;
    },
  };
}

/** Decides on the question as its card would; the watch finds the answer, as from another process. */
async function decide(bench: Bench, args?: { readonly where: string }, by = REQUESTER) {
  const call = await bench.question();
  const decision = args ? ({ kind: 'edit', args } as const) : ({ kind: 'ignore' } as const);
  const { id: callId, attempt } = call;
  const digest = call.digest.slice(0, 10);
  return await bench.desk.decide({ callId, attempt, digest, by, decision });
}

async function settle(bench: Bench): Promise<void> {
  await until(async () => {
    await bench.clock.advance(250);
    return bench.answers.length > 0;
  }, 20);
  await bench.rest();
}

describe('a question of a server', () => {
  it('is answered by the requester alone, as its schema says, while the tool runs', async (t) => {
    const bench = await build(t);
    const call = await bench.question();
    assert.deepEqual(
      [call.requester, call.words, call.route?.decisions, call.outside?.by],
      [REQUESTER, 'Where to? <!channel>', ['edit', 'ignore'], 'server'],
    );
    assert.equal(call.deadlineAt, bench.clock.now() + 50_000);
    const { attempt, id: callId } = call;
    const approve = { callId, attempt, digest: call.digest.slice(0, 10), by: REQUESTER };
    const approved = await bench.desk.decide({ ...approve, decision: { kind: 'approve' } });
    assert.equal(approved.kind, 'not-allowed');
    assert.equal((await decide(bench, { where: 'nowhere' })).kind, 'invalid');
    assert.equal((await decide(bench, { where: 'here' }, APPROVER)).kind, 'not-allowed');
    assert.equal((await bench.question()).status, 'pending');
    assert.equal((await bench.asked()).status, 'running');
    assert.equal((await decide(bench, { where: 'there' })).kind, 'decided');
    await settle(bench);
    assert.deepEqual(bench.answers, [{ kind: 'accept', content: { where: 'there' } }]);
    const [question, asked] = [await bench.question(), await bench.asked()];
    assert.deepEqual([question.status, question.delivered], ['succeeded', true]);
    assert.equal(asked.status, 'succeeded');
    const told = bench.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    assert.equal(told?.length, 1);
  });

  it('tells the server when it is declined, and the turn continues', async (t) => {
    const bench = await build(t);
    assert.equal((await decide(bench)).kind, 'decided');
    await settle(bench);
    assert.deepEqual(bench.answers, [{ kind: 'decline' }]);
    assert.equal((await bench.asked()).status, 'succeeded');
    assert.equal((await bench.question()).status, 'ignored');
  });

  it('expires before its tool times out if nobody answers', async (t) => {
    const bench = await build(t);
    await bench.clock.advance(50_000);
    await settle(bench);
    assert.deepEqual(bench.answers, [{ kind: 'cancel' }]);
    assert.equal((await bench.question()).status, 'expired');
    assert.equal((await bench.asked()).status, 'succeeded');
  });

  it('is withdrawn when its turn is stopped', async (t) => {
    const bench = await build(t);
    const { turn } = await bench.asked();
    assert.equal((await bench.desk.stop({ turn, by: REQUESTER })).kind, 'stopped');
    await settle(bench);
    assert.deepEqual(bench.answers, [{ kind: 'cancel' }]);
    assert.equal((await bench.question()).status, 'withdrawn');
  });

  it('is closed when its process dies: the running call is unknown, and no answer is accepted any more', async (t) => {
    const never = new Promise<string>(() => {});
    const bench = await build(t, () => never);
    await bench.restart();
    // Its lease runs out first.
    await bench.clock.advance(60_000);
    await bench.rest();
    assert.equal((await bench.asked()).status, 'unknown');
    assert.equal((await bench.question()).status, 'withdrawn');
    assert.equal((await decide(bench, { where: 'here' })).kind, 'already-decided');
  });

  it('whose call loses its result makes the call unknown: the card says what is known, and people are asked', async (t) => {
    const bench = await build(t, async () => {
      throw new UnknownOutcomeError(
        'The connection to the MCP server “box” was lost while this ran.',
      );
    });
    await decide(bench);
    await settle(bench);
    const { note, outcome, status } = await bench.asked();
    assert.deepEqual([status, outcome], ['unknown', undefined]);
    assert.match(String(note), /was lost while this ran\. It may have run, in part or whole/);
  });
});
