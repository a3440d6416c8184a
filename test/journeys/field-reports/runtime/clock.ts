/** Journeys that take hours or need two approvers, over both transports. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, it } from 'node:test';
import { LATE_MESSAGE_MS } from '../../../../src/desk/turns/messages/message-order.ts';
import { defaultGate, type Gate, REQUESTER_ROUTE } from '../../../../src/domain/policy/route.ts';
import type { WorkspaceMessage } from '../../../../src/playground/workspace/workspace-port.ts';
import { says } from '../../../support/app/scene.ts';
import type { Delivery } from '../../../support/app/stage.ts';
import { type MockAnswer, sayText } from '../../../support/servers/mock-model.ts';
import { until } from '../../../support/until.ts';
import { buttonsOf, sayCall } from '../field-stage.ts';
import { askMembers, type InnerStage, setInnerStage } from '../inner-stage.ts';

const HOUR_MS = 3_600_000;

/** Registers the journeys for one transport. */
export function clockJourneys(delivery: Delivery): void {
  describe(`time and people over ${delivery}`, () => {
    let stage: InnerStage;
    before(async () => {
      stage = await setInnerStage(delivery);
    });
    after(() => stage.close());
    beforeEach(() => stage.setGate(defaultGate));

    function play(...answers: readonly MockAnswer[]): void {
      stage.model.script((_request, index) => {
        const answer = answers[index];
        if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
        return answer;
      });
    }

    async function cardOf(text: string, gate: Gate) {
      stage.setGate(gate);
      play(sayCall('note', { text }), sayText(`${text} is noted.`));
      const place = await stage.ask('requester', `note ${text}`);
      return { place, card: await stage.card(place, text, 'Waiting for a decision') };
    }

    async function noted(text: string): Promise<number> {
      const runs = await readFile(stage.runJournal, 'utf8').catch(() => '');
      return runs.split('\n').filter((line) => line.includes(`"text":"${text}"`)).length;
    }

    /** Sends the last press again, like a phone that was offline. */
    async function pressAgain(member: string, text: string): Promise<void> {
      const press = stage.workspace.journal.findLast(({ name }) => name === 'block_actions');
      const { id, teamId } = stage.workspace.member(member);
      const payload = { ...(press?.request as object), user: { id, team_id: teamId } };
      const ack = await stage.workspace.deliverInteraction(payload);
      assert.equal(ack.kind, 'acknowledged');
      await stage.privately(member, text);
    }

    const placeOf = (card: WorkspaceMessage) => ({ channel: card.channel, ts: card.ts });

    it('a retry five minutes after the first delivery is recognized', async () => {
      play(sayText('Refunded.'));
      stage.workspace.faults.holdEvents();
      const { id } = await stage.workspace.directMessage('requester');
      const { ts } = await stage.workspace.say('requester', id, 'refund order 118');
      const event = {
        type: 'message',
        channel_type: 'im',
        channel: id,
        user: stage.workspace.member('requester').id,
        text: 'refund order 118',
        ts,
      };
      const retry = (retryNum: number) =>
        stage.workspace.deliverEvent(event, {
          envelope: { event_id: 'Ev0REFUND' },
          retryNum,
          retryReason: 'timeout',
        });
      assert.equal((await retry(1)).kind, 'acknowledged');
      await stage.answer({ channel: id, root: ts }, 'Refunded.');
      await stage.clock.advance(330_000);
      assert.equal((await retry(2)).kind, 'acknowledged');
      await stage.clock.advance(HOUR_MS);
      assert.equal((await retry(3)).kind, 'acknowledged');
      assert.equal(stage.model.requests.length, 1);
      stage.workspace.faults.clear();
      assert.equal(stage.thread({ channel: id, root: ts }).length, 2);
    });

    it('an expired card only offers to ask again, and its old buttons explain why', async () => {
      const gate: Gate = () => ({
        kind: 'ask',
        route: { ...REQUESTER_ROUTE, deadlineMs: HOUR_MS },
      });
      const { place, card } = await cardOf('late', gate);
      await stage.press('outsider', card, 'call.approve');
      await stage.clock.advance(HOUR_MS);
      await stage.answer(place, 'late is noted.');
      const expired = await stage.card(place, 'Expired', 'nobody decided in time');
      assert.deepEqual(buttonsOf(expired), ['call.ask-again', 'call.open']);
      await pressAgain('requester', 'expired: nobody decided in time');
      assert.equal(await noted('late'), 0);
      assert.match(JSON.stringify(stage.model.requests.at(-1)), /This is not a denial/);
    });

    it('a card whose requester writes again is withdrawn, and its old buttons say so', async () => {
      const { place, card } = await cardOf('withdrawn', askMembers(stage, ['approver']));
      await stage.press('outsider', card, 'call.approve');
      play(sayText('Something else, then.'));
      await stage.write('requester', place, 'something else');
      await stage.clock.advance(LATE_MESSAGE_MS);
      await stage.answer(place, 'Something else, then.');
      const settled = await stage.card(place, 'Withdrawn', 'the requester wrote a new message');
      assert.deepEqual(buttonsOf(settled), ['call.open']);
      await pressAgain('approver', 'was withdrawn');
      assert.equal(await noted('withdrawn'), 0);
    });

    it('one of two people who press at the same moment decides, and the other learns who did', async () => {
      const people = ['approver', 'admin'] as const;
      for (const order of [people, people.toReversed()]) {
        const [first = '', second = ''] = order;
        const { place, card } = await cardOf(`race of ${first}`, askMembers(stage, people));
        await Promise.all([
          stage.press(first, card, 'call.approve'),
          stage.press(second, card, 'call.ignore'),
        ]);
        const settled = await stage.workspace.waitFor(() =>
          stage.cards(place).find((each) => says(each, 'Done') || says(each, 'Ignored')),
        );
        const ran = says(settled, 'Done');
        const winner = stage.workspace.member(ran ? first : second).id;
        await stage.privately(ran ? second : first, `by <@${winner}>`);
        assert.equal(await noted(`race of ${first}`), ran ? 1 : 0);
        if (ran) await stage.answer(place, 'is noted.');
      }
    });

    it('a form submitted after another person decided is refused, and names that person', async () => {
      const gate = askMembers(stage, ['approver', 'admin']);
      const { place, card } = await cardOf('by another', gate);
      await stage.press('approver', card, 'call.edit');
      await stage.form('approver', 'Edit the call');
      await stage.press('admin', card, 'call.approve');
      await stage.answer(place, 'by another is noted.');
      const ack = await stage.workspace.submit('approver', { text: 'by me' });
      assert.equal(ack.kind, 'acknowledged');
      await stage.view('approver', `approved by <@${stage.workspace.member('admin').id}>`);
      await stage.workspace.close('approver');
      assert.equal(await noted('by me'), 0);
      assert.equal(await noted('by another'), 1);
    });

    it('an edit disables the buttons of the previous attempt', async () => {
      const gate = askMembers(stage, ['approver', 'admin'], { quorum: 2 });
      const { place, card } = await cardOf('attempt one', gate);
      await stage.press('approver', card, 'call.edit');
      await stage.form('approver', 'Edit the call');
      await stage.press('outsider', card, 'call.approve');
      await stage.workspace.submit('approver', { text: 'attempt two' });
      const second = await stage.card(place, 'version 2', 'Edited by');
      await pressAgain('admin', 'See version 2');
      assert.equal((await noted('attempt one')) + (await noted('attempt two')), 0);
      assert.deepEqual(placeOf(second), placeOf(card));
      await stage.press('admin', second, 'call.approve');
      await stage.answer(place, 'attempt one is noted.');
      assert.equal(await noted('attempt one'), 0);
      assert.equal(await noted('attempt two'), 1);
    });

    it('arguments changed between the approval and the run never run: the approved ones do', async () => {
      const ask: Gate = () => ({ kind: 'ask', route: REQUESTER_ROUTE });
      const { place, card } = await cardOf('ten', ask);
      let changed = 0;
      // The gate is asked right before the approval and its claim are written.
      stage.setGate((facts) => {
        stage.sql(
          `UPDATE records SET document = replace(document, '{\\"text\\":\\"ten\\"}', '{\\"text\\":\\"all\\"}')
           WHERE key LIKE 'call/%' AND json_extract(document, '$.status') = 'pending'`,
        );
        changed += 1;
        return ask(facts);
      });
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'ten is noted.');
      // Once for the decision together with its claim.
      assert.equal(changed, 1);
      assert.equal(await noted('all'), 0);
      assert.equal(await noted('ten'), 1);
    });

    it('a tool that does not end delays the stop by 25 seconds, and people are asked after the next start', async () => {
      play(sayCall('hold', { note: 'for ever' }));
      const place = await stage.ask('requester', 'hold it');
      const card = await stage.card(place, 'Waiting for a decision');
      await stage.press('requester', card, 'call.approve');
      await stage.card(place, 'Running');
      let stopped = false;
      const stopping = stage
        .app()
        .stop()
        .then(() => {
          stopped = true;
        });
      const { pendingCount } = stage.clock;
      await until(() => stage.clock.pendingCount !== pendingCount || stopped);
      await stage.clock.advance(24_999);
      assert.equal(stopped, false);
      while (!stopped) await stage.clock.advance(1);
      await stopping;
      await stage.start();
      const unknown = await stage.card(place, 'This may have run');
      play(sayText('It ran, then.'));
      await writeFile(`${stage.runJournal}.for ever`, '');
      await stage.press('requester', unknown, 'call.settle-ran');
      await stage.answer(place, 'It ran, then.');
    });

    it('every request to the model was in a valid order', () => {
      assert.deepEqual(stage.model.refusals, []);
    });
  });
}
