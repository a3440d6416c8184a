/** The Slack adapter over both transports: the real Bolt app on the simulated workspace. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Call, CardPlace } from '../../src/domain/calls/call.ts';
import { cardDigest } from '../../src/domain/calls/digest.ts';
import { type Delivery, type SlackStage, setSlackStage } from './support/slack-stage.ts';

for (const delivery of ['http', 'socket'] as const) edge(delivery);

function edge(delivery: Delivery): void {
  describe(`the Slack app over ${delivery}`, () => {
    let stage: SlackStage;
    let decide: SlackStage['desk']['decide'];
    before(async () => {
      stage = await setSlackStage(delivery);
      decide = stage.desk.decide;
    });
    after(() => stage.close());
    beforeEach(() => {
      const { desk } = stage;
      Object.assign(desk, {
        call: undefined,
        outcome: undefined,
        broken: false,
        inThread: false,
        decide,
      });
      for (const list of [desk.received, desk.commands, desk.refusals]) list.length = 0;
      stage.workspace.faults.clear();
    });

    async function card(patch: Partial<Call> = {}): Promise<{ call: Call; place: CardPlace }> {
      const call = await stage.callIn(patch);
      return { call, place: await stage.draw(call) };
    }
    const click = (who: string, place: CardPlace, actionId: string) =>
      stage.workspace.click(who, { ...place, actionId });
    const top = (who: string) => stage.workspace.see(who).views.at(-1)?.view;
    const waitForView = (who: string, text: string) =>
      stage.workspace.waitFor(
        () => (JSON.stringify(top(who) ?? '').includes(text) ? true : undefined),
        {
          describe: () => JSON.stringify({ view: top(who), logged: stage.logged }),
        },
      );
    const waitForPrivate = (who: string, text: string) =>
      stage.workspace.waitFor(
        () => {
          const { me, messages } = stage.workspace.see(who);
          const toMe = messages.filter(
            (each) => each.visibleTo === me.id || each.channel.startsWith('D'),
          );
          return toMe.find((each) => JSON.stringify(each.blocks).includes(text));
        },
        { describe: () => stage.logged.join('\n') },
      );

    it('stores a message once, even if Slack sends it several times or under several events', async () => {
      stage.workspace.faults.deliverEvents(3);
      const { id } = stage.workspace.channel('general');
      const { ts } = await stage.workspace.say('requester', id, `\${bot} hello`);
      assert.deepEqual(
        stage.desk.received.map((each) => [each.ts, each.text]),
        [[ts, 'hello']],
      );
    });

    it('acknowledges a message only after it is stored', async () => {
      stage.desk.broken = true;
      const event = { type: 'app_mention', channel: 'C1', user: 'U1', ts: '9.1', text: 'x' };
      const ack = await stage.workspace.deliverEvent(event);
      assert.notEqual(ack.kind, 'acknowledged');
      stage.desk.broken = false;
      const again = await stage.workspace.deliverEvent(event, {
        retryNum: 1,
        retryReason: 'timeout',
      });
      assert.equal(again.kind, 'acknowledged');
      assert.equal(stage.desk.received.length, 1);
    });

    it('accepts a reply without a mention only in a thread that the agent is in', async () => {
      const { id } = stage.workspace.channel('general');
      const { ts } = await stage.workspace.say('requester', id, 'lunch?');
      await stage.workspace.say('requester', id, 'pizza', { threadTs: ts });
      assert.equal(stage.desk.received.length, 0);
      stage.desk.inThread = true;
      await stage.workspace.say('requester', id, 'pasta', { threadTs: ts });
      assert.deepEqual(
        stage.desk.received.map(({ text }) => text),
        ['pasta'],
      );
    });

    it('refuses an outside member of a shared channel privately, and reports it to the desk', async () => {
      const { id } = stage.workspace.channel('shared');
      await stage.workspace.say('stranger', id, `\${bot} give me all`);
      await waitForPrivate('stranger', 'only work for members');
      assert.equal(stage.desk.received.length, 0);
      assert.match(stage.desk.refusals[0]?.why ?? '', /another workspace/);
    });

    it('Approve decides the attempt that the card showed, without a further message', async () => {
      const { call, place } = await card();
      stage.desk.outcome = { kind: 'decided', call };
      const ack = await click('requester', place, 'call.approve');
      assert.equal(ack.kind, 'acknowledged');
      assert.deepEqual(stage.desk.commands, [
        {
          callId: call.id,
          attempt: 1,
          digest: call.digest.slice(0, 10),
          card: cardDigest(call),
          by: call.requester,
          decision: { kind: 'approve' },
        },
      ]);
    });

    it('tells a person who may not decide the reason, visible only to them', async () => {
      const { call, place } = await card();
      stage.desk.outcome = { kind: 'not-allowed', call, why: 'Only the requester may.' };
      await click('outsider', place, 'call.ignore');
      await waitForPrivate('outsider', 'Only the requester may.');
      const seen = stage.workspace.see('requester').messages;
      assert.ok(!JSON.stringify(seen).includes('Only the requester may.'));
    });

    it('does not acknowledge a decision that was not saved, and tells the person', async () => {
      const { place } = await card();
      stage.desk.broken = true;
      stage.desk.outcome = { kind: 'not-found' };
      const ack = await click('requester', place, 'call.approve');
      assert.notEqual(ack.kind, 'acknowledged');
      await waitForPrivate('requester', 'was not saved');
    });

    it('refuses a click on a message that is no longer the card', async () => {
      const { call, place } = await card();
      stage.places.set(call.id, { ...place, ts: '1.1' });
      await click('requester', place, 'call.approve');
      await waitForPrivate('requester', 'This card is out of date');
      assert.equal(stage.desk.commands.length, 0);
      assert.equal(stage.desk.refusals.length, 1);
      await click('requester', place, 'call.edit');
      await waitForView('requester', 'This card is out of date');
      assert.equal(stage.desk.refusals.length, 2);
      await stage.workspace.close('requester');
    });

    it('Edit opens a form at once, shows errors on their fields, and accepts the changed arguments', async () => {
      const { call, place } = await card();
      await click('requester', place, 'call.edit');
      await waitForView('requester', 'Edit the call');
      stage.desk.decide = refuseThenTake(call);
      const refused = await stage.workspace.submit('requester', { path: 'x', content: 'bye' });
      assert.equal(refused.kind, 'acknowledged');
      assert.deepEqual(Object.values(stage.workspace.see('requester').views.at(-1)?.errors ?? {}), [
        'Needs a name.',
      ]);
      await stage.workspace.submit('requester', { path: 'b.txt', content: 'bye' });
      await waitForPrivate('requester', 'Saved.');
      assert.equal(top('requester'), undefined);
      const decision = stage.desk.commands.at(-1);
      assert.ok(decision && 'decision' in decision && decision.decision.kind === 'edit');
      assert.deepEqual(decision.decision.args, { content: 'bye', path: 'b.txt' });
    });

    function refuseThenTake(call: Call): SlackStage['desk']['decide'] {
      let times = 0;
      return async (command) => {
        stage.desk.commands.push(command);
        times += 1;
        if (times > 1)
          return {
            kind: 'decided',
            call: { ...call, verdict: { kind: 'edit', by: call.requester, at: 1 } },
          };
        return { kind: 'invalid', call, problems: [{ path: ['path'], message: 'Needs a name.' }] };
      };
    }

    it('explains in the modal why there is no form', async () => {
      const { call, place } = await card();
      stage.desk.outcome = { kind: 'stale', call: { ...call, attempt: 2 } };
      await click('requester', place, 'call.reply');
      await waitForView('requester', 'See version 2');
      await stage.workspace.close('requester');
    });

    it('asks the person to click again when the trigger has expired', async () => {
      const { place } = await card();
      stage.workspace.faults.expireTriggers(1);
      await click('requester', place, 'call.edit');
      await waitForPrivate('requester', 'press the button again');
      assert.equal(stage.desk.commands.length, 0);
    });

    it('opens the form before it reads anything, however long the read takes', async () => {
      const { place } = await card();
      const { checkDecision: look } = stage.desk;
      let read = () => {};
      const reading = new Promise<void>((resolve) => {
        read = resolve;
      });
      stage.desk.checkDecision = async (asked) => {
        await reading;
        return await look(asked);
      };
      const ack = await click('requester', place, 'call.edit');
      assert.equal(ack.kind, 'acknowledged');
      await waitForView('requester', 'Loading the call');
      read();
      await waitForView('requester', 'Edit the call');
      stage.desk.checkDecision = look;
      await stage.workspace.close('requester');
    });

    it('shows a long call page by page, and approves it from the last page', async () => {
      const args = JSON.stringify({ content: `${'x'.repeat(20_000)}THE END`, path: 'a.txt' });
      const { call, place } = await card({ args });
      await assert.rejects(click('requester', place, 'call.approve'));
      await click('requester', place, 'call.open');
      await waitForView('requester', 'page 1 of 3');
      for (const page of [2, 3]) {
        assert.ok(!JSON.stringify(top('requester')).includes('call.approve'));
        await stage.workspace.clickInView('requester', { actionId: 'call.page' });
        await waitForView('requester', `page ${page} of 3`);
      }
      assert.ok(JSON.stringify(top('requester')).includes('THE END'));
      const decided = { ...call, verdict: { kind: 'approve', by: call.requester, at: 1 } } as const;
      stage.desk.outcome = { kind: 'decided', call: decided };
      await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
      await waitForView('requester', 'You approved');
      await stage.workspace.close('requester');
    });

    it('settles a call whose outcome is unknown', async () => {
      const { call, place } = await card({ status: 'unknown' });
      stage.desk.outcome = { kind: 'decided', call };
      await click('requester', place, 'call.settle-rerun');
      assert.equal((stage.desk.commands[0] as { finding?: string }).finding, 'rerun');
    });

    it('refuses payloads that none of our buttons sends', async () => {
      const { call, place } = await card();
      const { id, teamId } = stage.workspace.member('requester');
      const click = {
        type: 'block_actions',
        api_app_id: stage.workspace.app.id,
        team: { id: stage.workspace.team.id },
        user: { id, team_id: teamId },
        trigger_id: 'x',
        container: { type: 'message', channel_id: place.channel, message_ts: place.ts },
        channel: { id: place.channel },
        message: { ts: place.ts },
      };
      const tampered = [
        [{ action_id: 'call.approve', block_id: 'b', type: 'button', value: call.id }],
        [{ action_id: 'call.approve-all', block_id: 'b', type: 'button', value: '1' }],
      ];
      for (const actions of tampered) {
        const ack = await stage.workspace.deliverInteraction({ ...click, actions });
        assert.equal(ack.kind, 'acknowledged');
      }
      await stage.workspace.waitFor(() => (stage.desk.refusals.length === 2 ? true : undefined));
      assert.equal(stage.desk.commands.length, 0);
    });

    it('never logs an argument', () => {
      assert.ok(!stage.logged.join('\n').includes('hello'));
    });
  });
}
