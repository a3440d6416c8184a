import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../src/domain/call.ts';
import { type GateAnswer, REQUESTER_ROUTE } from '../../src/domain/route.ts';
import { plainSentence } from '../../src/domain/sentence.ts';
import type { Tool } from '../../src/domain/tool.ts';
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

  it('never happens when the tool changes in the last moment, and nobody is told of a changed database', async (t) => {
    let isChanged = false;
    const tool: Tool = {
      ...{ name: 'act', description: 'Acts.', schema: { type: 'object' }, secrets: [] },
      ...{ schemaHash: 'a'.repeat(64), risk: 'medium', idempotent: false },
      parse: (value) =>
        isChanged
          ? { ok: false, problems: [] }
          : { ok: true, value, canonical: JSON.stringify(value) },
      run: async () => assert.fail('It ran.'),
    };
    let asked = 0;
    const gate = askAll();
    const desk = await buildDesk(t, {
      ...{ tools: [], made: [tool] },
      gate(facts) {
        asked += 1;
        isChanged = asked > 1;
        return gate(facts);
      },
    });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
    );
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.deepEqual((await onlyCall(desk)).outcome, {
      kind: 'error',
      text: 'Not run: the tool “act” has changed since it was approved, or is no longer there.',
    });
    assert.equal(desk.integrity.count(), 0);
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
  async function stall(
    t: TestContext,
    idempotent: boolean,
    meanwhile: (now: { readonly desk: TestDesk; answer: GateAnswer }) => unknown = () => {},
  ) {
    const now = { answer: { kind: 'ask', route: REQUESTER_ROUTE } as GateAnswer };
    const answer = () => now.answer;
    const { desk, tool } = await deskWith(t, { stalled: true, idempotent, answer });
    const release = tool.hold();
    await desk.send('act');
    const call = await onlyCall(desk);
    const deciding = desk.decide(call, REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(31_000);
    await meanwhile(Object.assign(now, { desk }));
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
    await until(() => tool.runs.length === 2);
    release();
    await other.idle();
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'succeeded');
    assert.equal(tool.runs.length, 2);
    assert.equal(new Set(tool.runs.map(({ key }) => key)).size, 1);
  });

  it('has it not run again when the policy forbids it by then, and people are asked what happened', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, (now) => {
      now.answer = { kind: 'refuse', reason: 'Frozen now.' };
    });
    await other.idle();
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.match(plainSentence(call.note ?? ''), /not run again: Frozen now\. It may have run/);
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
  });

  it('has it not run again when its arguments were changed, and nobody says that it never ran', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, async (now) => {
      const running = await onlyCall(now.desk);
      const tampered = { ...running, args: '{"note":"b"}', revision: running.revision + 1 };
      await now.desk.store.ledger.write(running, [{ cause: 'recover', call: tampered }], {});
    });
    await other.idle();
    const call = await onlyCall(desk);
    assert.equal(call.status, 'failed');
    assert.match(plainSentence(call.note ?? ''), /integrity_error.*It was not run again\.$/);
    assert.match(JSON.stringify(call.outcome), /It is not known whether this ran/);
    assert.ok(desk.chat.said.every(({ text }) => !text.includes('Nothing was run')));
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
  });

  it('has it not run again when its approval no longer suffices', async (t) => {
    const { desk, tool, release, deciding, other } = await stall(t, true, (now) => {
      now.answer = { kind: 'ask', route: { ...REQUESTER_ROUTE, quorum: 2 } };
    });
    await other.idle();
    assert.equal((await onlyCall(desk)).status, 'unknown');
    assert.equal(tool.runs.length, 1);
    release();
    await deciding;
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
