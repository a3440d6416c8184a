/** What a caller marks as secret, as people see it: the real desk on the simulated workspace. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { WebClient } from '@slack/web-api';
import { actionIds } from '../../support/app/unrender-card.ts';
import { CALLER, setOutsideScene, textOf } from '../support/external-call-scene.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    command: { type: 'string', writeOnly: true },
    note: { type: 'string' },
    host: { type: 'string' },
  },
};
const COMMAND = 'rm -rf /srv/backups';
const ARGS = { command: COMMAND, note: `cleans up: ${COMMAND}`, host: 'db1' };

async function setMasked(t: TestContext) {
  const scene = await setOutsideScene(t);
  const { ask, cards, ids, routes, workspace } = scene;
  routes.set('drop_table', {
    approvers: ['requester', `user:${ids.approver}`],
    selfApproval: true,
  });
  const call = await ask({ args: ARGS, schema: SCHEMA, words: `I run ${COMMAND}.` });
  const press = (member: string, actionId: string) => {
    const [card] = cards();
    assert.ok(card);
    return workspace.click(member, { channel: card.channel, ts: card.ts, actionId });
  };
  const top = (member: string) => JSON.stringify(workspace.see(member).views.at(-1)?.view ?? '');
  const shows = (member: string, text: string) =>
    workspace.waitFor(() => (top(member).includes(text) ? true : undefined), {
      describe: () => top(member),
    });
  const privately = (member: string, text: string) =>
    workspace.waitFor(() =>
      workspace
        .see(member)
        .messages.find((each) => each.visibleTo !== undefined && textOf(each).includes(text)),
    );
  /** A card with Approve, as an older version drew it. */
  async function showApprove(): Promise<void> {
    const [card] = cards();
    assert.ok(card);
    const text = JSON.stringify(card.blocks).replace('call.open', 'call.approve');
    const { channel, ts } = card;
    const client = new WebClient(workspace.botToken, { slackApiUrl: workspace.apiUrl });
    await client.chat.update({ channel, ts, text: 'A card', blocks: JSON.parse(text) });
  }
  const audited = async (event: string) =>
    (await scene.desk.store.audit.read(0, 10_000)).filter((each) => each.event === event);
  return { ...scene, call, press, top, shows, privately, showApprove, audited };
}

describe('a call with a part that the caller hides', () => {
  it('is masked everywhere, and can’t be approved before it is opened', async (t) => {
    const scene = await setMasked(t);
    const { audited, call, cards, press, shows, stored, top, workspace } = scene;
    const card = textOf(cards()[0]);
    assert.doesNotMatch(card, /rm -rf/);
    assert.match(card, /1 value is masked|values are masked/);
    assert.deepEqual(actionIds(cards()[0]?.blocks)[0], 'call.open');
    assert.ok(!actionIds(cards()[0]?.blocks).includes('call.approve'));

    await press('requester', 'call.open');
    await shows('requester', COMMAND);
    assert.match(top('requester'), /masked on the card and shown here/);
    assert.match(top('requester'), /call\.approve/);
    const [opened] = await audited('call.open');
    assert.equal(opened?.actor, `${scene.ids.team}/${scene.ids.requester}`);
    assert.doesNotMatch(JSON.stringify(await scene.desk.store.audit.read(0, 10_000)), /rm -rf/);
    assert.doesNotMatch(textOf(cards()[0]), /rm -rf/);

    await workspace.clickInView('requester', { actionId: 'call.approve' });
    await scene.pass();
    assert.equal((await stored(call.id)).status, 'approved');
    assert.equal((await stored(call.id)).args, call.args);
    const taken = await scene.desk.outside.take(call.id, CALLER, call.digest);
    assert.equal(taken.kind, 'taken');
    scene.assertSound();
  });

  it('is opened by each person separately, and only by people who may decide', async (t) => {
    const scene = await setMasked(t);
    const { audited, call, press, privately, showApprove, shows, stored, top } = scene;
    await press('requester', 'call.open');
    await shows('requester', COMMAND);
    await press('outsider', 'call.open');
    await shows('outsider', 'Nothing changed');
    assert.doesNotMatch(top('outsider'), /rm -rf/);
    await showApprove();
    await press('approver', 'call.approve');
    await privately('approver', 'is masked, and you have not seen it. Press Open');
    assert.equal((await stored(call.id)).status, 'pending');
    assert.equal((await audited('decision.unopened')).length, 1);
    assert.equal((await audited('call.open')).length, 1);
  });

  it('is edited without the hidden part, which stays byte for byte, and must be opened again', async (t) => {
    const scene = await setMasked(t);
    const { audited, cards, call, press, shows, stored, top, workspace } = scene;
    await press('requester', 'call.edit');
    await shows('requester', 'Command: kept as it is (secret)');
    await shows('requester', 'Note: kept as it is (it repeats a secret)');
    assert.doesNotMatch(top('requester'), /rm -rf/);
    await workspace.submit('requester', { host: 'db2' });
    await scene.pass();
    const edited = await stored(call.id);
    assert.deepEqual(JSON.parse(edited.args), { ...ARGS, host: 'db2' });
    assert.deepEqual([edited.status, edited.attempt, edited.votes.length], ['pending', 2, 0]);
    assert.doesNotMatch(textOf(cards()[0]), /rm -rf/);

    await press('requester', 'call.open');
    await shows('requester', COMMAND);
    await workspace.close('requester');
    await press('requester', 'call.edit');
    await shows('requester', 'Command: kept as it is (secret)');
    await workspace.submit('requester', { host: 'db3' });
    await scene.pass();
    // They opened the attempt whose hidden parts they keep.
    const again = await stored(call.id);
    assert.deepEqual(JSON.parse(again.args), { ...ARGS, host: 'db3' });
    assert.deepEqual([again.status, again.attempt], ['approved', 3]);
    assert.equal((await audited('call.open')).length, 1);
  });

  it('is masked on Home, opened by its review, and masked after its end', async (t) => {
    const scene = await setMasked(t);
    const { audited, call, cards, desk, ids, ofType, shows, stored, workspace } = scene;
    await workspace.openHome('requester');
    const home = () => JSON.stringify(workspace.see('requester').home ?? '');
    await workspace.waitFor(() => (home().includes(call.id) ? true : undefined));
    assert.doesNotMatch(home(), /rm -rf/);
    await workspace.clickInHome('requester', { actionId: 'home.review' });
    await shows('requester', COMMAND);
    assert.equal((await audited('call.open')).length, 1);
    await workspace.clickInView('requester', { actionId: 'call.approve' });
    await scene.pass();
    const { digest } = await stored(call.id);
    await desk.outside.take(call.id, CALLER, digest);
    await desk.outside.report(call.id, CALLER, { kind: 'error', text: `sh: ${COMMAND}: denied` });
    await scene.pass();
    const [card] = cards();
    assert.ok(card);
    const place = { channel: card.channel, ts: card.ts };
    // Its report is in the details, masked for people who look only now.
    await workspace.click('requester', { ...place, actionId: 'call.open' });
    await shows('requester', 'denied');
    const view = workspace.see('requester').views.at(-1);
    const all = JSON.stringify([cards(), ofType('stub', 'requester'), home(), ids, view]);
    assert.doesNotMatch(all, /rm -rf/);
  });

  it('that is a question is opened to be read, and still can’t be approved', async (t) => {
    const scene = await setOutsideScene(t);
    const { ask, cards, workspace } = scene;
    await ask({
      tool: 'ask_human',
      args: { command: COMMAND },
      schema: SCHEMA,
      decisions: ['reply'],
      choices: [`Yes, ${COMMAND}`, 'No'],
    });
    const [card] = cards();
    assert.ok(card);
    assert.doesNotMatch(textOf(card), /rm -rf/);
    await workspace.click('requester', { ...card, actionId: 'call.open' });
    const top = () => workspace.see('requester').views.at(-1)?.view;
    await workspace.waitFor(() =>
      JSON.stringify(top() ?? '').includes(COMMAND) ? true : undefined,
    );
    assert.deepEqual(actionIds(top()?.blocks), []);
  });
});
