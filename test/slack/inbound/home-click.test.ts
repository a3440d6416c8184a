/** Clicks on Home as Slack delivers them: foreign ones do nothing, and reviews show the status of a call. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCheck } from '../../../src/domain/calls/decision.ts';
import { encodeCardToken } from '../../../src/domain/calls/digest.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { type SlackStage, setSlackStage } from '../support/slack-stage.ts';

describe('a click on Home', () => {
  let stage: SlackStage;
  let originalCheck: SlackStage['desk']['checkDecision'];
  before(async () => {
    stage = await setSlackStage('http');
    originalCheck = stage.desk.checkDecision;
  });
  after(() => stage.close());
  beforeEach(() => {
    stage.desk.refusals.length = 0;
    stage.desk.commands.length = 0;
    Object.assign(stage.desk, { checkDecision: originalCheck, broken: false, outcome: undefined });
  });

  const shown = (part: string, who = 'approver') =>
    stage.workspace.waitFor(
      () => (JSON.stringify(stage.workspace.see(who).home ?? {}).includes(part) ? true : undefined),
      { describe: () => stage.logged.join('\n') },
    );
  const modal = (part: string) =>
    stage.workspace.waitFor(
      () => {
        const view = stage.workspace.see('approver').views.at(-1)?.view;
        return JSON.stringify(view?.blocks ?? []).includes(part) ? view : undefined;
      },
      { describe: () => stage.logged.join('\n') },
    );

  /** Opens the approver's Home, with this call pending. */
  async function openWith(call: Call): Promise<void> {
    stage.desk.call = call;
    stage.desk.waiting = { kind: 'page', calls: [call] };
    await stage.workspace.openHome('approver');
    await shown(encodeCardToken(call));
  }

  const press = (call: Call, actionId: string) =>
    stage.workspace.clickInHome('approver', { actionId, blockId: `waiting:${call.id}` });

  it('that is forged, from another place or of another person does nothing, and is reported to the desk', async () => {
    const { team, app } = stage.workspace;
    const call = aCall();
    const payload = (actionId: string, value: string, patch: Record<string, unknown> = {}) => ({
      type: 'block_actions',
      api_app_id: app.id,
      team: { id: team.id },
      user: { id: stage.workspace.member('outsider').id, team_id: team.id },
      trigger_id: 'tr.1',
      container: { type: 'view', view_id: 'V1' },
      view: { id: 'V1', type: 'home', callback_id: 'home', private_metadata: ';' },
      actions: [{ type: 'button', action_id: actionId, value }],
      ...patch,
    });
    const select = (actionId: string, value: string) => ({
      ...payload(actionId, ''),
      actions: [{ type: 'static_select', action_id: actionId, selected_option: { value } }],
    });
    const token = encodeCardToken(call);
    const wrong = [
      payload('home.ignore', 'call_x'),
      payload('home.review', ''),
      payload('home.on', 'everything call_x'),
      payload('home.back', 'constructor'),
      payload('home.show', 'all'),
      select('home.show', 'everything'),
      select('home.tool', 'x'.repeat(76)),
      select('home.tool', ''),
      payload('home.search', 'x'),
      payload('home.ignore', token, { view: { id: 'V1', type: 'modal', private_metadata: ';' } }),
      payload('home.ignore', token, { view: undefined }),
      payload('home.ignore', token, { api_app_id: 'A0OTHER' }),
      payload('home.ignore', token, { user: { id: 'U0STRANGER', team_id: 'T0OTHER' } }),
      // A button of cards, which Home does not have.
      payload('call.approve', token),
    ];
    for (const each of wrong) {
      assert.equal((await stage.workspace.deliverInteraction(each)).kind, 'acknowledged');
    }
    assert.deepEqual(stage.desk.commands, []);
    assert.equal(stage.desk.refusals.length, wrong.length);
  });

  it('on Ignore is bound to the attempt that was shown, and shows the result in place', async () => {
    const call = aCall();
    await openWith(call);
    stage.desk.outcome = { kind: 'stale', call: aCall({ attempt: 2 }) };
    await press(call, 'home.ignore');
    await shown('See version 2');
    const by = { team: stage.workspace.team.id, user: stage.workspace.member('approver').id };
    const [callId, attempt, digest, card] = encodeCardToken(call).split('.');
    assert.deepEqual(stage.desk.commands, [
      { callId, attempt: Number(attempt), digest, card, by, decision: { kind: 'ignore' } },
    ]);
  });

  it('on Refresh reads everything again', async () => {
    const call = aCall();
    await openWith(call);
    stage.desk.waiting = { kind: 'page', calls: [] };
    await stage.workspace.clickInHome('approver', { actionId: 'home.refresh' });
    await shown('No approvals waiting.');
  });

  it('on a filter applies it, also after a refresh', async () => {
    stage.desk.waiting = { kind: 'page', calls: [] };
    stage.desk.decided = { calls: [aCall({ status: 'ignored', tool: 'pay' })] };
    const searches: (string | undefined)[] = [];
    stage.desk.listDecided = async (_person, { search }) => {
      searches.push(search);
      return stage.desk.decided;
    };
    await stage.workspace.openHome('approver');
    await shown('home.show');
    await stage.workspace.clickInHome('approver', { actionId: 'home.show', option: 'decided' });
    await shown('Your decisions');
    await stage.workspace.clickInHome('approver', { actionId: 'home.search', value: ' pay ' });
    await shown('home.clear');
    await stage.workspace.clickInHome('approver', { actionId: 'home.refresh' });
    await stage.workspace.waitFor(() => (searches.length === 3 ? true : undefined));
    assert.deepEqual(searches, [undefined, 'pay', 'pay']);
    await stage.workspace.clickInHome('approver', { actionId: 'home.clear' });
    await stage.workspace.waitFor(() => (searches.length === 4 ? true : undefined));
    assert.equal(searches[3], undefined);
  });

  it('that can’t be saved says so', async () => {
    const call = aCall();
    await openWith(call);
    stage.desk.broken = true;
    stage.desk.outcome = { kind: 'not-found' };
    await press(call, 'home.ignore');
    await stage.workspace.waitFor(() =>
      stage.workspace
        .see('approver')
        .messages.find(({ blocks }) => JSON.stringify(blocks).includes('That was not saved')),
    );
  });

  it('on a call with an unknown outcome offers the ways to settle it', async () => {
    const call = aCall({ status: 'unknown' });
    const checks: DecisionCheck[] = [];
    stage.desk.checkDecision = async (each) => {
      checks.push(each);
      return each.settles ? { kind: 'open', call } : { kind: 'already-decided', call };
    };
    await openWith(call);
    await press(call, 'home.review');
    const view = await modal('Didn’t Run: Run It Now');
    assert.deepEqual(actionIds(view.blocks), [
      'call.settle-ran',
      'call.settle-rerun',
      'call.settle-leave',
    ]);
    assert.deepEqual(
      checks.map(({ kind, settles }) => [kind, settles ?? false]),
      [
        ['approve', false],
        ['approve', true],
      ],
    );
    stage.desk.outcome = { kind: 'decided', call: aCall({ status: 'failed' }) };
    await stage.workspace.clickInView('approver', { actionId: 'call.settle-leave' });
    await modal('Settled: ');
    assert.equal((stage.desk.commands.at(-1) as { finding?: string }).finding, 'leave');
  });

  it('on a call that can’t be approved now shows the other decisions, with the reason', async () => {
    const call = aCall();
    const why = 'Everything is paused.';
    stage.desk.checkDecision = async ({ kind }) =>
      kind === 'approve' ? { kind: 'not-allowed', call, why } : { kind: 'open', call };
    await openWith(call);
    await press(call, 'home.review');
    const view = await modal('Everything is paused.');
    assert.deepEqual(actionIds(view.blocks), ['call.edit', 'call.reply', 'call.ignore']);
  });

  it('on a call that the person may no longer decide shows the reason, and nothing of the call', async () => {
    const call = aCall({ args: '{"path":"plans.txt"}' });
    const why = 'Only others may decide this call.';
    await openWith(call);
    stage.desk.outcome = { kind: 'not-allowed', call, why };
    await press(call, 'home.review');
    const view = await modal(why);
    assert.ok(!JSON.stringify(view).includes('plans.txt'));
  });
});
