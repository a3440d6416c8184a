import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import type { Call } from '../../src/domain/call.ts';
import { type GateAnswer, REQUESTER_ROUTE } from '../../src/domain/route.ts';
import { plainSentence } from '../../src/domain/sentence.ts';
import { REQUESTER } from '../support/a-call.ts';
import { askAll, buildDesk, type TestDesk, TOOL_TIMEOUT_MS } from '../support/build-desk.ts';
import { sayCalls, sayText } from '../support/mock-model.ts';
import { createRecordedTool } from '../support/recorded-tool.ts';
import { until } from '../support/until.ts';

async function deskWith(
  t: TestContext,
  options: {
    readonly answer?: () => GateAnswer;
    readonly idempotent?: boolean;
    readonly stalled?: boolean;
  } = {},
) {
  const tool = createRecordedTool({ idempotent: options.idempotent ?? false });
  const gate = options.answer ?? askAll();
  const stalled = options.stalled ?? false;
  const desk = await buildDesk(t, { gate, stalled, tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

describe('a run', () => {
  it('of a call that the gate lets run needs nobody and shows no card', async (t) => {
    const { desk, tool } = await deskWith(t, { answer: () => ({ kind: 'run' }) });
    await desk.send('act');
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.cards.size, 0);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('of an approved call is told in the status line while it lasts, in place of the wait for people', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    assert.equal(desk.chat.statuses.at(-1), 'is waiting for a decision on the card');
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => desk.chat.statuses.at(-1) === 'is running act…');
    release();
    await deciding;
    assert.equal(desk.chat.statuses.at(-1), '');
  });

  it('never happens when the gate refuses, and the model is told why', async (t) => {
    const { desk, tool } = await deskWith(t, {
      answer: () => ({ kind: 'refuse', reason: 'The week is frozen.' }),
    });
    await desk.send('act');
    assert.equal(tool.runs.length, 0);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /The week is frozen/);
  });

  it('never happens when the policy has changed between the approval and the run', async (t) => {
    const answers: GateAnswer[] = [
      { kind: 'ask', route: REQUESTER_ROUTE },
      { kind: 'refuse', reason: 'Frozen now.' },
    ];
    const last: GateAnswer = { kind: 'refuse', reason: 'Frozen now.' };
    const { desk, tool } = await deskWith(t, { answer: () => answers.shift() ?? last });
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal(tool.runs.length, 0);
    assert.equal((await onlyCall(desk)).status, 'refused');
  });

  it('never happens with stored arguments other than those that were approved', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    const tampered = { ...call, args: '{"note":"b"}', revision: call.revision + 1 };
    await desk.store.ledger.write(call, [{ cause: 'vote', call: tampered }], {});
    await desk.decide(tampered, REQUESTER);
    assert.equal(tool.runs.length, 0);
    assert.match(plainSentence((await onlyCall(desk)).note ?? ''), /integrity_error/);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /had been changed/);
  });

  it('that fails is told to the model with its reason, and the model may go on', async (t) => {
    const { desk, tool } = await deskWith(t);
    tool.failWith('no such account');
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(
      JSON.stringify(desk.model.requests.at(-1)),
      /no such account.*correct the arguments/,
    );
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  const circle: Record<string, unknown> = { id: 5n, tags: new Set(['paid']) };
  const returned: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a number beyond JSON', () => ({ id: 5n }), /"id": "5"/],
    ['a set', () => ({ tags: new Set(['paid']) }), /"paid"/],
    ['what holds itself', () => Object.assign(circle, { me: circle }), /object Object/],
    ['a function', () => () => 'later', /later/],
    ['a symbol', () => Symbol('done'), /Symbol\(done\)/],
    ['half of a character', () => 'a\ud83d', /^a\ufffd$/],
    [
      'more than is told, cut within a character',
      () => `${'x'.repeat(29_999)}\u{1f600}${'y'.repeat(60_000)}`,
      /x\ufffd\n\[… 30001 characters/,
    ],
  ];
  for (const [what, run, told] of returned) {
    it(`that returns ${what} has run, and the model is told what it can be told`, async (t) => {
      const schema = z.object({});
      const tools = [{ name: 'act', description: 'Acts.', schema, run: run as () => string }];
      const desk = await buildDesk(t, { gate: () => ({ kind: 'run' }), tools });
      desk.model.script((_request, index) =>
        index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
      );
      await desk.send('act');
      const { outcome } = await onlyCall(desk);
      assert(outcome?.kind === 'result', JSON.stringify(outcome));
      assert.match(outcome.text, told);
      assert.deepEqual(desk.model.refusals, []);
      assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
    });
  }

  it('that throws what no text can be made of has failed, and is not left running', async (t) => {
    const desk = await buildDesk(t, {
      gate: () => ({ kind: 'run' }),
      tools: [
        {
          name: 'act',
          description: 'Acts.',
          schema: z.object({}),
          run: () => {
            throw Object.create(null);
          },
        },
      ],
    });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
    );
    await desk.send('act');
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /act failed: it does not say why/);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('that takes too long is stopped, and said to have been', async (t) => {
    const { desk, tool } = await deskWith(t);
    const release = tool.hold();
    await desk.send('act');
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(TOOL_TIMEOUT_MS);
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /took longer than 60 s/);
    release();
  });
});

describe('a worker that stands still past its lease', () => {
  async function stall(t: TestContext, idempotent: boolean) {
    const { desk, tool } = await deskWith(t, { stalled: true, idempotent });
    const release = tool.hold();
    await desk.send('act');
    const call = await onlyCall(desk);
    const deciding = desk.decide(call, REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(31_000);
    const other = desk.takeOver();
    return { desk, tool, release, deciding, other };
  }

  it('leaves a call of which it is unknown whether it ran, and its late word changes nothing', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, false);
    await other.idle();
    assert.equal((await onlyCall(desk)).status, 'unknown');
    release();
    await deciding;
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.equal(tool.runs.length, 1);
    const digest = call.digest.slice(0, 10);
    const finding = { callId: call.id, attempt: 1, digest, by: REQUESTER, finding: 'ran' } as const;
    assert.equal((await desk.desk.settle(finding)).kind, 'decided');
    await other.idle();
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /A person checked: it ran/);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('has its idempotent call run again with the same key', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true);
    release();
    await other.idle();
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'succeeded');
    assert.equal(tool.runs.length, 2);
    assert.equal(new Set(tool.runs.map(({ key }) => key)).size, 1);
  });
});

describe('what the model gets wrong', () => {
  it('in a call goes back to it, and never becomes a card', async (t) => {
    const { desk, tool } = await deskWith(t);
    const wrong = [
      { name: 'act', args: '{"note":' },
      { name: 'act', args: '{"note":1}' },
      { name: 'act', args: '{"note":"a","note":"b"}' },
      { name: 'nothing', args: '{}' },
    ];
    desk.model.script((_request, index) => (index === 0 ? sayCalls(wrong) : sayText('Sorry.')));
    await desk.send('act');
    assert.equal((await desk.calls()).length, 0);
    assert.equal(desk.chat.cards.size, 0);
    assert.equal(tool.runs.length, 0);
    const prompt = JSON.stringify(desk.model.requests.at(-1)?.messages);
    for (const why of ['not valid JSON', 'do not fit its schema', 'there is no tool']) {
      assert.ok(prompt.includes(why), why);
    }
    assert.equal(desk.chat.said.at(-1)?.text, 'Sorry.');
  });

  it('beside a right call leaves that one to people', async (t) => {
    const { desk, tool } = await deskWith(t);
    desk.model.script((_request, index) =>
      index === 0
        ? sayCalls([
            { name: 'nothing', args: '{}' },
            { name: 'act', args: '{"note":"a"}' },
          ])
        : sayText('Done.'),
    );
    await desk.send('act');
    assert.equal(desk.model.requests.length, 1);
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.deepEqual(desk.model.refusals, []);
  });
});
