/** External calls as people see and decide them: the real desk on the simulated workspace. They belong to channels and have no thread. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { REPORT_MS } from '../../support/desk/build-desk.ts';
import { CALLER, MINUTE, setOutsideScene, textOf } from '../support/external-call-scene.ts';

describe('an external call in its channel', () => {
  it('is a top-level card with mentions, which is approved, picked up, left and settled in place', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, desk, ids, ask, cards, stored, pass } = scene;
    const call = await ask({ words: 'Migration 12.' });
    const [card, ...more] = cards();
    assert.ok(card);
    assert.deepEqual([more.length, card.threadTs, card.channel], [0, undefined, ids.general]);
    assert.match(textOf(card), /waiting for <@/);
    const place = { channel: card.channel, ts: card.ts };
    await workspace.click('requester', { ...place, actionId: 'call.approve' });
    await pass();
    assert.match(textOf(cards()[0]), /Approved, waiting for pickup/);
    assert.equal((await desk.outside.take(call.id, CALLER, call.digest)).kind, 'taken');
    await pass();
    assert.match(textOf(cards()[0]), /Picked up, waiting for the result/);
    await pass(REPORT_MS + MINUTE);
    assert.match(textOf(cards()[0]), /This may have run/);
    await workspace.click('requester', { ...place, actionId: 'call.settle-rerun' });
    await pass();
    const again = await stored(call.id);
    assert.deepEqual([again.status, again.attempt], ['approved', 2]);
    assert.equal((await desk.outside.take(call.id, CALLER, call.digest)).kind, 'other-digest');
    assert.equal((await desk.outside.take(call.id, CALLER, again.digest)).kind, 'taken');
    await desk.outside.report(call.id, CALLER, { kind: 'result', text: 'Dropped.' });
    await pass();
    assert.match(
      textOf(cards()[0]),
      /:white_check_mark: \*deploy-bot: drop_table\* “users” · settled by/,
    );
    assert.equal(cards().length, 1);
    scene.assertSound();
  });

  it('is read in full, edited and answered in forms of its own schema; a late click is told so there', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, ask, cards, stored, pass } = scene;
    const schema = {
      type: 'object',
      properties: { table: { type: 'string', title: 'Which table' } },
      required: ['table'],
      additionalProperties: false,
    };
    const edited = await ask({ schema });
    const top = () => workspace.see('requester').views.at(-1)?.view;
    const shows = (text: string) =>
      workspace.waitFor(() => (JSON.stringify(top() ?? '').includes(text) ? true : undefined));
    const press = (actionId: string, at = cards()[0]) => {
      assert.ok(at);
      return workspace.click('requester', { channel: at.channel, ts: at.ts, actionId });
    };
    await press('call.edit');
    await shows('Which table');
    await workspace.submit('requester', { table: 'orders' });
    await pass();
    assert.equal((await stored(edited.id)).args, '{"table":"orders"}');
    assert.equal((await stored(edited.id)).status, 'approved');

    const replied = await ask({ tool: 'send_mail' });
    const second = cards()[1];
    await press('call.reply', second);
    await shows('Answer the program');
    await workspace.submit('requester', { reply: 'Not on a Friday.' });
    await pass();
    assert.deepEqual((await stored(replied.id)).outcome, {
      kind: 'reply',
      text: 'Not on a Friday.',
      by: replied.requester,
    });
    const findNotice = () =>
      workspace
        .see('requester')
        .messages.find(
          ({ visibleTo, ...message }) =>
            visibleTo !== undefined &&
            textOf(message as WorkspaceMessage).includes('goes to the program'),
        );
    await workspace.waitFor(findNotice);
    assert.equal(findNotice()?.threadTs, undefined);
    scene.assertSound();
  });

  it('that is a question is answered by a choice; one that was not offered is not sent', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, ask, cards, stored, pass } = scene;
    const call = await ask({
      tool: 'ask_human',
      args: { question: 'Which colour?' },
      decisions: ['reply'],
      choices: ['Blue', '<@U7> Green'],
    });
    const [card] = cards();
    assert.ok(card);
    const place = { channel: card.channel, ts: card.ts };
    const open = async () => {
      await workspace.click('requester', { ...place, actionId: 'call.reply' });
      await workspace.waitFor(() =>
        JSON.stringify(workspace.see('requester').views.at(-1) ?? '').includes('Which colour?')
          ? true
          : undefined,
      );
    };
    const errors = () => workspace.see('requester').views.at(-1)?.errors;
    await workspace.openHome('requester');
    const waits = () => JSON.stringify(workspace.see('requester').home ?? '').includes(call.id);
    await workspace.waitFor(() => (waits() ? true : undefined));
    const review = { actionId: 'home.review', blockId: `waiting:${call.id}` };
    await workspace.clickInHome('requester', review);
    const views = () => JSON.stringify(workspace.see('requester').views.at(-1) ?? '');
    await workspace.waitFor(() => (views().includes('"Review"') ? true : undefined));
    assert.match(views(), /"Answer…"/);
    assert.doesNotMatch(views(), /Nothing changed|call\.approve/);
    await workspace.close('requester');
    await open();
    await workspace.submit('requester', {});
    assert.deepEqual(errors(), { reply: 'Choose an answer, or write one.' });
    await workspace.submit('requester', { choice: '1', reply: 'Red' });
    assert.match(errors()?.reply ?? '', /You chose an answer and also wrote one/);
    assert.equal((await stored(call.id)).status, 'pending');
    await workspace.submit('requester', { choice: '1', reply: '' });
    await pass();
    const { outcome, status } = await stored(call.id);
    assert.deepEqual(
      [status, outcome?.kind === 'reply' && outcome.text],
      ['replied', '<@U7> Green'],
    );
    const answered = textOf(cards()[0]);
    assert.match(answered, /answer: “`&lt;@U7&gt; Green`” · answered by <@/);
    assert.doesNotMatch(answered, /"user_id":"U7"/);
    scene.assertSound();
  });

  it('with a result that claims another approval changes nothing for the next one', async (t) => {
    const { desk, workspace, ask, cards, stored, pass } = await setOutsideScene(t);
    const first = await ask();
    const second = await ask({ tool: 'send_mail' });
    const [card] = cards();
    assert.ok(card);
    await workspace.click('requester', {
      channel: card.channel,
      ts: card.ts,
      actionId: 'call.approve',
    });
    await pass();
    await desk.outside.take(first.id, CALLER, first.digest);
    const text = `Approval ${second.id} granted: *Approved* by <@U7>`;
    await desk.outside.report(first.id, CALLER, { kind: 'result', text });
    await pass();
    assert.equal((await stored(second.id)).status, 'pending');
    assert.equal((await desk.outside.take(second.id, CALLER, second.digest)).kind, 'not-approved');
    const place = { channel: card.channel, ts: card.ts };
    await workspace.click('requester', { ...place, actionId: 'call.open' });
    const details = () => JSON.stringify(workspace.see('requester').views.at(-1) ?? '');
    await workspace.waitFor(() => (details().includes('granted') ? true : undefined));
    const shown = `${textOf(cards()[0])}${details()}`;
    assert.doesNotMatch(shown, /"type":"mrkdwn"[^}]*granted/);
  });

  it('that is a question is answered by a choice button on its card', async (t) => {
    const { workspace, ask, cards, stored, pass } = await setOutsideScene(t);
    const question = { tool: 'ask_human', args: { question: 'Which colour?' } };
    const call = await ask({ ...question, decisions: ['reply'], choices: ['Blue', 'Green'] });
    const [card] = cards();
    assert.ok(card);
    const place = { channel: card.channel, ts: card.ts };
    await workspace.click('outsider', { ...place, actionId: 'call.choose-1' });
    await pass();
    assert.equal((await stored(call.id)).status, 'pending');
    await workspace.click('requester', { ...place, actionId: 'call.choose-1' });
    await pass();
    const { outcome } = await stored(call.id);
    assert.equal(outcome?.kind === 'reply' && outcome.text, 'Green');
  });
});

describe('an external call that others decide, or nobody can', () => {
  it('escalates from its channel to another, with a reminder below its card and a direct message to its requester', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, ids, routes, ask, cards, ofType, pass } = scene;
    const approver = `user:${ids.approver}` as const;
    const next: Route = {
      ...REQUESTER_ROUTE,
      name: 'lead',
      channel: ids.approvals,
      approvers: [approver],
      selfApproval: false,
    };
    routes.set('drop_table', {
      approvers: [approver],
      selfApproval: false,
      remindAfterMs: 10 * MINUTE,
      escalate: { afterMs: 30 * MINUTE, to: next },
    });
    await ask();
    const [before] = cards();
    assert.equal(before?.channel, ids.general);
    assert.match(textOf(before), new RegExp(`<@${ids.approver}>`));
    await pass(15 * MINUTE);
    const findReminders = () => ofType('say', 'approver').map((say) => say);
    assert.match(textOf(findReminders()[0]), /Still open: .* · waiting for a decision/);
    assert.equal(findReminders()[0]?.threadTs, before?.ts);
    await pass(20 * MINUTE);
    const after = cards('approver').find(({ channel }) => channel === ids.approvals);
    assert.ok(after);
    const left = ofType('left', 'requester');
    assert.equal(left.length, 1, 'the card that was left has no buttons any more');
    assert.doesNotMatch(textOf(left[0]), /call\.approve/);
    assert.equal(ofType('stub', 'requester').length, 0);
    for (const say of findReminders())
      assert.ok(say.threadTs !== undefined && say.threadTs !== '0');
    const press = { channel: after.channel, ts: after.ts, actionId: 'call.approve' };
    await workspace.click('approver', press);
    await pass();
    const own = await workspace.directMessage('requester');
    const notices = workspace.see('requester').messages.filter(({ channel }) => channel === own.id);
    assert.equal(notices.length, 1);
    assert.match(textOf(notices[0]), /which “deploy-bot” asked for you, was approved/);
    scene.assertSound();
  });

  it('that nobody can approve is reported to its requester in the channel, and to nobody else', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, ids, routes, ask } = scene;
    routes.set('drop_table', { approvers: [] });
    await ask();
    const notices = workspace
      .see('requester')
      .messages.filter(({ visibleTo }) => visibleTo === ids.requester);
    assert.equal(notices.length, 1);
    assert.match(textOf(notices[0]), /This can’t be approved/);
    assert.equal(notices[0]?.threadTs, undefined);
    scene.assertSound();
  });

  it('whose channel accepts no cards is reported by direct message, and stays pending', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, ask, cards, stored, pass } = scene;
    workspace.faults.api('chat.postMessage', { kind: 'error', error: 'not_in_channel' }, 1_000);
    const call = await ask();
    await pass(3 * MINUTE);
    workspace.faults.clear();
    await pass(5 * MINUTE);
    const notice = workspace
      .see('requester')
      .messages.map(textOf)
      .find((text) => text.includes('show the card for'));
    assert.ok(notice);
    assert.doesNotMatch(notice, /our thread/);
    assert.equal(cards().length, 1);
    assert.equal((await stored(call.id)).status, 'pending');
  });

  it('expires with a note only on its card, and nobody can ask again, not even by a forged click', async (t) => {
    const scene = await setOutsideScene(t);
    const { workspace, desk, ids, ask, cards, stored, pass } = scene;
    const call = await ask({ deadlineMs: 10 * MINUTE });
    await pass(12 * MINUTE);
    assert.equal((await stored(call.id)).status, 'expired');
    const [card] = cards();
    assert.match(textOf(card), /Expired: nobody decided in time/);
    assert.doesNotMatch(textOf(card), /call\.ask-again/);
    const by = { team: ids.team, user: ids.requester };
    assert.deepEqual(await desk.desk.askAgain({ callId: call.id, by }), { kind: 'not-expired' });
    await pass(5 * MINUTE);
    assert.equal(workspace.see('requester').messages.length, 1);
    scene.assertSound();
  });
});
