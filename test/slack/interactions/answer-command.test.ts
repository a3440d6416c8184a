/** The command and the stop button over both transports: the real Bolt app on the simulated workspace. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { parseMessageLink } from '../../../src/slack/inbound/parse-command.ts';
import { type Delivery, type SlackStage, setSlackStage } from '../support/slack-stage.ts';

for (const delivery of ['http', 'socket'] as const) commands(delivery);

function commands(delivery: Delivery): void {
  describe(`the command over ${delivery}`, () => {
    let stage: SlackStage;
    let stopAll: SlackStage['desk']['stopAll'];
    before(async () => {
      stage = await setSlackStage(delivery);
      stopAll = stage.desk.stopAll;
    });
    after(() => stage.close());
    beforeEach(() => {
      const stopped = { kind: 'stopped', turns: 1 } as const;
      Object.assign(stage.desk, { broken: false, stopAll, stopped });
      stage.desk.controls.length = 0;
      stage.desk.refusals.length = 0;
    });

    const person = (name: string) => ({
      team: stage.workspace.team.id,
      user: stage.workspace.member(name).id,
    });
    const type = (who: string, text: string) =>
      stage.workspace.command(who, 'general', '/countersign', text);
    const answer = (who: string, part: string) =>
      stage.workspace.waitFor(
        () => {
          const { me, messages } = stage.workspace.see(who);
          const mine = messages.filter(({ visibleTo }) => visibleTo === me.id);
          return mine.find(({ blocks }) => JSON.stringify(blocks).includes(part));
        },
        { describe: () => stage.logged.join('\n') },
      );

    it('does what its word says, for the person who typed it, in that place', async () => {
      const channel = stage.workspace.channel('general').id;
      const { ts } = await stage.workspace.say('requester', channel, 'a message');
      const link = `https://x.slack.com/archives/${channel}/p${ts.replace('.', '')}`;
      const words = ['stop', 'STATUS', ' pause ', 'resume', `forget ${link}`];
      for (const text of words) {
        assert.equal((await type('admin', text)).kind, 'acknowledged');
      }
      for (const part of ['Stopped.', 'Not paused.', 'Paused. Nothing', 'Resumed', 'Forgotten']) {
        await answer('admin', part);
      }
      const by = person('admin');
      const { team } = by;
      assert.deepEqual(stage.desk.controls, [
        { what: 'stopAll', team, channel, by },
        { what: 'status', team, channel, by },
        { what: 'pause', by },
        { what: 'resume', by },
        { what: 'forget', thread: `${team}/${channel}/${ts}`, by },
      ]);
    });

    it('answers an unknown word with help', async () => {
      for (const text of ['', 'help', 'stop_everything']) await type('requester', text);
      await answer('requester', 'Copy link');
      assert.deepEqual(stage.desk.controls, []);
    });

    it('suggests the nearest command for a typo, without the full help, and does nothing', async () => {
      for (const text of ['wating', 'stpo', 'resmue now']) await type('approver', text);
      for (const word of ['waiting', 'stop', 'resume']) {
        const { blocks } = await answer('approver', `Did you mean \`/countersign ${word}\`?`);
        assert.doesNotMatch(JSON.stringify(blocks), /Copy link/);
      }
      assert.deepEqual(stage.desk.controls, []);
    });

    it('does not forget a thread of another channel', async () => {
      await type('outsider', 'forget https://x.slack.com/archives/C0FINANCE/p1700000000000100');
      await answer('outsider', 'in another channel');
      await type('outsider', 'forget that');
      await answer('outsider', 'Say which thread');
      assert.deepEqual(stage.desk.controls, []);
    });

    it('is acknowledged before it runs, and says when it failed', async () => {
      stage.desk.broken = true;
      assert.equal((await type('approver', 'stop')).kind, 'acknowledged');
      await answer('approver', 'That did not work');
      assert.match(stage.logged.join('\n'), /A command failed.*disk is full/);
    });

    const button = (value: string, patch: Record<string, unknown> = {}) => {
      const { id: channel } = stage.workspace.channel('general');
      const { team, app } = stage.workspace;
      return {
        type: 'block_actions',
        api_app_id: app.id,
        team: { id: team.id },
        user: { id: person('outsider').user, team_id: team.id },
        trigger_id: 'tr.1',
        container: { type: 'message', channel_id: channel, message_ts: '5.1', thread_ts: '1.1' },
        message: { ts: '5.1', bot_id: app.botId, thread_ts: '1.1' },
        actions: [{ type: 'button', action_id: 'turn.stop', value }],
        ...patch,
      };
    };
    const turn = () => `${person('outsider').team}/${stage.workspace.channel('general').id}/1.1`;

    it('comes with a button that stops the turn that it names', async () => {
      const ack = await stage.workspace.deliverInteraction(button(turn()));
      assert.equal(ack.kind, 'acknowledged');
      assert.deepEqual(stage.desk.controls, [
        { what: 'stop', turn: turn(), by: person('outsider') },
      ]);
    });

    it('has a button that says when there is nothing left to stop', async () => {
      stage.desk.stopped = { kind: 'already-stopped', by: person('approver') };
      await stage.workspace.deliverInteraction(button(turn()));
      await answer('outsider', `<@${person('approver').user}> already stopped this`);
    });

    it('has a button that stops nothing of another channel, app or workspace, nor works in others’ messages', async () => {
      const { team } = person('outsider');
      const message = { ts: '5.1', bot_id: 'B0OTHER' };
      const stranger = { id: person('stranger').user, team_id: 'T0OTHER' };
      const wrong = [
        button(`${team}/C0FINANCE/1.1`),
        button('T0OTHER/C0GENERAL/1.1'),
        button(''),
        button(turn(), { message }),
        button(turn(), { api_app_id: 'A0OTHER' }),
        button(turn(), { user: stranger }),
      ];
      for (const payload of wrong) await stage.workspace.deliverInteraction(payload);
      assert.deepEqual(stage.desk.controls, []);
      assert.equal(stage.desk.refusals.length, wrong.length);
    });
  });
}

describe('the link of a message', () => {
  const TEAM = 'T1';

  it('is parsed as the thread of the message', () => {
    const base = 'https://x.slack.com/archives/C1AB/p1700000000000100';
    const threads = [
      [base, 'T1/C1AB/1700000000.000100'],
      [`<${base}>`, 'T1/C1AB/1700000000.000100'],
      [`<${base}|a message>`, 'T1/C1AB/1700000000.000100'],
      [`${base}?thread_ts=1600000000.000200&cid=C1AB`, 'T1/C1AB/1600000000.000200'],
      [`${base}?cid=C1AB&amp;thread_ts=1600000000.000200`, 'T1/C1AB/1600000000.000200'],
    ] as const;
    for (const [text, thread] of threads) {
      assert.deepEqual(parseMessageLink(text, TEAM), { thread, channel: 'C1AB' }, text);
    }
  });

  it('is not parsed if it is anything else', () => {
    const wrong = [
      '',
      'this thread',
      'https://x.slack.com/archives/C1AB',
      'https://x.slack.com/archives/C1AB/p12',
      'https://x.slack.com/archives/C1/../p1700000000000100',
      'see https://x.slack.com/archives/C1AB/p1700000000000100',
    ];
    for (const text of wrong) assert.equal(parseMessageLink(text, TEAM), undefined, text);
  });
});
