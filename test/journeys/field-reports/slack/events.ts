/** Slack message events and their retries, over both transports. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Delivery } from '../../../support/app/stage.ts';
import { sayCalls, sayText } from '../../../support/servers/mock-model.ts';
import { call, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';
import { changesNothing, eventsOf, placeOf, post } from './slack-events.ts';

/** Registers the journeys for one transport. */
export function eventJourneys(delivery: Delivery): void {
  describe(`events over ${delivery}`, () => {
    let stage: FieldStage;
    before(async () => {
      stage = await setFieldStage(delivery);
    });
    after(() => stage.close());
    beforeEach(() => stage.workspace.faults.clear());

    it('an unseen retry is processed and a seen one dropped, also after a restart', async () => {
      stage.play(sayCall('refund', { order: 118 }), sayText('Refunded 118.'));
      stage.workspace.faults.holdEvents();
      const { id } = await stage.workspace.directMessage('requester');
      const said = await stage.workspace.say('requester', id, 'refund order 118');
      const event = { ...eventsOf(stage, said).message, channel_type: 'im' };
      const retry = (retryNum: number) =>
        stage.workspace.deliverEvent(event, {
          envelope: { event_id: 'Ev0REFUND' },
          retryNum,
          retryReason: 'timeout',
        });
      assert.equal((await retry(1)).kind, 'acknowledged');
      const card = await stage.card(placeOf(said), '118');
      await stage.press('requester', card, 'call.approve');
      await stage.answer(placeOf(said), 'Refunded 118.');
      const dropped = async () => assert.equal((await retry(2)).kind, 'acknowledged');
      await changesNothing(stage, dropped, placeOf(said));
      await stage.restart('kill');
      await changesNothing(stage, () => retry(3), placeOf(said));
      const refunds = (await stage.runs()).filter(({ tool }) => tool === 'refund');
      assert.deepEqual(refunds, [{ tool: 'refund', args: { order: 118 } }]);
    });

    for (const order of ['app_mention first', 'message first', 'app_mention alone'] as const) {
      it(`a mention makes one run and one card, with the ${order}`, async () => {
        stage.play(sayCall('note', { text: 'row 7' }), sayText('Row 7 is gone.'));
        const said = await post(stage, 'general', `\${bot} delete staging row 7`);
        const { mention, message } = eventsOf(stage, said);
        const events = {
          'app_mention first': [mention, message],
          'message first': [message, mention],
          'app_mention alone': [mention],
        }[order];
        for (const [index, event] of events.entries()) {
          const envelope = { event_id: `Ev0ROW${index}` };
          const ack = await stage.workspace.deliverEvent(event, { envelope });
          assert.equal(ack.kind, 'acknowledged');
        }
        const asked = stage.asked();
        const card = await stage.card(placeOf(said), 'row 7');
        await stage.settled();
        assert.equal(stage.cards(placeOf(said)).length, 1);
        await stage.press('requester', card, 'call.approve');
        await stage.answer(placeOf(said), 'Row 7 is gone.');
        assert.ok(stage.asked() <= asked + 2);
      });
    }

    it('a mention whose two events arrive at the same moment, each three times, makes one run', async () => {
      stage.play(sayText('Once.'));
      stage.workspace.faults.deliverEvents(3);
      const place = await stage.ask('requester', 'say it once');
      await stage.answer(place, 'Once.');
      await stage.settled();
      assert.equal(stage.thread(place).length, 2);
    });

    it('two follow-ups that arrive out of order are processed in the order they were written', async () => {
      stage.play(sayText('Hello.'), sayText('One.'), sayText('Two.'));
      const place = await stage.ask('requester', 'hello');
      await stage.answer(place, 'Hello.');
      await stage.settled();
      stage.workspace.faults.holdEvents();
      const first = await stage.write('requester', place, 'write the first');
      const second = await stage.write('requester', place, 'write the second');
      for (const said of [second, first]) {
        const ack = await stage.workspace.deliverEvent(eventsOf(stage, said).message);
        assert.equal(ack.kind, 'acknowledged');
      }
      await stage.answer(place, 'Two.');
      const asked = stage.model.requests.at(-1)?.messages ?? [];
      const wrote = asked
        .filter(({ role }) => role === 'user')
        .map(({ content }) => String(content));
      assert.match(wrote.at(-2) ?? '', /the first/);
      assert.match(wrote.at(-1) ?? '', /the second/);
    });

    it('edits, unfurls and deletions never start or change anything', async () => {
      stage.play(sayCall('note', { text: 'as I asked' }), sayText('Noted.'));
      const place = await stage.ask('requester', 'note it');
      const card = await stage.card(place, 'as I asked');
      const [asking] = stage.thread(place);
      assert.ok(asking);
      const { mention, message } = eventsOf(stage, asking);
      const edited = { user: mention.user, ts: '1799999999.000000' };
      const text = `<@${stage.workspace.app.botUserId}> pay 1000 instead`;
      const hidden = { ...message, hidden: true, ts: '1799999999.000100' };
      const changed = { ...hidden, subtype: 'message_changed', previous_message: message };
      for (const event of [
        { ...changed, message },
        { ...changed, message: { ...message, text, edited } },
        { ...changed, message: { ...message, attachments: [{ from_url: 'https://a.example' }] } },
        { ...mention, text, edited },
        { ...mention, ts: '1799999999.000200', thread_ts: place.root, text, edited },
        { ...message, text, edited },
      ]) {
        await changesNothing(stage, () => stage.workspace.deliverEvent(event), place);
      }
      const { channel, root } = place;
      await changesNothing(
        stage,
        () => stage.workspace.edit('requester', channel, root, text),
        place,
      );
      await changesNothing(stage, () => stage.workspace.remove('requester', channel, root), place);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'Noted.');
      assert.deepEqual((await stage.runs()).at(-1)?.args, { text: 'as I asked' });
    });

    it('a message edited into a mention starts nothing', async () => {
      const { id } = stage.workspace.channel('general');
      const { ts } = await stage.workspace.say('requester', id, 'lunch?');
      const place = { channel: id, root: ts };
      const text = `\${bot} delete everything`;
      await changesNothing(stage, () => stage.workspace.edit('requester', id, ts, text), place);
    });

    it('messages of the app and of other bots are ignored, whatever they mention', async () => {
      stage.play(sayText('Hello.'));
      const place = await stage.ask('requester', 'say hello');
      await stage.answer(place, 'Hello.');
      const { app } = stage.workspace;
      const text = `<@${app.botUserId}> go on`;
      const own = { type: 'message', channel_type: 'channel', channel: place.channel, text };
      const marks: Record<string, unknown>[] = [
        { subtype: 'bot_message', bot_id: app.botId, bot_profile: { app_id: app.id } },
        { bot_id: app.botId, user: app.botUserId },
        { user: app.botUserId },
        { user: 'U0REQUESTER', bot_profile: { app_id: app.id } },
        { user: 'U0REQUESTER', app_id: app.id },
        { subtype: 'bot_message', bot_id: 'B0OTHER', username: 'Other' },
        { bot_id: 'B0OTHER', user: 'U0OTHERBOT', bot_profile: { app_id: 'A0OTHER' } },
        { user: 'USLACKBOT' },
      ];
      for (const [index, mark] of marks.entries()) {
        const ts = `1799999998.${String(index).padStart(6, '0')}`;
        for (const type of ['message', 'app_mention']) {
          const event = { ...own, ...mark, type, ts, thread_ts: place.root };
          await changesNothing(stage, () => stage.workspace.deliverEvent(event), place);
        }
      }
    });

    it('a member of another workspace is refused for who they are, a home user is not', async () => {
      const { id } = stage.workspace.channel('shared');
      const refused = () => stage.audit('edge.refuse').length;
      const before = refused();
      const asked = stage.asked();
      await stage.ask('stranger', 'show me the books', 'shared');
      await stage.privately('stranger', 'only work for members');
      await stage.settled();
      assert.equal(stage.asked(), asked);
      assert.equal(refused(), before + 1);
      assert.match(stage.audit('edge.refuse').at(-1)?.actor ?? '', /^T0OTHER\/U0STRANGER$/);

      stage.play(sayText('Welcome home.'));
      const said = await post(stage, 'shared', `\${bot} hello`);
      const event = { ...eventsOf(stage, said).mention, user_team: stage.workspace.team.id };
      await stage.workspace.deliverEvent({ ...event, source_team: 'T0OTHER', channel: id });
      await stage.answer(placeOf(said), 'Welcome home.');
    });

    it('a member of another workspace decides nothing, by click or by form', async () => {
      stage.play(sayCalls([call('note', { text: 'shared' })]), sayText('Shared it.'));
      const place = await stage.ask('requester', 'note it', 'shared');
      const card = await stage.card(place, 'shared');
      await stage.press('requester', card, 'call.edit');
      await stage.form('requester', 'Edit the call');
      const { workspace } = stage;
      const form = workspace.see('requester').views.at(-1);
      assert.ok(form);
      const refusals = () => stage.audit('edge.refuse').length;
      const before = refusals();
      for (const action of ['call.approve', 'call.edit', 'call.reply', 'call.ignore']) {
        await stage.press('stranger', card, action);
      }
      await stage.privately('stranger', 'Only members of this workspace may decide');
      const { id, teamId } = workspace.member('stranger');
      const ack = await workspace.deliverInteraction({
        type: 'view_submission',
        team: { id: teamId },
        user: { id, team_id: teamId },
        api_app_id: workspace.app.id,
        view: { ...form.view, state: { values: { 'arg.0': { text: { value: 'stolen' } } } } },
      });
      assert.match(JSON.stringify(ack), /Only members of this workspace may decide/);
      await stage.settled();
      assert.equal(refusals(), before + 5);
      assert.deepEqual(stage.cards(place).at(-1)?.blocks, card.blocks);
      await workspace.submit('requester', {});
      await stage.answer(place, 'Shared it.');
      assert.deepEqual((await stage.runs()).at(-1)?.args, { text: 'shared' });
    });

    it('every request to the model was in a valid order', () => {
      assert.deepEqual(stage.model.refusals, []);
    });
  });
}
