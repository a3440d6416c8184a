import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageId } from '../../../src/domain/threads/message.ts';
import { parseClick } from '../../../src/slack/inbound/parse-click.ts';
import { encodeTurnToken } from '../../../src/slack/transport/turn-token.ts';

const identity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const turn = messageId({ team: 'T1', channel: 'C1', ts: '3.1' });
const pressed = (value: unknown) => [{ type: 'feedback_buttons', action_id: 'answer.rate', value }];

const FULL_VIEW = { id: 'V1', type: 'modal', callback_id: 'call.full' };

const CLICK = {
  type: 'block_actions',
  api_app_id: 'A1',
  team: { id: 'T1' },
  user: { id: 'U1', team_id: 'T1' },
  container: { type: 'message', channel_id: 'C1', message_ts: '5.1', thread_ts: '1.1' },
  message: { ts: '5.1', bot_id: 'BOWN', thread_ts: '1.1' },
  actions: pressed(encodeTurnToken(turn, 'good')),
};

describe('a click that names a turn', () => {
  it('is parsed with person, turn, thread and the word beside it', () => {
    const parsed = parseClick(CLICK, identity);
    assert.ok(parsed.kind === 'turn-click');
    const { origin, id, thread, word } = parsed;
    assert.deepEqual(origin.person, { team: 'T1', user: 'U1' });
    assert.deepEqual(
      { id, thread, turn: parsed.turn, word },
      { id: 'answer.rate', thread: 'T1/C1/1.1', turn, word: 'good' },
    );
  });

  it('needs no word', () => {
    const parsed = parseClick({ ...CLICK, actions: pressed(encodeTurnToken(turn)) }, identity);
    assert.ok(parsed.kind === 'turn-click');
    assert.deepEqual([parsed.turn, parsed.word], [turn, '']);
  });

  it('on the first message of a thread belongs to that thread', () => {
    const container = { type: 'message', channel_id: 'C1', message_ts: '5.1' };
    const message = { ts: '5.1', bot_id: 'BOWN' };
    const parsed = parseClick({ ...CLICK, container, message }, identity);
    assert.ok(parsed.kind === 'turn-click');
    assert.equal(parsed.thread, 'T1/C1/5.1');
  });

  const refused: readonly [string, Record<string, unknown>, RegExp][] = [
    ['of another workspace', { user: { id: 'U1', team_id: 'T2' } }, /another workspace/],
    ['for another app', { api_app_id: 'A2' }, /another app/],
    ['of nobody', { user: {} }, /nobody/],
    ['with two actions', { actions: [...CLICK.actions, ...CLICK.actions] }, /2 actions/],
    ['with an unknown action', { actions: [{ action_id: 'x', value: turn }] }, /unknown action/],
    ['from no message', { container: { channel_id: 'C1' } }, /no message/],
    [
      'from a form',
      { container: { type: 'view', view_id: 'V1' }, message: {}, view: FULL_VIEW },
      /in another view/,
    ],
    ['from somebody else’s message', { message: { bot_id: 'B2' } }, /not a message of ours/],
    ['from a message that Slack leaves out', { message: undefined }, /not a message of ours/],
    ['without a turn', { actions: pressed('good') }, /no turn/],
    ['without a value', { actions: pressed(undefined) }, /no turn/],
    ['with more than a turn', { actions: pressed(`${turn} good bad`) }, /no turn/],
    ['with a child thread’s call', { actions: pressed('T1/C1/3.1/call_x good') }, /no turn/],
    [
      'about a turn of another channel',
      { actions: pressed('T1/C2/3.1 good') },
      /a turn of another channel/,
    ],
    [
      'about a turn of another workspace',
      { actions: pressed('T2/C1/3.1 good') },
      /a turn of another channel/,
    ],
  ];
  for (const [what, patch, why] of refused) {
    it(`is refused ${what}`, () => {
      const parsed = parseClick({ ...CLICK, ...patch }, identity);
      assert.ok(parsed.kind === 'refused');
      assert.match(parsed.why, why);
      assert.notEqual(parsed.sentence, '');
    });
  }
});
