import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeCardToken } from '../../../src/domain/calls/digest.ts';
import { isFromCurrentCard } from '../../../src/slack/inbound/interaction.ts';
import { parseClick } from '../../../src/slack/inbound/parse-click.ts';
import { parseForm } from '../../../src/slack/inbound/parse-form.ts';
import { aCall } from '../../support/builders/a-call.ts';

const identity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const token = encodeCardToken(aCall());

const pressed = (value: string) => [{ type: 'button', action_id: 'call.approve', value }];

const CLICK = {
  type: 'block_actions',
  api_app_id: 'A1',
  team: { id: 'T1' },
  user: { id: 'U1', team_id: 'T1' },
  trigger_id: 'tr.1',
  container: { type: 'message', channel_id: 'C1', message_ts: '5.1', thread_ts: '1.1' },
  message: { ts: '5.1', bot_id: 'BOWN', thread_ts: '1.1' },
  actions: pressed(token),
};

describe('a click', () => {
  it('is parsed with person, action and place', () => {
    const parsed = parseClick(CLICK, identity);
    assert.ok(parsed.kind === 'click');
    assert.deepEqual(parsed.origin.person, { team: 'T1', user: 'U1' });
    assert.equal(parsed.token.callId, 'call_aaaaaaaaaaaaaaaaaaaaaa');
    assert.deepEqual(parsed.place, { channel: 'C1', ts: '5.1' });
  });

  const refused: readonly [string, Record<string, unknown>, RegExp][] = [
    ['of another workspace', { user: { id: 'U1', team_id: 'T2' } }, /another workspace/],
    [
      'of a team that only the envelope names',
      { user: { id: 'U1' }, team: { id: 'T2' } },
      /another workspace/,
    ],
    ['for another app', { api_app_id: 'A2' }, /another app/],
    ['without an app', { api_app_id: undefined }, /another app/],
    ['of nobody', { user: {} }, /nobody/],
    ['with two actions', { actions: [...CLICK.actions, ...CLICK.actions] }, /2 actions/],
    ['with no action', { actions: [] }, /0 actions/],
    ['with an unknown action', { actions: [{ action_id: 'x', value: token }] }, /unknown action/],
    ['without a token', { actions: pressed('{}') }, /token/],
    ['with a longer token', { actions: pressed(`${token}0`) }, /token/],
    ['from no message', { container: {} }, /no message/],
    ['from a message without a place', { container: { type: 'message' } }, /another message/],
  ];
  for (const [what, patch, why] of refused) {
    it(`is refused ${what}`, () => {
      const parsed = parseClick({ ...CLICK, ...patch }, identity);
      assert.ok(parsed.kind === 'refused');
      assert.match(parsed.why, why);
      assert.notEqual(parsed.sentence, '');
    });
  }

  it('is accepted only from the current place of the card', () => {
    const parsed = parseClick(CLICK, identity);
    assert.ok(parsed.kind === 'click');
    assert.ok(isFromCurrentCard(parsed, { channel: 'C1', ts: '5.1' }));
    assert.ok(!isFromCurrentCard(parsed, { channel: 'C1', ts: '6.1' }));
    assert.ok(!isFromCurrentCard(parsed, { channel: 'C2', ts: '5.1' }));
  });

  it('is accepted only from one of our messages while the place of the card is unknown', () => {
    const own = parseClick(CLICK, identity);
    const foreign = parseClick({ ...CLICK, message: { bot_id: 'B2' } }, identity);
    assert.ok(own.kind === 'click' && foreign.kind === 'click');
    assert.ok(isFromCurrentCard(own, undefined));
    assert.ok(!isFromCurrentCard(foreign, undefined));
  });

  it('in a form uses the token of the form, never that of the button', () => {
    const view = { id: 'V1', type: 'modal', callback_id: 'call.full', private_metadata: token };
    const actions = [{ type: 'button', action_id: 'call.page', value: '2' }];
    const container = { type: 'view', view_id: 'V1' };
    const parsed = parseClick({ ...CLICK, view, actions, container, message: undefined }, identity);
    assert.ok(parsed.kind === 'click');
    assert.equal(parsed.detail, '2');
    assert.equal(parsed.place, undefined);
  });
});

describe('a submitted form', () => {
  const FORM = {
    type: 'view_submission',
    api_app_id: 'A1',
    team: { id: 'T1' },
    user: { id: 'U1', team_id: 'T1' },
    view: {
      id: 'V1',
      type: 'modal',
      callback_id: 'call.reply.submit',
      private_metadata: token,
      state: { values: { a: {} } },
    },
  };

  it('is parsed with its token and values', () => {
    const parsed = parseForm(FORM, identity);
    assert.ok(parsed.kind === 'submission');
    assert.deepEqual(parsed.values, { a: {} });
  });

  const refused: readonly [string, Record<string, unknown>, RegExp][] = [
    ['of another workspace', { user: { id: 'U1', team_id: 'T2' } }, /another workspace/],
    ['with an unknown callback', { view: { ...FORM.view, callback_id: 'x' } }, /unknown form/],
    ['with tampered metadata', { view: { ...FORM.view, private_metadata: 'call_x.1.y' } }, /token/],
  ];
  for (const [what, patch, why] of refused) {
    it(`is refused ${what}`, () => {
      const parsed = parseForm({ ...FORM, ...patch }, identity);
      assert.ok(parsed.kind === 'refused');
      assert.match(parsed.why, why);
    });
  }
});
