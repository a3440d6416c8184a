import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSlackNames } from '../../../src/slack/people/slack-names.ts';
import { createSlackPeople } from '../../../src/slack/people/slack-people.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const silent = () => {};

async function open(t: TestContext) {
  const workspace = await createWorkspace({ clock: createSystemClock() });
  t.after(() => workspace.stop());
  const connection = await connectSlack({
    config: { botToken: workspace.botToken, apiUrl: workspace.apiUrl, appToken: 'xapp-1' },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const clock = createManualClock();
  let behindMs = 0;
  const shown = { now: () => clock.now() - behindMs, schedule: clock.schedule };
  const asked = (method: string) => workspace.journal.filter(({ name }) => name === method).length;
  return {
    workspace,
    clock,
    asked,
    names: createSlackNames({ connection }),
    people: createSlackPeople({ connection, clock: shown }),
    putClockBack(ms: number) {
      behindMs = ms;
    },
    person: (name: string) => ({ team: workspace.team.id, user: workspace.member(name).id }),
  };
}

describe('a name in the policy file', () => {
  it('resolves to a channel that the app sees, a person by handle or a user group', async (t) => {
    const { names, workspace } = await open(t);
    const group = workspace.setUserGroup('ops-leads', ['approver', 'admin']);
    const found = await names.resolveNames(['#ops', '@Approver', '@ops-leads']);
    assert.deepEqual(Object.fromEntries(found), {
      '#ops': ['channel:C0OPS'],
      '@Approver': ['user:U0APPROVER'],
      '@ops-leads': [`usergroup:${group}`],
    });
  });

  it('resolves to nothing if it is missing, hidden from the app, of another team, deactivated or a bot', async (t) => {
    const { names, workspace } = await open(t);
    workspace.changeMember('outsider', { deleted: true });
    const wanted = ['#nowhere', '#finance', '@stranger', '@outsider', '@countersign'] as const;
    const found = await names.resolveNames([...wanted]);
    assert.deepEqual([...found.values()], [[], [], [], [], []]);
  });

  it('is ambiguous if a group is called like a person', async (t) => {
    const { names, workspace } = await open(t);
    const group = workspace.setUserGroup('approver', ['admin']);
    const found = await names.resolveNames(['@approver']);
    assert.deepEqual(found.get('@approver'), ['user:U0APPROVER', `usergroup:${group}`]);
  });

  it('asks Slack only for the kinds that it can be', async (t) => {
    const { asked, names } = await open(t);
    await names.resolveNames(['#ops']);
    assert.deepEqual([asked('conversations.list'), asked('users.list')], [1, 0]);
    await names.resolveNames(['@approver']);
    assert.deepEqual([asked('conversations.list'), asked('users.list')], [1, 1]);
  });

  it('fails with a remedy when Slack refuses', async (t) => {
    const { names, workspace } = await open(t);
    workspace.faults.api('usergroups.list', { kind: 'error', error: 'missing_scope' });
    await assert.rejects(names.resolveNames(['@approver']), (error) => {
      assert.ok(error instanceof ChatError);
      assert.match(error.message, /names of the policy file \(missing_scope\).*install it again/);
      return true;
    });
  });
});

describe('what conditions read about people', () => {
  it('is their email address and their groups', async (t) => {
    const { people, person, workspace } = await open(t);
    workspace.setUserGroup('ops-approvers', []);
    const ops = workspace.setUserGroup('ops-leads', ['approver', 'admin']);
    const all = workspace.setUserGroup('all', ['approver', 'requester']);
    assert.equal(await people.emailOf(person('approver')), 'approver@example.test');
    assert.deepEqual(await people.groupsOf(person('approver')), [ops, all]);
    assert.deepEqual(await people.groupsOf(person('outsider')), []);
  });

  it('is cached for a minute, and a failure is not', async (t) => {
    const { asked, clock, people, person, workspace } = await open(t);
    workspace.setUserGroup('ops-approvers', []);
    workspace.faults.api('usergroups.list', { kind: 'status', status: 500 });
    await assert.rejects(people.groupsOf(person('approver')), /members of user groups/);
    await people.groupsOf(person('approver'));
    const group = workspace.setUserGroup('late', ['approver']);
    await clock.advance(59_999);
    assert.deepEqual(await people.groupsOf(person('approver')), []);
    await clock.advance(1);
    assert.deepEqual(await people.groupsOf(person('approver')), [group]);
    assert.equal(asked('usergroups.list'), 3);
  });

  it('is read again after the clock was set back', async (t) => {
    const { people, person, putClockBack, workspace } = await open(t);
    assert.equal((await people.groupsOf(person('approver'))).length, 1);
    workspace.setUserGroup('ops-approvers', []);
    putClockBack(3_600_000);
    assert.deepEqual(await people.groupsOf(person('approver')), []);
  });

  it('is empty for people of another workspace', async (t) => {
    const { people, asked } = await open(t);
    const stranger = { team: 'T0OTHER', user: 'U0APPROVER' };
    await assert.rejects(people.emailOf(stranger), /another workspace/);
    await assert.rejects(people.groupsOf(stranger), /another workspace/);
    assert.equal(asked('users.info'), 0);
  });

  it('fails with the scope to add if Slack shows no address', async (t) => {
    const { people, person } = await open(t);
    const bot = { ...person('approver'), user: 'U0COUNTERSIGN' };
    await assert.rejects(people.emailOf(bot), /scope users:read\.email/);
  });
});
