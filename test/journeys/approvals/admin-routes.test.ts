/** Routes that admins set in Slack, in the real app: who may set them, what they decide, and how they are announced. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KnownBlock } from '@slack/types';
import type {
  FormValues,
  WorkspaceMessage,
} from '../../../src/playground/workspace/workspace-port.ts';
import { buildRoutesSection } from '../../../src/slack/routes/routes-blocks.ts';
import { allText } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

const PAYMENTS: FormValues = {
  'route.name': 'payments',
  'route.tools': ['write_file'],
  'route.channel': 'C0OPS',
  'route.people': ['U0APPROVER'],
};

describe('routes set in Slack', () => {
  let stage: FieldStage;

  before(async () => {
    stage = await setFieldStage('socket');
  });
  after(async () => {
    await stage.close();
  });

  async function command(member: string): Promise<void> {
    while (top(member)) await stage.workspace.close(member);
    await stage.workspace.command(member, 'general', '/countersign', 'routes');
  }
  const top = (member: string) => stage.workspace.see(member).views.at(-1);
  const errors = (member: string) => top(member)?.errors ?? {};

  /** Opens the list, and on top of it the form of a route or of a new one. */
  async function openForm(member: string, name?: string): Promise<void> {
    await command(member);
    await stage.view(member, 'Add Route');
    const target =
      name === undefined
        ? { actionId: 'route.add' }
        : { actionId: 'route.change', blockId: `route:${name}` };
    await stage.workspace.clickInView(member, target);
    await stage.form(member, name === undefined ? 'Add a route' : 'Change a route');
  }

  async function publishHome(user: string, blocks: readonly KnownBlock[]): Promise<void> {
    const { apiUrl, botToken } = stage.workspace;
    const headers = {
      authorization: `Bearer ${botToken}`,
      'content-type': 'application/json; charset=utf-8',
    };
    const body = JSON.stringify({
      user_id: user,
      view: { type: 'home', callback_id: 'home', blocks },
    });
    const response = await fetch(`${apiUrl}views.publish`, { method: 'POST', headers, body });
    assert.equal(((await response.json()) as { readonly ok: boolean }).ok, true);
  }

  /** Waits for a top-level message in #ops. */
  async function announcement(text: string): Promise<string> {
    return await stage.workspace.waitFor(
      () =>
        stage.workspace
          .see('admin')
          .messages.filter(({ channel, threadTs }) => channel === 'C0OPS' && !threadTs)
          .map(allText)
          .find((said) => said.includes(text)),
      { describe: () => `No announcement with ${text}.\n${stage.app().output().slice(-3_000)}` },
    );
  }

  /** Waits for a card in #ops that can be approved. */
  async function cardInOps(text: string): Promise<WorkspaceMessage> {
    return await stage.workspace.waitFor(
      () =>
        stage.workspace
          .see('admin')
          .messages.find(
            (message) =>
              message.channel === 'C0OPS' &&
              message.threadTs === undefined &&
              allText(message).includes(text) &&
              JSON.stringify(message.blocks).includes('call.approve'),
          ),
      { describe: () => `No card with ${text} in #ops.` },
    );
  }

  /** Goes to the other step of the form. */
  async function turn(actionId: string, values: object, shows: string): Promise<void> {
    await stage.workspace.clickInView('admin', { actionId, values } as never);
    await stage.view('admin', shows);
  }

  it('need an admin, both for the command and for the submit', async () => {
    await command('requester');
    await stage.view('requester', 'Only workspace admins');

    await openForm('admin');
    stage.workspace.changeMember('admin', { isAdmin: false });
    await stage.workspace.submit('admin', PAYMENTS);
    await stage.view('admin', 'Only workspace admins');
    stage.workspace.changeMember('admin', { isAdmin: true });
    await command('admin');
    await stage.view('admin', 'No routes are set in Slack yet');
    assert.deepEqual(
      stage.audit('control.not-allowed').map(({ actor }) => actor),
      ['T0PLAYGROUND/U0REQUESTER', 'T0PLAYGROUND/U0ADMIN'],
    );
  });

  it('show errors on their fields, and keep the typed values', async () => {
    await openForm('admin');
    await stage.workspace.submit('admin', {
      'route.name': 'two words',
      'route.patterns': 'pay_? ok',
      'route.quorum': '3',
    });
    assert.deepEqual(errors('admin'), {
      'route.name': 'Use 1 to 40 letters, digits, “-” or “_”, starting with a letter.',
      'route.patterns': '“pay_?” is not a tool name. Use * to match anything, as in pay_*.',
      'route.people': 'Nobody could decide: choose at least one person or group.',
    });
    const good = { 'route.name': 'fin', 'route.patterns': 'wire_*' };
    await turn('route.more', { ...good, 'route.people': ['U0APPROVER'] }, 'Expires after');
    await stage.workspace.submit('admin', { 'route.deadline': 'soon' });
    assert.deepEqual(Object.keys(errors('admin')), ['route.deadline']);
    await stage.workspace.submit('admin', { 'route.deadline': '4h', 'route.remind-after': '5h' });
    assert.deepEqual(errors('admin'), {
      'route.remind-after': 'Must be before the deadline of 4h.',
    });
    // Errors of the other step are shown there, with all typed values.
    await stage.workspace.submit('admin', { 'route.remind-after': '1h' });
    await stage.view('admin', 'Approvals needed: Only 1 person can approve; 3 are needed.');
    assert.match(JSON.stringify(top('admin')?.state), /"value":"fin".*"value":"wire_\*"/);
    await turn('route.more', {}, 'Expires after');
    assert.match(JSON.stringify(top('admin')?.state), /"value":"4h".*"value":"1h"/);
  });

  it('are refused if they need more approvals than their groups have members', async () => {
    await openForm('admin');
    await stage.workspace.suggest('admin', 'route.groups', 'ops');
    await stage.workspace.submit('admin', {
      ...PAYMENTS,
      'route.groups': ['S0OPSAPPROVERS'],
      'route.quorum': '5',
    });
    assert.match(
      errors('admin')['route.quorum'] ?? '',
      /^Only \d (?:person|people) can approve; 5 are needed\.$/,
    );
  });

  it('warn of a channel without the app, and keep the typed values', async () => {
    await openForm('admin');
    const target = { actionId: 'route.channel', option: 'C0FINANCE' };
    await stage.workspace.clickInView('admin', { ...target, values: { 'route.name': 'fin' } });
    await stage.view('admin', 'I am not in <#C0FINANCE>');
    await stage.workspace.clickInView('admin', { actionId: 'route.channel', option: 'C0OPS' });
    await stage.workspace.waitFor(() =>
      JSON.stringify(top('admin')?.view).includes('I am not in') ? undefined : true,
    );
    assert.match(JSON.stringify(top('admin')?.state), /"value":"fin"/);
  });

  it('decide who approves a tool, are announced in their channel, and survive a restart', async () => {
    await openForm('admin');
    const offered = await stage.workspace.suggest('admin', 'route.groups', 'ops');
    assert.deepEqual(
      offered.map(({ value }) => value),
      ['S0OPSAPPROVERS'],
    );
    await stage.workspace.submit('admin', PAYMENTS);
    await stage.view('admin', 'The route was added.');
    await stage.view('admin', '*payments*: `write_file`');
    const said = await announcement('has set up the route “payments”');
    assert.match(said, /Who decides: <@U0APPROVER>/);

    await stage.restart('stop');
    stage.play(sayCall('write_file', { path: 'a.txt', content: 'a' }), sayText('Written.'));
    const place = await stage.ask('requester', 'write it');
    const card = await cardInOps('Write a.txt');
    await stage.press('requester', card, 'call.approve');
    await stage.privately('requester', '<@U0APPROVER> may decide this call');
    assert.equal(await stage.file('a.txt'), undefined);
    await stage.press('approver', card, 'call.approve');
    await stage.answer(place, 'Written.');
    assert.equal(await stage.file('a.txt'), 'a');
  });

  it('saved by two admins at once keep the first version, and the second admin learns who saved it', async () => {
    stage.workspace.changeMember('outsider', { isAdmin: true });
    await openForm('admin', 'payments');
    await openForm('outsider', 'payments');
    await turn('route.more', { 'route.channel': 'C0GENERAL' }, 'Expires after');
    await stage.workspace.submit('admin', { 'route.deadline': '2h' });
    await stage.view('admin', 'The route “payments” was changed.');
    await stage.workspace.submit('outsider', { 'route.quorum': '1' });
    assert.match(
      JSON.stringify(errors('outsider')),
      /Adair \(admin\) has changed the route “payments” in the meantime/,
    );

    const said = await announcement('has changed the route');
    assert.match(said, /Deadline: 1d → 2h/);
    assert.match(said, /Card: in <#C0OPS> → in <#C0GENERAL>/);
    const [entry] = stage.audit('route.change');
    assert.equal(entry?.actor, 'T0PLAYGROUND/U0ADMIN');
    const { after, before } = JSON.parse(entry?.detail ?? '{}');
    assert.equal(before.deadlineMs, 86_400_000);
    assert.equal(after.deadlineMs, 7_200_000);
    assert.equal(stage.audit('route.change').length, 1);
  });

  it('can also be added and changed from App Home, starting empty', async () => {
    while (top('admin')) await stage.workspace.close('admin');
    const book = { revision: 1, routes: [], removed: [] };
    const blocks = buildRoutesSection({ book, policy: undefined, handles: new Map() });
    await publishHome('U0ADMIN', blocks);
    await stage.workspace.clickInHome('admin', { actionId: 'route.add' });
    await stage.form('admin', 'Add a route');
    const values = { ...PAYMENTS, 'route.name': 'home', 'route.tools': null, 'route.groups': null };
    await stage.workspace.submit('admin', { ...values, 'route.patterns': 'wire_*' });
    assert.equal(top('admin'), undefined);
    await announcement('has set up the route “home”');
    await stage.workspace.clickInHome('admin', { actionId: 'route.manage' });
    await stage.view('admin', '*home*: `wire_*`');
  });

  it('ignore a press that names no route, with an answer', async () => {
    while (top('admin')) await stage.workspace.close('admin');
    const before = stage.audit('edge.refuse').length;
    const forged = { type: 'button', text: { type: 'plain_text', text: 'Change' } } as const;
    for (const actionId of ['route.change', 'route.remove']) {
      const button = { ...forged, action_id: actionId, value: 'payments' };
      const blocks: readonly KnownBlock[] = [{ type: 'actions', elements: [button] }];
      await publishHome('U0ADMIN', blocks);
      await stage.workspace.clickInHome('admin', { actionId });
    }
    await stage.workspace.waitFor(
      () => stage.audit('edge.refuse').length === before + 2 || undefined,
    );
    await stage.privately('admin', 'is not one of mine');
    assert.equal(top('admin'), undefined);
  });

  it('report a failed announcement to the admin who set them', async () => {
    await openForm('admin');
    const values = { ...PAYMENTS, 'route.name': 'hidden', 'route.tools': null };
    await stage.workspace.submit('admin', { ...values, 'route.channel': 'C0FINANCE' });
    await stage.view('admin', 'I am not in <#C0FINANCE>');
    await stage.privately('admin', 'This was meant for <#C0FINANCE>.');
    await stage.privately('admin', 'has set up the route “hidden”');
  });

  it('can be removed, and then only the policy applies', async () => {
    await command('admin');
    await stage.view('admin', '*payments*');
    const target = { actionId: 'route.remove', blockId: 'route:payments' };
    await stage.workspace.clickInView('admin', target);
    await stage.view('admin', 'The route “payments” was removed.');
    stage.play(sayCall('write_file', { path: 'b.txt', content: 'b' }), sayText('Mine.'));
    const place = await stage.ask('requester', 'write again');
    await stage.press(
      'requester',
      await stage.card(place, 'Write b.txt', 'Approve'),
      'call.approve',
    );
    await stage.answer(place, 'Mine.');
    const problems = stage.workspace.journal.flatMap(({ problem }) => problem ?? []);
    // Slack hides a private channel that the app has not joined.
    assert.deepEqual([...new Set(problems)], ['channel_not_found', 'not_in_channel']);
  });
});
