/** Clicks that arrive late, twice, from elsewhere or at a bad moment, over both transports. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { WorkspaceMessage } from '../../../../src/playground/workspace/workspace-port.ts';
import type { Delivery } from '../../../support/app/stage.ts';
import { sayCalls, sayText } from '../../../support/servers/mock-model.ts';
import { buttonsOf, call, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

/** Registers the journeys for one transport. */
export function clickJourneys(delivery: Delivery): void {
  describe(`clicks over ${delivery}`, () => {
    let stage: FieldStage;
    before(async () => {
      stage = await setFieldStage(delivery);
    });
    after(() => stage.close());
    beforeEach(() => stage.workspace.faults.clear());

    async function cardOf(text: string) {
      stage.play(sayCall('note', { text }), sayText(`${text} is noted.`));
      const place = await stage.ask('requester', `note ${text}`);
      return { place, card: await stage.card(place, text, 'Approve') };
    }

    /** The press of a button on a card, kept so that it can be sent again later. */
    function pressOf(card: WorkspaceMessage, actionId: string, member = 'requester') {
      const { id, teamId } = stage.workspace.member(member);
      const buttons = card.blocks.flatMap((block) =>
        block.type === 'actions' ? block.elements : [],
      );
      const button = buttons.find((each) => 'action_id' in each && each.action_id === actionId);
      assert.ok(button);
      const { app, team } = stage.workspace;
      return {
        type: 'block_actions',
        team: { id: team.id },
        user: { id, team_id: teamId },
        api_app_id: app.id,
        container: { type: 'message', message_ts: card.ts, channel_id: card.channel },
        channel: { id: card.channel },
        message: { ts: card.ts, thread_ts: card.threadTs, bot_id: app.botId },
        trigger_id: 'gone',
        actions: [{ ...button, block_id: 'b', action_ts: card.ts }],
      };
    }

    async function noted(text: string): Promise<number> {
      const runs = await stage.runs();
      return runs.filter(({ args }) => JSON.stringify(args) === JSON.stringify({ text })).length;
    }

    for (const fault of ['expired_trigger_id', 'exchanged_trigger_id', 'invalid_trigger_id']) {
      it(`a form that Slack refuses with ${fault} asks to press again, and the call stays pending`, async () => {
        const { place, card } = await cardOf(fault);
        for (const action of ['call.edit', 'call.reply']) {
          stage.workspace.faults.api('views.open', { kind: 'error', error: fault });
          await stage.press('requester', card, action);
          await stage.settled();
        }
        await stage.privately('requester', 'press the button again');
        assert.equal(stage.workspace.see('requester').views.length, 0);
        assert.deepEqual(stage.cards(place), [card]);
        await stage.press('requester', card, 'call.edit');
        await stage.form('requester', 'Edit the call');
        await stage.workspace.submit('requester', {});
        await stage.answer(place, `${fault} is noted.`);
        assert.equal(await noted(fault), 1);
      });
    }

    it('a trigger that expired by itself asks to press again', async () => {
      const { card } = await cardOf('late');
      stage.workspace.faults.expireTriggers(1);
      await stage.press('requester', card, 'call.reply');
      await stage.privately('requester', 'The form took too long to open');
      await stage.press('requester', card, 'call.ignore');
    });

    it('a form that Slack fails to fill says so, and the next press fills it', async () => {
      const { place, card } = await cardOf('empty form');
      stage.workspace.faults.api('views.update', { kind: 'status', status: 500 });
      await stage.press('requester', card, 'call.edit');
      await stage.view('requester', 'could not be opened');
      await stage.workspace.close('requester');
      await stage.press('requester', card, 'call.edit');
      await stage.form('requester', 'Edit the call');
      await stage.workspace.submit('requester', {});
      await stage.answer(place, 'empty form is noted.');
    });

    it('a form is acknowledged before its tool ends, and a second submission changes nothing', async () => {
      stage.play(sayCall('hold', { note: 'first' }), sayText('It is held.'));
      const place = await stage.ask('requester', 'hold it');
      const card = await stage.card(place, 'first', 'Approve');
      await stage.press('requester', card, 'call.edit');
      await stage.form('requester', 'Edit the call');
      const form = stage.workspace.see('requester').views.at(-1);
      assert.ok(form);
      const note = `held-${delivery}`;
      const ack = await stage.workspace.submit('requester', { note });
      assert.equal(ack.kind, 'acknowledged');
      assert.equal(stage.workspace.see('requester').views.length, 0);
      await stage.card(place, note, 'Running');
      const { id, teamId } = stage.workspace.member('requester');
      const [block = ''] = Object.keys(form.state);
      const values = { [block]: { note: { type: 'plain_text_input', value: note } } };
      const again = {
        type: 'view_submission',
        team: { id: stage.workspace.team.id },
        user: { id, team_id: teamId },
        api_app_id: stage.workspace.app.id,
        view: { ...form.view, id: form.id, hash: form.hash, state: { values } },
      };
      assert.match(
        JSON.stringify(await stage.workspace.deliverInteraction(again)),
        /already approved/,
      );
      await stage.release(note);
      await stage.answer(place, 'It is held.');
      assert.match(JSON.stringify(await stage.workspace.deliverInteraction(again)), /already run/);
      const held = (await stage.runs()).filter(({ tool }) => tool === 'hold');
      assert.deepEqual(held, [{ tool: 'hold', args: { note } }]);
    });

    it('a form submitted after the call was decided on its card is refused with an explanation', async () => {
      const { place, card } = await cardOf('on the card');
      await stage.press('requester', card, 'call.edit');
      await stage.form('requester', 'Edit the call');
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'on the card is noted.');
      await stage.workspace.submit('requester', { text: 'in the form' });
      await stage.view('requester', 'has already run');
      await stage.workspace.close('requester');
      assert.equal(await noted('in the form'), 0);
      assert.equal(await noted('on the card'), 1);
    });

    it('an old card decides nothing, and never the pending call', async () => {
      stage.play(
        sayCall('note', { text: 'read it' }),
        sayCall('note', { text: 'delete it' }),
        sayText('It is deleted.'),
      );
      const place = await stage.ask('requester', 'first the one, then the other');
      const first = await stage.card(place, 'read it', 'Approve');
      await stage.press('requester', first, 'call.approve');
      const second = await stage.card(place, 'delete it', 'Approve');
      for (const action of ['call.approve', 'call.ignore', 'call.edit', 'call.reply']) {
        const ack = await stage.workspace.deliverInteraction(pressOf(first, action));
        assert.equal(ack.kind, 'acknowledged');
      }
      await stage.privately('requester', 'has already run (approved by <@U0REQUESTER>)');
      await stage.settled();
      assert.deepEqual(stage.cards(place).at(-1), second);
      assert.equal(await noted('delete it'), 0);
      assert.equal(await noted('read it'), 1);
      await stage.press('requester', second, 'call.approve');
      await stage.answer(place, 'It is deleted.');
    });

    it('the button of one card decides nothing on the message of another', async () => {
      const { place: away, card: meant } = await cardOf('meant');
      stage.play(
        sayCalls([call('note', { text: 'shown' }), call('note', { text: 'beside it' })]),
        sayText('Both are noted.'),
      );
      const place = await stage.ask('requester', 'two');
      const shared = await stage.card(place, 'shown', 'beside it', 'Approve All 2');
      await stage.settled();
      const alone = pressOf(meant, 'call.approve');
      const both = pressOf(shared, 'call.approve-all');
      for (const crossed of [
        { ...alone, container: both.container, message: both.message },
        { ...both, container: alone.container, message: alone.message },
      ]) {
        await stage.workspace.deliverInteraction(crossed);
        await stage.privately('requester', 'This card is out of date');
        await stage.settled();
      }
      for (const text of ['meant', 'shown', 'beside it']) assert.equal(await noted(text), 0);
      await stage.press('requester', shared, 'call.approve-all');
      await stage.answer(place, 'Both are noted.');
      stage.play(sayText('It was meant.'));
      await stage.press('requester', meant, 'call.approve');
      await stage.answer(away, 'It was meant.');
      for (const text of ['meant', 'shown', 'beside it']) assert.equal(await noted(text), 1);
    });

    it('a press replayed many times decides once, and is acknowledged each time', async () => {
      const { place, card } = await cardOf('replayed');
      const press = pressOf(card, 'call.approve');
      const acks = await Promise.all(
        Array.from({ length: 100 }, () => stage.workspace.deliverInteraction(press)),
      );
      assert.ok(acks.every(({ kind }) => kind === 'acknowledged'));
      await stage.answer(place, 'replayed is noted.');
      assert.equal(await noted('replayed'), 1);
      await stage.settled();
    });

    it('a card follows its call to every end, and its old buttons explain why they do nothing', async () => {
      const ends = [
        ['answered in the thread', 'already answered', 'Replied'],
        ['ignored', 'already ignored', 'Ignored'],
        ['approved', 'already run', 'Done'],
      ] as const;
      for (const [end, sentence, foot] of ends) {
        const { place, card } = await cardOf(end);
        if (end === 'ignored') await stage.press('requester', card, 'call.ignore');
        else if (end === 'approved') await stage.press('requester', card, 'call.approve');
        else await stage.write('requester', place, 'something else instead');
        const settled = await stage.card(place, end, foot);
        assert.deepEqual(buttonsOf(settled), ['call.open']);
        assert.equal(settled.ts, card.ts);
        if (end !== 'ignored') await stage.answer(place, `${end} is noted.`);
        await stage.workspace.deliverInteraction(pressOf(card, 'call.approve'));
        await stage.privately('requester', sentence);
        await stage.settled();
        assert.equal(await noted(end), end === 'approved' ? 1 : 0);
      }
    });

    it('a deleted card does not block its call, and is posted again while the call is pending', async () => {
      const { place, card } = await cardOf('deleted');
      const { apiUrl, botToken } = stage.workspace;
      await fetch(`${apiUrl}chat.delete`, {
        method: 'POST',
        headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: card.channel, ts: card.ts }),
      });
      assert.deepEqual(stage.cards(place), []);
      await stage.workspace.deliverInteraction(pressOf(card, 'call.approve'));
      await stage.answer(place, 'deleted is noted.');
      assert.equal(await noted('deleted'), 1);
      await stage.settled();
    });

    it('every request to the model was in a valid order', () => {
      assert.deepEqual(stage.model.refusals, []);
    });
  });
}
