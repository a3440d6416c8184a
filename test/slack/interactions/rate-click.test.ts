/** Ratings of an answer, from its buttons to the desk. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { CardPlace } from '../../../src/domain/calls/call.ts';
import { type SlackStage, setSlackStage } from '../support/slack-stage.ts';

describe('a rating', () => {
  let stage: SlackStage;
  before(async () => {
    stage = await setSlackStage('socket');
  });
  after(() => stage.close());
  beforeEach(() => {
    Object.assign(stage.desk, { broken: false, knowsTurns: true });
    for (const list of [stage.desk.ratings, stage.desk.refusals]) list.length = 0;
  });

  const waitForPrivate = (who: string, text: string) =>
    stage.workspace.waitFor(
      () => {
        const { me, messages } = stage.workspace.see(who);
        return messages.find(
          (each) => each.visibleTo === me.id && JSON.stringify(each.blocks).includes(text),
        );
      },
      { describe: () => stage.logged.join('\n') },
    );

  async function answered(): Promise<{ place: CardPlace; turn: string; thread: string }> {
    const { thread, requester: to } = await stage.callIn();
    const [, channel = '', root = ''] = thread.split('/');
    const say = { id: `say-${root}`, thread, kind: 'answer', text: 'Hi.', to } as const;
    await stage.chat.postOutboxMessage(
      { ...say, createdAt: 1, turn: thread },
      { lookFirst: false },
    );
    const posted = stage.workspace.see('requester').messages.at(-1);
    return { place: { channel, ts: posted?.ts ?? '' }, turn: thread, thread };
  }
  const rate = (who: string, place: CardPlace, option: 'positive' | 'negative') =>
    stage.workspace.click(who, { ...place, actionId: 'answer.rate', option });

  it('goes to the desk with person, turn and rating, and gets private thanks', async () => {
    const { place, turn, thread } = await answered();
    await rate('approver', place, 'negative');
    await waitForPrivate('approver', 'did not help');
    const by = { team: stage.workspace.team.id, user: stage.workspace.member('approver').id };
    assert.deepEqual(stage.desk.ratings, [{ thread, turn, by, value: 'bad' }]);
    await rate('approver', place, 'positive');
    await waitForPrivate('approver', 'noted that this answer helped');
    assert.equal(stage.desk.ratings.at(-1)?.value, 'good');
  });

  it('of an answer that is no longer known says so', async () => {
    const { place } = await answered();
    stage.desk.knowsTurns = false;
    await rate('requester', place, 'positive');
    await waitForPrivate('requester', 'no longer have this answer');
  });

  it('that could not be saved says so', async () => {
    const { place } = await answered();
    stage.desk.broken = true;
    await rate('requester', place, 'positive');
    await waitForPrivate('requester', 'was not saved');
  });

  it('with another turn or word, or from another workspace, changes nothing', async () => {
    const { place, turn } = await answered();
    const message = stage.message(place);
    const payload = (value: string, teamId: string) => ({
      type: 'block_actions',
      api_app_id: stage.workspace.app.id,
      team: { id: stage.workspace.team.id },
      user: { id: stage.workspace.member('requester').id, team_id: teamId },
      trigger_id: 'x',
      container: {
        type: 'message',
        channel_id: place.channel,
        message_ts: place.ts,
        thread_ts: message?.threadTs,
      },
      message: { ts: place.ts, bot_id: stage.workspace.app.botId },
      actions: [{ type: 'feedback_buttons', action_id: 'answer.rate', value }],
    });
    const { id } = stage.workspace.team;
    for (const [value, team] of [
      [`${id}/C0OTHER/1.1 good`, id],
      [`${turn} great`, id],
      [`${turn} good`, 'T0OTHER'],
    ] as const) {
      const ack = await stage.workspace.deliverInteraction(payload(value, team));
      assert.equal(ack.kind, 'acknowledged');
    }
    const whys = ['a turn of another channel', 'no rating', 'a member of another workspace'];
    await stage.workspace.waitFor(() => (stage.desk.refusals.length === 3 ? true : undefined));
    assert.deepEqual(
      stage.desk.refusals.map(({ why }) => why),
      whys,
    );
    assert.deepEqual(stage.desk.ratings, []);
  });
});
