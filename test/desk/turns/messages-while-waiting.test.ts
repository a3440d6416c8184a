import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isBareApproval } from '../../../src/desk/turns/messages/message-while-waiting.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { Route } from '../../../src/domain/policy/route.ts';
import { APPROVER, OUTSIDER, REQUESTER } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

const BY_APPROVER: Partial<Route> = { approvers: ['user:U2'] };

async function waitingDesk(t: TestContext, route: Partial<Route> = {}, notes = ['one']) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate: askAll(route), tools: [tool.definition] });
  desk.model.script(() =>
    sayCalls(notes.map((note) => ({ name: 'act', args: JSON.stringify({ note }) }))),
  );
  await desk.send('please act');
  desk.model.script(() => sayText('Understood.'));
  return { desk, tool };
}

async function statuses(desk: TestDesk): Promise<readonly Call['status'][]> {
  return (await desk.calls()).map(({ status }) => status);
}

function lastPrompt(desk: TestDesk): string {
  return JSON.stringify(desk.model.requests.at(-1)?.messages);
}

function privates(desk: TestDesk, person: Person): readonly string[] {
  return desk.chat.said.flatMap((say) =>
    say.kind === 'private' && say.to?.user === person.user ? [say.text] : [],
  );
}

describe('a message while calls are pending', () => {
  it('from a person who may decide closes them as replied, and the agent plans again with it', async (t) => {
    const { desk, tool } = await waitingDesk(t, {}, ['one', 'two']);
    await desk.send('use the other one instead');
    assert.deepEqual(await statuses(desk), ['replied', 'replied']);
    assert.deepEqual(tool.runs, []);
    assert.equal(desk.model.requests.length, 2);
    assert.equal(lastPrompt(desk).split('use the other one instead').length - 1, 2);
    assert.equal(desk.chat.said.at(-1)?.text, 'Understood.');
  });

  it('from the requester who may not decide withdraws them and starts a new turn', async (t) => {
    const { desk, tool } = await waitingDesk(t, BY_APPROVER);
    await desk.send('never mind, what time is it?');
    assert.deepEqual(await statuses(desk), ['withdrawn']);
    assert.deepEqual(tool.runs, []);
    assert.equal(desk.model.requests.length, 2);
    const roles = desk.model.requests.at(-1)?.messages.map(({ role }) => role);
    assert.deepEqual(roles?.slice(-4), ['assistant', 'tool', 'assistant', 'user']);
    assert.equal(desk.chat.said.at(-1)?.text, 'Understood.');
  });

  it('from anybody else waits until they are settled, and its author gets one private message', async (t) => {
    const { desk } = await waitingDesk(t, BY_APPROVER);
    await desk.send('me too!', OUTSIDER);
    await desk.send('and again', OUTSIDER);
    assert.deepEqual(await statuses(desk), ['pending']);
    assert.equal(desk.model.requests.length, 1);
    assert.equal(privates(desk, OUTSIDER).length, 2);
    const [call] = await desk.calls();
    assert.ok(call);
    await desk.decide(call, APPROVER);
    assert.equal(desk.model.requests.length, 4);
    assert.match(lastPrompt(desk), /me too!.*and again/);
    assert.equal(privates(desk, OUTSIDER).length, 2);
  });

  it('that is a bare yes decides nothing, is not sent to the model, and points to the card', async (t) => {
    const { desk, tool } = await waitingDesk(t);
    for (const text of ['yes', 'OK!', 'approve', '👍🏽']) await desk.send(text);
    assert.deepEqual(await statuses(desk), ['pending']);
    assert.equal(desk.model.requests.length, 1);
    assert.equal(privates(desk, REQUESTER).length, 4);
    const [call] = await desk.calls();
    assert.ok(call);
    await desk.decide(call, REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.model.requests.length, 2);
  });

  it('waits while a tool runs, and is processed when the tool has ended', async (t) => {
    const { desk, tool } = await waitingDesk(t, {}, ['one', 'two']);
    const release = tool.hold();
    const [first] = await desk.calls();
    assert.ok(first);
    const deciding = desk.decide(first, REQUESTER);
    await until(() => tool.runs.length === 1);
    const sending = desk.send('stop that');
    await until(async () => (await desk.store.inbox.waiting(first.thread)).length === 1);
    assert.deepEqual(await statuses(desk), ['running', 'pending']);
    release();
    await Promise.all([deciding, sending]);
    assert.deepEqual(await statuses(desk), ['succeeded', 'replied']);
    assert.equal(tool.runs.length, 1);
  });

  it('followed quickly by another starts two turns, one after the other', async (t) => {
    const tool = createRecordedTool();
    const desk = await buildDesk(t, { tools: [tool.definition] });
    desk.model.script((request) => {
      const last = request.messages.at(-1);
      return sayText(`re: ${JSON.stringify(last?.content)}`);
    });
    await Promise.all([desk.send('archive A'), desk.send('no wait, archive B')]);
    const answers = desk.chat.said.map(({ text }) => text);
    assert.equal(answers.length, 2);
    assert.match(answers[0] ?? '', /archive A/);
    assert.match(answers[1] ?? '', /archive B/);
    assert.match(lastPrompt(desk), /archive A.*re: .*archive B/);
  });
});

describe('a bare yes', () => {
  it('is distinguished from a sentence', () => {
    for (const text of ['yes', 'Yes.', 'ok', ' OK ', 'approve', '👍', ':+1:', 'go ahead']) {
      assert.ok(isBareApproval(text), text);
    }
    for (const text of ['yes, but only a.txt', 'approve the second', 'no', '', 'ok?what']) {
      assert.ok(!isBareApproval(text), text);
    }
  });
});
