import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import {
  APPROVER,
  OUTSIDER,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

async function deskWith(t: TestContext, notes: readonly string[], gate: Gate = askAll()) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate, tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls(notes.map(toCall)) : sayText('All done.'),
  );
  await desk.send('please act');
  return { desk, tool, calls: await desk.calls() };
}

function toCall(note: string) {
  return { name: 'act', args: JSON.stringify({ note }) };
}

function answers(desk: TestDesk): readonly string[] {
  return desk.chat.said.flatMap(({ kind, text }) => (kind === 'answer' ? [text] : []));
}

function toolTexts(desk: TestDesk): readonly string[] {
  const { messages } = desk.model.requests.at(-1) ?? { messages: [] };
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
}

function nth(calls: readonly Call[], index: number): Call {
  const call = calls[index];
  assert.ok(call);
  return call;
}

describe('decisions on a batch', () => {
  it('take effect at once in any order, and the outcomes keep the order of the calls', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['a', 'b', 'c']);
    for (const [index, note] of [
      [1, 'b'],
      [0, 'a'],
      [2, 'c'],
    ] as const) {
      assert.equal(desk.model.requests.length, 1);
      await desk.decide(nth(calls, index), REQUESTER);
      assert.equal(tool.runs.at(-1)?.note, note);
    }
    assert.deepEqual(toolTexts(desk), ['did a', 'did b', 'did c']);
    assert.deepEqual(answers(desk), ['All done.']);
    assert.deepEqual(desk.model.refusals, []);
  });

  it('apply to the right one of two identical calls', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['same', 'same']);
    await desk.decide(nth(calls, 1), REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.deepEqual(
      (await desk.calls()).map(({ status }) => status),
      ['pending', 'succeeded'],
    );
    await desk.decide(nth(calls, 0), REQUESTER, { kind: 'reply', text: 'one is enough' });
    assert.equal(tool.runs.length, 1);
    const [first, second] = toolTexts(desk);
    assert.match(first ?? '', /one is enough/);
    assert.equal(second, 'did same');
  });

  it('can mix approve and ignore: the approved call runs, the rest is withdrawn, the next message is valid', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['a', 'b', 'c']);
    await desk.decide(nth(calls, 0), REQUESTER);
    await desk.decide(nth(calls, 1), REQUESTER, { kind: 'ignore' });
    assert.deepEqual(
      (await desk.calls()).map(({ status }) => status),
      ['succeeded', 'ignored', 'withdrawn'],
    );
    assert.deepEqual(
      tool.runs.map(({ note }) => note),
      ['a'],
    );
    assert.equal(desk.model.requests.length, 1);
    assert.deepEqual(answers(desk), []);
    await desk.send('and now?');
    assert.equal(desk.model.requests.length, 2);
    assert.equal(toolTexts(desk).length, 3);
    assert.deepEqual(desk.model.refusals, []);
  });

  it('do not affect other calls: a running call finishes after its sibling is ignored', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['slow', 'b']);
    const release = tool.hold();
    const approving = desk.decide(nth(calls, 0), REQUESTER);
    await until(() => tool.runs.length === 1);
    const ignoring = desk.decide(nth(calls, 1), REQUESTER, { kind: 'ignore' });
    await until(async () => nth(await desk.calls(), 1).status === 'ignored');
    assert.equal(nth(await desk.calls(), 0).status, 'running');
    release();
    await Promise.all([approving, ignoring]);
    assert.equal(nth(await desk.calls(), 0).status, 'succeeded');
    assert.equal(desk.model.requests.length, 1);
  });
});

describe('one call', () => {
  it('runs once, however many people click at the same time', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['a']);
    const presses = Array.from({ length: 20 }, () => desk.decide(nth(calls, 0), REQUESTER));
    const kinds = (await Promise.all(presses)).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'decided').length, 1);
    assert.equal(kinds.filter((kind) => kind === 'already-decided').length, 19);
    assert.equal(tool.runs.length, 1);
  });

  it('gets one verdict when one person approves and another ignores', async (t) => {
    const route = { approvers: ['user:U2', 'user:U3'] } as const;
    const { desk, calls } = await deskWith(t, ['a'], askAll(route));
    const [approved, ignored] = await Promise.all([
      desk.decide(nth(calls, 0), APPROVER),
      desk.decide(nth(calls, 0), SECOND_APPROVER, { kind: 'ignore' }),
    ]);
    assert.deepEqual([approved.kind, ignored.kind].sort(), ['already-decided', 'decided']);
  });

  it('needs two different people for a quorum of two', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['a'], askAll(TWO_APPROVERS));
    const call = nth(calls, 0);
    assert.equal((await desk.decide(call, REQUESTER)).kind, 'not-allowed');
    assert.equal((await desk.decide(call, APPROVER)).kind, 'recorded');
    assert.equal((await desk.decide(call, APPROVER)).kind, 'already-voted');
    assert.equal(tool.runs.length, 0);
    assert.equal((await desk.decide(call, SECOND_APPROVER)).kind, 'decided');
    assert.equal(tool.runs.length, 1);
  });

  it('runs with the arguments that a person edited, and the model is told', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['cats']);
    const edit = { kind: 'edit', args: { note: 'dogs' } } as const;
    const bad = { kind: 'edit', args: { note: 3 } } as const;
    assert.equal((await desk.decide(nth(calls, 0), REQUESTER, bad)).kind, 'invalid');
    assert.deepEqual(tool.runs, []);
    assert.equal((await desk.decide(nth(calls, 0), REQUESTER, edit)).kind, 'decided');
    assert.deepEqual(
      tool.runs.map(({ note }) => note),
      ['dogs'],
    );
    assert.match(toolTexts(desk).at(-1) ?? '', /changed the arguments.*"dogs".*did dogs/s);
    assert.equal((await desk.decide(nth(calls, 0), REQUESTER)).kind, 'already-decided');
  });

  it('has every refusal in the audit', async (t) => {
    const { desk, calls } = await deskWith(t, ['a']);
    for (const decision of [
      { kind: 'approve' },
      { kind: 'ignore' },
      { kind: 'reply', text: 'x' },
      { kind: 'edit', args: { note: 'x' } },
    ] as const) {
      await desk.decide(nth(calls, 0), OUTSIDER, decision);
    }
    const entries = await desk.store.audit.read(1, 1_000);
    const refusals = entries.filter(({ event }) => event === 'decision.not-allowed');
    assert.deepEqual(
      refusals.map(({ actor }) => actor),
      Array(4).fill('T1/U9'),
    );
    assert.equal(nth(await desk.calls(), 0).status, 'pending');
  });

  it('expires if nobody decides: nothing runs, and the model is told that this is not a denial', async (t) => {
    const { desk, tool, calls } = await deskWith(t, ['a'], askAll({ deadlineMs: 60_000 }));
    await desk.clock.advance(59_999);
    await desk.worker.idle();
    assert.equal(nth(await desk.calls(), 0).status, 'pending');
    await desk.clock.advance(1);
    await desk.worker.idle();
    assert.equal(nth(await desk.calls(), 0).status, 'expired');
    assert.match(toolTexts(desk).at(-1) ?? '', /nobody decided.*not a denial/i);
    assert.equal((await desk.decide(nth(calls, 0), REQUESTER)).kind, 'already-decided');
    assert.deepEqual(tool.runs, []);
  });
});
