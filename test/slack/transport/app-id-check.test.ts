/** Until Slack returns the app id, nothing that people send is carried out, and they are told so. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { type Delivery, type SlackStage, setSlackStage } from '../support/slack-stage.ts';

for (const delivery of ['http', 'socket'] as const) startedBlind(delivery);

function startedBlind(delivery: Delivery): void {
  describe(`an app over ${delivery} that does not know its id`, () => {
    let stage: SlackStage;
    let appClock: ManualClock;
    before(async () => {
      appClock = createManualClock();
      stage = await setSlackStage(delivery, {
        appClock,
        prepare: ({ faults }) =>
          faults.api('bots.info', { kind: 'error', error: 'internal_error' }, 3),
      });
    });
    after(() => stage.close());

    const ready = async () => {
      const response = await fetch(`${stage.url}/readyz`);
      return { status: response.status, text: await response.text() };
    };
    const privately = (text: string) =>
      stage.workspace.waitFor(() => {
        const { messages } = stage.workspace.see('requester');
        return messages.find((each) => JSON.stringify(each.blocks).includes(text));
      });
    const asked = () => stage.workspace.journal.filter(({ name }) => name === 'bots.info').length;
    const whys = () => stage.desk.refusals.map(({ why }) => why);

    it('is not ready, and says what is missing', async () => {
      const { status, text } = await ready();
      assert.equal(status, 503);
      assert.match(
        text,
        /Could not read the app’s id from Slack \(bots\.info\).*all clicks.*refused/,
      );
      assert.match(stage.logged.join('\n'), /Could not read the app’s id/);
    });

    it('refuses a message, and tells its author to write it again', async () => {
      const { id } = stage.workspace.channel('general');
      await stage.workspace.say('requester', id, `\${bot} hello`);
      await privately('Please write it again in a minute');
      assert.deepEqual(stage.desk.received, []);
      assert.deepEqual(whys(), ['the app id is not known yet']);
    });

    it('refuses a click, a form, a command and a shortcut, answers each and logs it', async () => {
      const call = await stage.callIn();
      const place = await stage.draw(call);
      stage.desk.refusals.length = 0;
      stage.logged.length = 0;
      await stage.workspace.click('requester', { ...place, actionId: 'call.approve' });
      await privately('that Slack sent this to me and not to another app, so nothing happened');
      const { id, teamId } = stage.workspace.member('requester');
      const from = {
        api_app_id: stage.workspace.app.id,
        team: { id: teamId },
        user: { id, team_id: teamId },
      };
      const view = {
        id: 'V1',
        type: 'modal',
        callback_id: 'call.reply.submit',
        private_metadata: 'any',
        blocks: [{ type: 'input', block_id: 'reply', element: {} }],
        state: { values: { reply: { text: { type: 'plain_text_input', value: 'typed' } } } },
      };
      const form = await stage.workspace.deliverInteraction({
        type: 'view_submission',
        ...from,
        view,
      });
      // The form stays open with the typed values.
      assert.match(JSON.stringify(form), /"response_action":"errors".*"reply":"I can’t check yet/);
      const general = stage.workspace.channel('general').id;
      await stage.workspace.command('requester', general, '/countersign', 'pause');
      await stage.workspace.deliverInteraction({
        type: 'shortcut',
        callback_id: 'x',
        trigger_id: 't',
        ...from,
      });
      await stage.workspace.waitFor(() => (whys().length === 4 ? true : undefined));
      assert.deepEqual(new Set(whys()), new Set(['the app id is not known yet']));
      assert.deepEqual(stage.desk.commands, []);
      assert.deepEqual(stage.desk.controls, []);
      const refused = stage.logged.filter((line) => line.includes('for now'));
      assert.equal(refused.length, 4);
    });

    it('retries with growing delays until Slack answers', async () => {
      assert.equal(asked(), 1);
      await appClock.advance(999);
      assert.equal(asked(), 1);
      await appClock.advance(1);
      await stage.workspace.waitFor(() => (asked() === 2 ? true : undefined));
      await stage.workspace.waitFor(() => (appClock.pendingCount > 0 ? true : undefined));
      await appClock.advance(1_999);
      assert.equal(asked(), 2);
      await appClock.advance(1);
      await stage.workspace.waitFor(() => (asked() === 3 ? true : undefined));
      await stage.workspace.waitFor(() => (appClock.pendingCount > 0 ? true : undefined));
      assert.equal((await ready()).status, 503);
      await appClock.advance(4_000);
      await stage.workspace.waitFor(() => (asked() === 4 ? true : undefined));
    });

    it('accepts clicks and messages again, and is ready', async () => {
      for (let looks = 0; looks < 200 && (await ready()).status !== 200; looks += 1);
      assert.equal((await ready()).status, 200);
      const call = await stage.callIn();
      const place = await stage.draw(call);
      stage.desk.outcome = { kind: 'decided', call };
      await stage.workspace.click('requester', { ...place, actionId: 'call.approve' });
      assert.equal(stage.desk.commands.length, 1);
      assert.equal(stage.desk.received.length, 1);
    });
  });
}
