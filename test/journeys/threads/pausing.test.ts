/** A pause across a restart, and people who are not served: the real app in its own process. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

describe('a workspace with an admin, a guest and people of other companies', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('socket', { ADMIN_USERS: 'U0APPROVER' });
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  const command = (who: string, text: string) =>
    stage.workspace.command(who, 'general', '/countersign', text);

  it('keeps a pause through a crash and a restart, and continues afterwards', async () => {
    stage.play(sayCall('note', { text: 'held' }), sayText('Hello.'), sayText('Noted.'));
    const place = await stage.ask('requester', 'note it');
    const card = await stage.card(place, 'held', 'Approve');
    const asked = stage.asked();
    const runs = (await stage.runs()).length;
    await command('requester', 'pause');
    await stage.privately('requester', 'Only workspace admins');
    await command('admin', 'pause');
    await stage.privately('admin', 'Paused. Nothing new runs');
    await stage.restart('kill');
    await until(() => stage.app().output().includes('Paused: nothing new runs until an admin'));
    const other = await stage.ask('requester', 'hello');
    await stage.answer(other, 'will continue when an admin resumes');
    await stage.press('requester', card, 'call.approve');
    await stage.privately('requester', 'Paused by');
    await command('approver', 'status');
    await stage.privately('approver', 'Paused by');
    await stage.settled();
    assert.equal(stage.asked(), asked);
    assert.equal((await stage.runs()).length, runs);
    const ready = await fetch(`${stage.app().url}/readyz`);
    assert.equal(ready.status, 200);
    await command('approver', 'resume');
    await stage.answer(other, 'Hello.');
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'Noted.');
    assert.equal((await stage.runs()).length, runs + 1);
  });

  it('does nothing for a guest: one sentence, no model request, no decision', async () => {
    stage.play(sayCall('note', { text: 'mine' }), sayText('Noted.'));
    const place = await stage.ask('requester', 'note mine');
    const card = await stage.card(place, 'mine', 'Approve');
    const asked = stage.asked();
    await stage.ask('guest', 'drop the database');
    await stage.privately('guest', 'you are a guest here');
    await stage.write('guest', place, 'yes, approve it');
    await stage.press('guest', card, 'call.approve');
    await stage.privately('guest', 'Nothing changed.');
    await stage.settled();
    assert.equal(stage.asked(), asked);
    assert.deepEqual(stage.cards(place).at(-1)?.blocks, card.blocks);
    assert.equal(stage.audit('message.refuse').length, 2);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'Noted.');
    assert.doesNotMatch(JSON.stringify(stage.model.requests), /drop the database|approve it/);
  });

  it('does nothing for a stranger in a shared channel, but works for the members there', async () => {
    stage.play(sayText('Welcome.'));
    const asked = stage.asked();
    await stage.ask('stranger', 'what is your secret?', 'shared');
    await stage.privately('stranger', 'only work for members');
    await stage.settled();
    assert.equal(stage.asked(), asked);
    const place = await stage.ask('requester', 'hello', 'shared');
    await stage.answer(place, 'Welcome.');
    assert.doesNotMatch(JSON.stringify(stage.model.requests), /your secret/);
  });

  it('loses no message while Slack cannot identify its author', async () => {
    stage.play(sayText('There you are.'));
    // Somebody whose profile is not cached.
    stage.workspace.faults.api('users.info', { kind: 'status', status: 500 }, 1);
    const place = await stage.ask('outsider', 'hello');
    await stage.answer(place, 'There you are.');
    const failed = stage.apiCalls('users.info').filter(({ ok }) => ok === false);
    assert.equal(failed.length, 1);
  });

  it('forgets a thread on request', async () => {
    stage.play(sayText('I keep it.'), sayText('What?'));
    const place = await stage.ask('requester', 'my word is marmalade');
    await stage.answer(place, 'I keep it.');
    const { domain } = stage.workspace.team;
    const link = `https://${domain}.slack.com/archives/${place.channel}/p${place.root.replace('.', '')}`;
    await command('requester', `forget ${link}`);
    await stage.privately('requester', 'Forgotten.');
    await stage.answer(place, 'made me forget');
    await stage.write('requester', place, 'which word?');
    await stage.answer(place, 'What?');
    assert.doesNotMatch(JSON.stringify(stage.model.requests.at(-1)), /marmalade/);
  });
});
