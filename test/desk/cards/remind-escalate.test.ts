import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { escalateKey, expireKey, remindKey } from '../../../src/domain/ports/agenda.ts';
import { APPROVER, OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LEAD: Route = {
  ...REQUESTER_ROUTE,
  name: 'lead',
  approvers: ['user:U3'],
  deadlineMs: 2 * HOUR,
  remindAfterMs: HOUR,
};
const OPS: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops',
  approvers: ['user:U2', 'usergroup:S1'],
  deadlineMs: 4 * HOUR,
  remindAfterMs: 30 * MINUTE,
  escalate: { afterMs: HOUR, to: LEAD },
};

/** A desk with one pending call on a route. */
async function waiting(t: TestContext, route: Route) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate: askAll(route), tools: [tool.definition] });
  desk.model.script((_request, index) =>
    index % 2 === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('As you say.'),
  );
  await desk.send('please act');
  return { desk, tool };
}

async function pass(desk: TestDesk, ms: number): Promise<void> {
  await desk.clock.advance(ms);
  await desk.worker.idle();
}

const noticesOf = (desk: TestDesk) =>
  desk.chat.said.filter(({ kind, replaces }) => kind === 'notice' && !replaces);

async function onlyCall(desk: TestDesk) {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

describe('a decided call', () => {
  it('cancels its deadline, its reminder and its escalation', async (t) => {
    const { desk } = await waiting(t, OPS);
    const call = await onlyCall(desk);
    const timers = [expireKey(call), remindKey(call), escalateKey(call)];
    assert.deepEqual(await desk.store.agenda.unscheduled(timers), []);
    await desk.decide(call, APPROVER);
    assert.deepEqual(await desk.store.agenda.unscheduled(timers), timers);
  });
});

describe('a call that nobody decides', () => {
  it('sends one reminder, escalates once, sends one reminder there, and expires', async (t) => {
    const { desk, tool } = await waiting(t, OPS);
    const words: string[][] = [];
    for (let minute = 0; minute < 200; minute += 5) {
      await pass(desk, 5 * MINUTE);
      const said = noticesOf(desk).map(({ id }) => id.split(':')[0] ?? '');
      if (said.length !== (words.at(-1) ?? []).length) words.push([`${minute + 5} min`, ...said]);
    }
    assert.deepEqual(
      noticesOf(desk).map(({ mentions, text }) => [
        mentions?.people.map(({ user }) => user),
        mentions?.groups,
        /Still open|route “lead”/.exec(text)?.[0],
      ]),
      [
        [['U2'], ['usergroup:S1'], 'Still open'],
        [['U3'], [], 'route “lead”'],
        [['U3'], [], 'Still open'],
      ],
    );
    const call = await onlyCall(desk);
    assert.equal(call.status, 'expired');
    assert.equal(call.route?.name, 'lead');
    assert.deepEqual(tool.runs, []);
    const heard = desk.model.requests.at(-1)?.messages.at(-1)?.content;
    assert.match(String(heard), /nobody decided in time.*not a denial.*Do not work around it/s);
  });

  it('belongs to the approvers of the next route alone after it escalated', async (t) => {
    const { desk, tool } = await waiting(t, OPS);
    await pass(desk, HOUR);
    const call = await onlyCall(desk);
    assert.equal((await desk.decide(call, APPROVER)).kind, 'not-allowed');
    assert.equal((await desk.decide(call, { team: 'T1', user: 'U3' })).kind, 'decided');
    assert.equal(tool.runs.length, 1);
  });

  it('deletes its reminder once it is decided', async (t) => {
    const { desk } = await waiting(t, OPS);
    await pass(desk, 31 * MINUTE);
    const [reminder, ...more] = noticesOf(desk);
    assert.ok(reminder);
    assert.match(reminder.id, /^reminder:/);
    assert.deepEqual(more, []);
    await desk.decide(await onlyCall(desk), APPROVER);
    await pass(desk, HOUR);
    const over = desk.chat.said.filter(({ replaces }) => replaces);
    assert.deepEqual(
      over.map(({ replaces, text, thread }) => [replaces?.id, text, thread]),
      [[reminder.id, 'No longer open: “Act: a”', reminder.thread]],
    );
  });

  it('sends nothing more once it is decided, even after the worker restarts', async (t) => {
    const { desk } = await waiting(t, OPS);
    await desk.decide(await onlyCall(desk), APPROVER);
    await pass(desk, 30 * HOUR);
    assert.deepEqual(noticesOf(desk), []);
  });
});

describe('an expired call', () => {
  it('can be asked for again by its requester, once, however often they click', async (t) => {
    const { desk, tool } = await waiting(t, { ...OPS, deadlineMs: 10 * MINUTE });
    const early = await onlyCall(desk);
    const press = (by = REQUESTER) => desk.desk.askAgain({ callId: early.id, by });
    assert.deepEqual(await press(), { kind: 'not-expired' });
    await pass(desk, 11 * MINUTE);
    assert.deepEqual(await press(OUTSIDER), { kind: 'not-the-requester' });
    const answers = await Promise.all([press(), press()]);
    assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['asked', 'asked-before']);
    await desk.worker.idle();
    const calls = await desk.calls();
    assert.deepEqual(
      calls.map(({ status, requester }) => [status, requester.user]),
      [
        ['expired', 'U1'],
        ['pending', 'U1'],
      ],
    );
    assert.deepEqual(
      noticesOf(desk).map(({ text }) => text.replace(/call \w+/, 'call …')),
      ['Asked again: “Act: a”.'],
    );
    const again = calls[1];
    assert.ok(again);
    await desk.decide(again, APPROVER);
    assert.equal(tool.runs.length, 1);
    assert.equal((await desk.store.history.newest(THREAD, 9, 0)).length, 2);
  });
});
