/** Each Slack payload is one kind of inbound, distinguished as Bolt does it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseInbound } from '../../../src/slack/inbound/parse-inbound.ts';

const identity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const FROM = { api_app_id: 'A1', team: { id: 'T1' }, user: { id: 'U1', team_id: 'T1' } };

type Json = Record<string, unknown>;

const parse = (body: unknown) => parseInbound(body, { identity, now: 0 });
const parseEvent = (event: Json, envelope: Json = {}) =>
  parse({ type: 'event_callback', api_app_id: 'A1', team_id: 'T1', event, ...envelope });

describe('a payload', () => {
  const kinds: readonly [string, unknown, string][] = [
    ['nothing', undefined, 'ignored'],
    ['a text', 'block_actions', 'ignored'],
    ['a type alone', { type: 'block_actions' }, 'ignored'],
    ['a form that was closed', { type: 'view_closed', view: {} }, 'ignored'],
    ['a click', { type: 'block_actions', actions: [] }, 'interaction'],
    ['a form', { type: 'view_submission', view: {} }, 'interaction'],
    ['a shortcut', { type: 'shortcut' }, 'interaction'],
    ['a message action', { type: 'message_action' }, 'interaction'],
    ['a search in a select', { type: 'block_suggestion' }, 'options'],
    ['a command', { command: '/countersign' }, 'command'],
    ['a command with a click', { command: '/countersign', actions: [] }, 'command'],
    ['an event with a click', { event: { type: 'x' }, actions: [] }, 'ignored'],
  ];
  for (const [what, body, kind] of kinds) {
    it(`that is ${what} becomes: ${kind}`, () => assert.equal(parse(body).kind, kind));
  }

  it('with actions is a click whatever its type, and is then refused', () => {
    const inbound = parse({ ...FROM, type: 'view_submission', view: {}, actions: [{}] });
    assert.ok(inbound.kind === 'interaction' && inbound.parsed.kind === 'refused');
    assert.match(inbound.parsed.why, /a press in a payload of type view_submission/);
  });

  it('of a shortcut is always refused', () => {
    const inbound = parse({ ...FROM, type: 'shortcut', callback_id: 'call.approve.submit' });
    assert.ok(inbound.kind === 'interaction' && inbound.parsed.kind === 'refused');
    assert.equal(inbound.parsed.why, 'a shortcut');
  });
});

describe('an event', () => {
  const by = { team: 'T1', user: 'U1' };
  const place = { channel: 'C1', root: '1.1', thread: 'T1/C1/1.1' };
  const stopped = { channel: 'C1', thread_ts: '1.1', user: 'U1', event_ts: '9.5' };
  const started = { user_id: 'U1', channel_id: 'C1', thread_ts: '1.1' };
  const read: readonly [string, Json, object][] = [
    ['app_home_opened', { tab: 'home', user: 'U1' }, { kind: 'home-opened', by }],
    [
      'app_home_opened',
      { tab: 'messages', user: 'U1', channel: 'D1' },
      { kind: 'messages-opened', by, channel: 'D1' },
    ],
    [
      'assistant_thread_started',
      { assistant_thread: started },
      { kind: 'chat-opened', by, ...place },
    ],
    ['agent_session_stopped', stopped, { kind: 'session-stopped', by, ...place, at: 9_500 }],
    [
      'subteam_updated',
      { subteam: { id: 'S1' } },
      { kind: 'group-changed', group: 'usergroup:S1' },
    ],
  ];
  for (const [type, fields, event] of read) {
    it(`${type} is read as ${JSON.stringify(event)}`, () => {
      assert.deepEqual(parseEvent({ type, ...fields }), { kind: 'lifecycle', event });
    });

    it(`${type} is ignored without its fields, or for another installation`, () => {
      const ignored = { kind: 'ignored' };
      assert.deepEqual(parseEvent({ type }), ignored);
      assert.deepEqual(parseEvent({ type, ...fields }, { api_app_id: 'A2' }), ignored);
      assert.deepEqual(parseEvent({ type, ...fields }, { team_id: 'T2' }), ignored);
      assert.deepEqual(parse({ type: 'block_actions', event: { type, ...fields } }), ignored);
    });
  }

  it('that is a message is parsed as a mention or a direct message', () => {
    const hello = { channel: 'C1', user: 'U1', ts: '1.1', text: '<@UBOT> hello' };
    const mention = parseEvent({ type: 'app_mention', ...hello });
    const direct = parseEvent({ type: 'message', channel_type: 'im', ...hello });
    assert.ok(mention.kind === 'message' && direct.kind === 'message');
    assert.deepEqual([mention.isMention, mention.isDirect], [true, false]);
    assert.deepEqual([direct.isMention, direct.isDirect], [false, true]);
    assert.deepEqual([mention.parsed.kind, direct.parsed.kind], ['message', 'message']);
  });
});
