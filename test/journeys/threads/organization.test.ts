/** A workspace of an organization: colleagues whose home is a sibling workspace take part, people of other companies do not. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  DEFAULT_CHANNELS,
  DEFAULT_MEMBERS,
  IDENTITY,
} from '../../../src/playground/workspace/workspace-seed.ts';
import { allText, type Place } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';
import { type InnerStage, setInnerStage } from '../field-reports/inner-stage.ts';

const SIBLING = 'T0SIBLING';
const COLLEAGUE = {
  name: 'colleague',
  realName: 'Cory (sibling workspace)',
  teamId: SIBLING,
  teams: [SIBLING, IDENTITY.team.id],
};
/** In the same organization, but not in our workspace. */
const COUSIN = {
  name: 'cousin',
  realName: 'Casey (sibling workspace only)',
  teamId: SIBLING,
  teams: [SIBLING],
};

const ORGANIZATION = {
  enterprise: 'E0ORG',
  members: [...DEFAULT_MEMBERS, COLLEAGUE, COUSIN],
  channels: DEFAULT_CHANNELS.map((channel) =>
    channel.name === 'shared'
      ? { ...channel, members: [...channel.members, 'colleague', 'cousin'] }
      : channel,
  ),
};

describe('in a workspace of an organization', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http', {}, undefined, ORGANIZATION);
  });
  after(() => stage.close());

  it('a colleague from a sibling workspace asks, edits and approves', async () => {
    stage.play(sayCall('note', { text: 'of a colleague' }), sayText('It is noted.'));
    const place = await stage.ask('colleague', 'note something', 'shared');
    const card = await stage.card(place, 'of a colleague', 'Approve');
    await stage.press('colleague', card, 'call.edit');
    await stage.form('colleague', 'Edit the call');
    await stage.workspace.close('colleague');
    await stage.press('colleague', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
    const [decided] = stage.audit('call.approve');
    assert.equal(decided?.actor, `${IDENTITY.team.id}/U0COLLEAGUE`);
    await stage.workspace.command('colleague', 'shared', '/countersign', 'status');
    await stage.privately('colleague', 'Nothing is running here');
  });

  it('every stored record names the workspace and the organization', async () => {
    await stage.settled();
    const rows = stage.sql<{ key: string; owner: string }>(
      `SELECT key, document ->> '$.workspace' || '/' || (document ->> '$.enterprise') AS owner FROM main.records`,
    );
    const kinds = new Set(rows.map(({ key }) => key.slice(0, key.indexOf('/'))));
    for (const kind of [
      'call',
      'message',
      'say',
      'turn',
      'thread',
      'decided',
      'place',
      'workspace',
    ])
      assert.ok(kinds.has(kind), kind);
    const other = rows.filter(({ owner }) => owner !== `${IDENTITY.team.id}/E0ORG`);
    assert.deepEqual(other, []);
  });

  it('the app does not start on the records of another workspace', async () => {
    await stage.app().stop();
    const owner = `UPDATE records SET document = replace(document, ?, ?) WHERE key = 'workspace/only'`;
    stage.sql(owner, IDENTITY.team.id, 'T0OTHER');
    await assert.rejects(
      stage.startAgain(),
      new RegExp(`belongs to the workspace T0OTHER, but the app is now in ${IDENTITY.team.id}`),
    );
    stage.sql(owner, 'T0OTHER', IDENTITY.team.id);
    await stage.startAgain();
  });

  for (const [who, what] of [
    ['stranger', 'another company'],
    ['cousin', 'the organization, outside our workspace,'],
  ] as const) {
    it(`somebody from ${what} neither asks nor approves`, async () => {
      stage.play(sayCall('note', { text: `before the ${who}` }), sayText('It is noted.'));
      const refused = await stage.ask(who, 'note something else', 'shared');
      await stage.privately(who, 'I only work for members of this workspace');
      assert.deepEqual(stage.cards(refused), []);
      const place = await stage.ask('requester', 'note something', 'shared');
      const card = await stage.card(place, `before the ${who}`, 'Approve');
      const runs = (await stage.runs()).length;
      await stage.press(who, card, 'call.approve');
      await stage.privately(who, 'of this workspace');
      await stage.settled();
      assert.equal((await stage.runs()).length, runs);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It is noted.');
    });
  }
});

const POLICY = `version: 1
routes:
  leads: { approvers: ["usergroup:S0LEADS"], quorum: 2, deadline: 2h }
  colleague: { approvers: ["@colleague"], requireReason: true, deadline: 2h }
rules:
  - { tools: [note], when: 'args.text.startsWith("run") && requester.email == "colleague@example.test"', gate: run }
  - { tools: [note], when: 'args.text.startsWith("lead")', gate: ask, route: leads, risk: high }
  - { tools: [note], when: 'args.text.startsWith("reason")', gate: ask, route: colleague, risk: high }
default: { gate: ask, route: requester }
`;

describe('a colleague from a sibling workspace', () => {
  let stage: FieldStage;
  let temp: Awaited<ReturnType<typeof makeTempDir>>;
  before(async () => {
    temp = await makeTempDir();
    const path = join(temp.path, 'policy.yaml');
    await writeFile(path, POLICY);
    stage = await setFieldStage('http', { POLICY_FILE: path }, undefined, ORGANIZATION);
  });
  after(async () => {
    await stage.close();
    await temp.remove();
  });

  async function requestNote(member: string, text: string): Promise<Place> {
    stage.play(sayCall('note', { text }), sayText('It is noted.'));
    return await stage.ask(member, 'note something', 'shared');
  }
  const lastRun = async () => (await stage.runs()).at(-1)?.args;
  const actors = (event: string) => stage.audit(event).map(({ actor }) => actor);
  const homeOf = (member: string) => JSON.stringify(stage.workspace.see(member).home ?? {});
  const OURS = `${IDENTITY.team.id}/U0COLLEAGUE`;

  it('changes their own call in the form, and it runs with the new values', async () => {
    const place = await requestNote('colleague', 'as asked');
    const card = await stage.card(place, 'as asked', 'Approve');
    await stage.press('colleague', card, 'call.edit');
    await stage.form('colleague', 'Edit the call');
    assert.equal(
      (await stage.workspace.submit('colleague', { text: 'as edited' })).kind,
      'acknowledged',
    );
    await stage.answer(place, 'It is noted.');
    await stage.card(place, 'as edited', '<@U0COLLEAGUE>', 'Done');
    assert.deepEqual(await lastRun(), { text: 'as edited' });
    assert.deepEqual(actors('call.edit'), [OURS]);
  });

  it('replies to the agent in the form', async () => {
    const place = await requestNote('colleague', 'to be answered');
    const card = await stage.card(place, 'to be answered', 'Approve');
    await stage.press('colleague', card, 'call.reply');
    await stage.form('colleague', 'Reply to the agent');
    await stage.workspace.submit('colleague', { reply: 'Not today.' });
    await stage.answer(place, 'It is noted.');
    assert.match(stage.toolMessages().at(-1) ?? '', /Not today\./);
  });

  it('is one of two approvers of a high-risk call, after one of them has changed it', async () => {
    stage.workspace.setUserGroup('leads', ['colleague', 'approver']);
    const place = await requestNote('requester', 'lead one');
    const card = await stage.card(place, 'lead one', 'Approve');
    assert.match(allText(card), /^⚠ Note: lead one/);
    await stage.press('colleague', card, 'call.edit');
    await stage.form('colleague', 'Edit the call');
    await stage.workspace.submit('colleague', { text: 'lead two' });
    const edited = await stage.card(place, 'lead two', '1 of 2 approvals by <@U0COLLEAGUE>');
    const runs = (await stage.runs()).length;
    await stage.press('colleague', edited, 'call.approve');
    await stage.privately('colleague', 'you have already given your approval');
    await stage.settled();
    assert.equal((await stage.runs()).length, runs);
    await stage.press('approver', edited, 'call.approve');
    await stage.answer(place, 'It is noted.');
    assert.deepEqual(await lastRun(), { text: 'lead two' });
  });

  it('approves by name and with a reason', async () => {
    const place = await requestNote('requester', 'reason enough');
    const card = await stage.card(place, 'reason enough', 'Approve');
    await stage.press('colleague', card, 'call.approve');
    await stage.workspace.waitFor(() => stage.workspace.see('colleague').views.at(-1));
    await stage.workspace.submit('colleague', { reason: 'It is due.' });
    await stage.answer(place, 'It is noted.');
    const done = await stage.card(place, 'reason enough', 'Done');
    await stage.press('colleague', done, 'call.open');
    await stage.view('colleague', 'It is due.');
    await stage.workspace.close('colleague');
    assert.deepEqual(await lastRun(), { text: 'reason enough' });
  });

  it('is visible to the conditions of the policy', async () => {
    const place = await requestNote('colleague', 'run at once');
    await stage.answer(place, 'It is noted.');
    assert.deepEqual(stage.cards(place), []);
    assert.deepEqual(await lastRun(), { text: 'run at once' });
  });

  it('reviews and changes a call on their Home', async () => {
    const place = await requestNote('colleague', 'for the Home');
    await stage.card(place, 'for the Home', 'Approve');
    await stage.workspace.openHome('colleague');
    const blockId = await stage.workspace.waitFor(
      () => /"block_id":"(waiting:[^"]+)"/.exec(homeOf('colleague'))?.[1],
    );
    await stage.workspace.clickInHome('colleague', {
      actionId: 'home.review',
      blockId,
    });
    await stage.view('colleague', 'Asked by');
    await stage.workspace.clickInView('colleague', { actionId: 'call.edit' });
    await stage.form('colleague', 'Edit the call');
    await stage.workspace.submit('colleague', { text: 'from the Home' });
    await stage.answer(place, 'It is noted.');
    assert.deepEqual(await lastRun(), { text: 'from the Home' });
  });
});

describe('a colleague who moves from our workspace to the sibling', () => {
  let stage: InnerStage;
  before(async () => {
    stage = await setInnerStage('http', {}, ORGANIZATION);
    const group = stage.workspace.setUserGroup('leads', ['colleague', 'approver', 'admin']);
    const approvers = [`usergroup:${group}` as const];
    const route = { ...REQUESTER_ROUTE, name: 'leads', approvers, quorum: 2, selfApproval: false };
    stage.setGate(() => ({ kind: 'ask', route }));
  });
  after(() => stage.close());

  it('does not count for earlier approvals, even in the group, and cannot approve again', async () => {
    const answers = [sayCall('note', { text: 'left' }), sayText('It is noted.')];
    stage.model.script((_request, index) => answers[index] ?? sayText('Asked too often.'));
    const place = await stage.ask('requester', 'note something', 'shared');
    const card = await stage.card(place, 'left', 'Approve');
    const approve = (member: string) => stage.press(member, card, 'call.approve');
    const runs = async () => await readFile(stage.runJournal, 'utf8').catch(() => '');
    await approve('colleague');
    await stage.card(place, '1 of 2 approvals by <@U0COLLEAGUE>');
    stage.workspace.changeMember('colleague', { teams: [SIBLING] });
    await stage.clock.advance(6_000);
    await approve('approver');
    await stage.card(
      place,
      '<@U0COLLEAGUE> (not a member of this workspace). Nothing was run.',
      '1 of 2',
    );
    assert.equal(await runs(), '');
    await approve('colleague');
    await stage.privately('colleague', 'of this workspace');
    assert.equal(await runs(), '');
    stage.workspace.changeMember('colleague', { teams: COLLEAGUE.teams });
    // Slack profiles are cached for a minute.
    await stage.clock.advance(61_000);
    await approve('colleague');
    await stage.answer(place, 'It is noted.');
    assert.match(await runs(), /^[^\n]*"left"[^\n]*\n$/);
  });
});
