import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownBlock } from '@slack/types';
import { aModal, errorOf, input, open, plain, startForm } from './start-form.ts';

test('a trigger id opens one view, and expires after three seconds', async (t) => {
  const { workspace, client, clock, press } = await startForm(t);
  const first = await press();
  assert.equal(await errorOf(open(client, first)), 'ok');
  assert.equal(await errorOf(open(client, first)), 'exchanged_trigger_id');
  const late = await press();
  clock.advance(3_000);
  assert.equal(await errorOf(open(client, late)), 'expired_trigger_id');
  assert.equal(await errorOf(open(client, 'made.up')), 'invalid_trigger_id');
  workspace.faults.expireTriggers(1);
  assert.equal(await errorOf(open(client, await press())), 'expired_trigger_id');
  assert.equal(await errorOf(open(client, await press())), 'ok');
});

test('a refused view does not consume the trigger', async (t) => {
  const { client, press } = await startForm(t);
  const trigger = await press();
  const tooLong = aModal({ title: plain('x'.repeat(25)) });
  assert.equal(await errorOf(open(client, trigger, tooLong)), 'invalid_arguments');
  assert.equal(await errorOf(open(client, trigger)), 'ok');
});

test('views stack three deep, and hashes and external ids are checked', async (t) => {
  const { workspace, client, press } = await startForm(t);
  const first = await open(client, await press(), aModal({ external_id: 'one' }));
  const withButton = [
    { type: 'actions', elements: [{ type: 'button', action_id: 'more', text: plain('More') }] },
  ] as KnownBlock[];
  assert.equal(
    await errorOf(
      client.views.update({ view_id: first.view?.id ?? '', hash: 'old', view: aModal() }),
    ),
    'hash_conflict',
  );
  await client.views.update({
    external_id: 'one',
    hash: first.view?.hash ?? '',
    view: aModal({ blocks: withButton, external_id: 'one' }),
  });
  const push = async (): Promise<string> => {
    await workspace.clickInView('approver', { actionId: 'more' });
    const payload = workspace.journal.findLast(({ name }) => name === 'block_actions')?.request;
    const { trigger_id = '' } = payload as { trigger_id?: string };
    return errorOf(client.views.push({ trigger_id, view: aModal({ blocks: withButton }) }));
  };
  assert.deepEqual([await push(), await push(), await push()], ['ok', 'ok', 'push_limit_reached']);
  assert.equal(workspace.see('approver').views.length, 3);
  await workspace.close('approver');
  assert.equal(await push(), 'ok');
  const other = await press('requester');
  assert.equal(
    await errorOf(open(client, other, aModal({ external_id: 'one' }))),
    'duplicate_external_id',
  );
});

test('closing a view tells the app only if it asked for that', async (t) => {
  const { workspace, client, interactions, press } = await startForm(t);
  await open(client, await press());
  await workspace.close('approver');
  assert.equal(interactions().at(-1).type, 'block_actions');
  await open(client, await press(), aModal({ notify_on_close: true }));
  await workspace.close('approver');
  assert.deepEqual(
    [interactions().at(-1).type, interactions().at(-1).is_cleared],
    ['view_closed', false],
  );
});

test('an external select offers the app’s options, and accepts only those', async (t) => {
  const { workspace, client, answers, interactions, press } = await startForm(t);
  const blocks = [
    input('city', { type: 'external_select', action_id: 'city', min_query_length: 2 }),
  ];
  await open(client, await press(), aModal({ blocks }));
  assert.deepEqual(await workspace.suggest('approver', 'city', 'x'), []);
  const options = [{ text: plain('Oslo'), value: 'osl' }];
  answers.push({ options });
  assert.deepEqual(await workspace.suggest('approver', 'city', 'os'), [
    { text: 'Oslo', value: 'osl' },
  ]);
  assert.equal(interactions().at(-1).value, 'os');
  await assert.rejects(workspace.submit('approver', { city: 'ber' }), /"ber" is not a choice/);
  await workspace.submit('approver', { city: 'osl' });
  assert.deepEqual(interactions().at(-1).view.state.values.city.city.selected_option, options[0]);
  assert.equal('offered' in interactions().at(-1).view.blocks[0].element, false);
});

test('a click in a modal sends the values of the fields, and an update keeps them', async (t) => {
  const { workspace, client, interactions, press } = await startForm(t);
  const blocks = [
    ...aModal().blocks,
    { type: 'actions', elements: [{ type: 'button', action_id: 'more', text: plain('More') }] },
  ] as KnownBlock[];
  const opened = await open(client, await press(), aModal({ blocks }));
  await workspace.clickInView('approver', { actionId: 'more', values: { name: 'Anna' } });
  const { view, container } = interactions().at(-1);
  assert.deepEqual(container, { type: 'view', view_id: opened.view?.id });
  assert.equal(view.state.values.name.text.value, 'Anna');
  await client.views.update({ view_id: opened.view?.id ?? '', view: aModal({ blocks }) });
  await workspace.submit('approver', {});
  assert.equal(interactions().at(-1).view.state.values.name.text.value, 'Anna');
});

test('the Home tab is published per person and can be clicked', async (t) => {
  const { workspace, client, interactions } = await startForm(t);
  const blocks = [
    {
      type: 'actions',
      elements: [{ type: 'button', action_id: 'see', text: plain('See'), value: '7' }],
    },
  ] as KnownBlock[];
  const user = workspace.member('approver').id;
  await client.views.publish({ user_id: user, view: { type: 'home', blocks } });
  assert.equal(workspace.see('approver').home?.type, 'home');
  assert.equal(workspace.see('requester').home, undefined);
  await workspace.clickInHome('approver', { actionId: 'see' });
  assert.equal(interactions().at(-1).actions[0].value, '7');
  await workspace.openHome('approver');
  const event = workspace.journal.findLast(({ name }) => name === 'app_home_opened')?.request;
  assert.equal((event as { event: { tab: string } }).event.tab, 'home');
});

test('a view of more than 250,000 bytes is too large, whatever its blocks', async (t) => {
  const { workspace, client } = await startForm(t);
  const user = workspace.member('approver').id;
  const blocks = Array.from({ length: 90 }, () => ({
    type: 'section',
    text: { type: 'mrkdwn', text: 'x'.repeat(2_900) },
  })) as KnownBlock[];
  const publish = (count: number) =>
    client.views.publish({
      user_id: user,
      view: { type: 'home', blocks: blocks.slice(0, count) },
    });
  assert.equal(await errorOf(publish(90)), 'view_too_large');
  assert.equal(await errorOf(publish(80)), 'ok');
});
