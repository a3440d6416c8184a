import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Route } from '../../../src/domain/policy/route.ts';
import { APPROVER, OUTSIDER, REQUESTER } from '../../support/builders/a-call.ts';
import { playAgents, toldOf } from '../../support/desk/play-agents.ts';
import { type MockAnswer, sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { buildDelegationDesk, sayActs, task } from '../support/delegation-desk.ts';

const BY_APPROVER: Partial<Route> = { approvers: ['user:U2'] };

/** Two helpers wait for people; another helper started one of them. */
async function waitingDesk(t: TestContext, route: Partial<Route> = {}) {
  const made = await buildDelegationDesk(t, { route: () => route });
  playAgents(made.desk.model, {
    begin: [sayCalls([task('scout', 'do A'), task('worker', 'do B')]), sayText('Begun is done.')],
    'do A': [sayActs('a1'), sayText('A is done.')],
    'do B': [sayCalls([task('scout', 'do C')]), sayText('B is done.')],
    'do C': [sayActs('c1'), sayText('C is done.')],
    'what now?': [sayText('I do nothing.')],
    '<@U9>: what now?': [sayText('I do nothing.')],
  });
  await made.desk.send('begin');
  return made;
}

const said = ({ desk }: Awaited<ReturnType<typeof waitingDesk>>) =>
  desk.chat.said.map(({ kind, text }) => (kind === 'private' ? 'private' : text));

describe('a message while calls of helpers are pending', () => {
  it('from a person who may decide them is a reply to each, and the helpers plan again', async (t) => {
    const made = await waitingDesk(t);
    await made.desk.send('take the other road');
    assert.deepEqual(await made.statuses(), {
      'do A': 'succeeded',
      'do B': 'succeeded',
      'do C': 'succeeded',
      a1: 'replied',
      c1: 'replied',
    });
    assert.match(toldOf(made.desk.model, 'do A')[0] ?? '', /take the other road/);
    assert.match(toldOf(made.desk.model, 'do C')[0] ?? '', /take the other road/);
    assert.deepEqual(said(made), ['Begun is done.']);
    assert.deepEqual(made.tool.runs, []);
  });

  it('from the requester who may decide none withdraws the helpers and starts a new turn', async (t) => {
    const made = await waitingDesk(t, BY_APPROVER);
    const asked = made.desk.model.requests.length;
    await made.desk.send('what now?');
    assert.deepEqual(await made.statuses(), {
      'do A': 'withdrawn',
      'do B': 'withdrawn',
      'do C': 'withdrawn',
      a1: 'withdrawn',
      c1: 'withdrawn',
    });
    const causes = (await made.all()).map(({ outcome }) => outcome);
    assert.ok(causes.every((outcome) => outcome?.kind === 'withdrawn'));
    assert.ok(causes.every((outcome) => 'cause' in outcome && outcome.cause === 'new-message'));
    assert.deepEqual(said(made), ['I do nothing.']);
    assert.equal(made.desk.model.requests.length, asked + 1);
    assert.deepEqual(await made.desk.store.inbox.threadsWithMessages(), []);
  });

  it('from anybody else waits until they are settled', async (t) => {
    const made = await waitingDesk(t, BY_APPROVER);
    await made.desk.send('what now?', OUTSIDER);
    assert.deepEqual(said(made), ['private']);
    await made.desk.decide(await made.act('a1'), APPROVER);
    assert.deepEqual(said(made), ['private']);
    await made.desk.decide(await made.act('c1'), APPROVER);
    assert.deepEqual(said(made), ['private', 'Begun is done.', 'I do nothing.']);
  });

  it('that is a bare yes approves nothing', async (t) => {
    const made = await waitingDesk(t);
    await made.desk.send('yes');
    assert.equal((await made.act('a1')).status, 'pending');
    assert.deepEqual(said(made), ['private']);
  });

  it('waits while a helper’s tool runs', async (t) => {
    const made = await waitingDesk(t, BY_APPROVER);
    const release = made.tool.hold();
    const deciding = made.desk.decide(await made.act('c1'), APPROVER);
    await until(() => made.tool.runs.length === 1);
    const sending = made.desk.send('what now?');
    await until(() => said(made).includes('private'));
    assert.equal((await made.act('a1')).status, 'pending');
    release();
    await Promise.all([deciding, sending]);
    assert.equal((await made.act('c1')).status, 'succeeded');
    assert.equal((await made.act('a1')).status, 'withdrawn');
    assert.deepEqual(said(made), ['private', 'I do nothing.']);
  });

  it('waits while a helper asks the model, and is processed when the helper waits for people', async (t) => {
    const made = await buildDelegationDesk(t, { route: () => BY_APPROVER });
    let answer = (_: MockAnswer) => {};
    const thought = new Promise<MockAnswer>((resolve) => {
      answer = resolve;
    });
    playAgents(made.desk.model, {
      begin: [sayCalls([task('scout', 'do A'), task('scout', 'do B')])],
      'do A': [sayActs('a1')],
      'do B': [thought],
      'what now?': [sayText('I do nothing.')],
    });
    const beginning = made.desk.send('begin');
    await until(async () => (await made.desk.store.ledger.withStatus('pending')).length === 1);
    const sending = made.desk.send('what now?', REQUESTER);
    await until(() => said(made).includes('private'));
    assert.equal((await made.act('a1')).status, 'pending');
    answer(sayActs('b1'));
    await Promise.all([beginning, sending]);
    assert.equal((await made.act('b1')).status, 'withdrawn');
    assert.deepEqual(said(made), ['private', 'I do nothing.']);
  });

  it('is a reply to the calls that its author may decide, and leaves the others as they are', async (t) => {
    const made = await buildDelegationDesk(t, {
      route: ({ agent }) => (agent === undefined ? BY_APPROVER : {}),
    });
    playAgents(made.desk.model, {
      begin: [
        sayCalls([task('scout', 'do A'), { name: 'act', args: '{"note":"own"}' }]),
        sayText('Begun is done.'),
      ],
      'do A': [sayActs('a1'), sayText('A is done.')],
    });
    await made.desk.send('begin');
    await made.desk.send('not that way');
    assert.equal((await made.act('a1')).status, 'replied');
    assert.equal((await made.act('own')).status, 'pending');
    await made.desk.decide(await made.act('own'), APPROVER);
    assert.deepEqual(toldOf(made.desk.model, 'begin'), ['A is done.', 'did own']);
    assert.deepEqual(said(made), ['Begun is done.']);
  });
});
