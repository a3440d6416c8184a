import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMessage } from '../../../src/slack/inbound/parse-message.ts';

const identity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const NOW = 1_700_000_000_000;

function parse(event: Record<string, unknown>, envelope: Record<string, unknown> = {}) {
  const body = {
    type: 'event_callback',
    api_app_id: 'A1',
    team_id: 'T1',
    event: { channel: 'C1', user: 'U1', ts: '1700000000.000100', ...event },
    ...envelope,
  };
  return parseMessage(body, { identity, now: NOW });
}

const mention = { type: 'app_mention', text: '<@UBOT> delete staging row 7' };

describe('a message to the agent', () => {
  it('is a mention, without the mention in its text', () => {
    assert.deepEqual(parse(mention), {
      kind: 'message',
      onlyIfInThread: false,
      message: {
        id: 'T1/C1/1700000000.000100',
        thread: 'T1/C1/1700000000.000100',
        author: { team: 'T1', user: 'U1' },
        ts: '1700000000.000100',
        text: 'delete staging row 7',
        receivedAt: NOW,
      },
    });
  });

  it('of only blanks is parsed fast, however many there are', () => {
    const startedAt = performance.now();
    const parsed = parse({ ...mention, text: `<@UBOT> a${' '.repeat(300_000)}b \n <@UBOT>: c` });
    assert.ok(performance.now() - startedAt < 1_000);
    assert.match(parsed.kind === 'message' ? parsed.message.text : '', /^a {300000}b c$/);
  });

  it('has one id under both event types, whatever the event ids', () => {
    const asMessage = parse(
      { ...mention, type: 'message', channel_type: 'channel' },
      { event_id: 'E2' },
    );
    assert.deepEqual(asMessage, parse(mention, { event_id: 'E1' }));
  });

  it('looks back only if it mentions the app in a thread, under both event types', () => {
    const inThread = { ...mention, thread_ts: '1.1' };
    const looksBack = (event: Record<string, unknown>) => {
      const parsed = parse(event);
      return parsed.kind === 'message' && parsed.message.looksBack;
    };
    assert.equal(looksBack(inThread), true);
    assert.equal(looksBack({ ...inThread, type: 'message', channel_type: 'group' }), true);
    assert.equal(looksBack(mention), undefined);
    const said = { type: 'message', thread_ts: '1.1', text: 'hi' };
    assert.equal(looksBack({ ...said, channel_type: 'channel' }), undefined);
    assert.equal(looksBack({ ...said, text: mention.text, channel_type: 'im' }), undefined);
  });

  const taken: readonly [string, Record<string, unknown>, string, boolean][] = [
    [
      'a top-level direct message',
      { type: 'message', channel_type: 'im', text: 'hi' },
      'T1/C1/1700000000.000100',
      false,
    ],
    [
      'a reply in a direct message',
      { type: 'message', channel_type: 'im', text: 'hi', thread_ts: '1.1' },
      'T1/C1/1.1',
      false,
    ],
    [
      'a reply in a thread',
      { type: 'message', channel_type: 'channel', text: 'hi', thread_ts: '1.1' },
      'T1/C1/1.1',
      true,
    ],
    ['a mention in a thread', { ...mention, thread_ts: '1.1' }, 'T1/C1/1.1', false],
    [
      'a parent that names itself',
      { ...mention, thread_ts: '1700000000.000100' },
      'T1/C1/1700000000.000100',
      false,
    ],
    [
      'a broadcast reply',
      { ...mention, type: 'message', subtype: 'thread_broadcast', thread_ts: '1.1' },
      'T1/C1/1.1',
      false,
    ],
    [
      'a home user where the channel is another workspace’s',
      { ...mention, user_team: 'T1', source_team: 'TEXT' },
      'T1/C1/1700000000.000100',
      false,
    ],
  ];
  for (const [what, event, thread, onlyIfInThread] of taken) {
    it(`is ${what}`, () => {
      const parsed = parse(event);
      assert.ok(parsed.kind === 'message', JSON.stringify(parsed));
      assert.equal(parsed.message.thread, thread);
      assert.equal(parsed.onlyIfInThread, onlyIfInThread);
    });
  }

  const ignored: readonly [string, Record<string, unknown>, Record<string, unknown>?][] = [
    [
      'an unfurl of it',
      { type: 'message', subtype: 'message_changed', message: mention, previous_message: mention },
    ],
    ['a deletion', { type: 'message', subtype: 'message_deleted', deleted_ts: '1.1' }],
    ['an edit that carries the mention', { ...mention, edited: { user: 'U1', ts: '1.2' } }],
    [
      'our own message by bot id',
      {
        type: 'message',
        subtype: 'bot_message',
        bot_id: 'BOWN',
        user: undefined,
        thread_ts: '1.1',
      },
    ],
    ['our own message by user', { ...mention, user: 'UBOT' }],
    ['our own message by profile', { ...mention, bot_profile: { app_id: 'A1' } }],
    ['another bot that mentions us', { ...mention, bot_id: 'B2' }],
    ['another app’s message', { ...mention, app_id: 'A2' }],
    ['a message to nobody', { type: 'message', channel_type: 'channel', text: 'lunch?' }],
    ['a join', { type: 'message', subtype: 'channel_join', text: '<@UBOT>' }],
    ['a reaction', { type: 'reaction_added' }],
    ['an event of another app', mention, { api_app_id: 'A2' }],
    [
      'an event of another workspace’s installation',
      mention,
      { authorizations: [{ team_id: 'T2' }] },
    ],
    ['an event without a place', { ...mention, channel: 'C/1' }],
    ['an event without a time', { ...mention, ts: 'undefined' }],
  ];
  for (const [what, event, envelope] of ignored) {
    it(`is not ${what}`, () => {
      assert.equal(parse(event, envelope).kind, 'ignore');
    });
  }

  it('is refused from a member of another workspace, who is named', () => {
    for (const foreign of [{ user_team: 'TEXT' }, { team: 'TEXT' }, { source_team: 'TEXT' }]) {
      const parsed = parse({ ...mention, ...foreign });
      assert.ok(parsed.kind === 'refuse');
      assert.deepEqual(parsed.person, { team: 'TEXT', user: 'U1' });
    }
  });

  it('is refused once if Slack sends two events', () => {
    const twin = { ...mention, type: 'message', user_team: 'TEXT' };
    assert.equal(parse({ ...twin, channel_type: 'channel' }).kind, 'ignore');
    assert.equal(parse({ ...twin, channel_type: 'im' }).kind, 'refuse');
  });

  it('from another workspace is not refused if it is not for the agent', () => {
    const parsed = parse({
      type: 'message',
      channel_type: 'channel',
      text: 'hi',
      user_team: 'TEXT',
    });
    assert.equal(parsed.kind, 'ignore');
  });

  it('has another key than one with the same time in another channel', () => {
    const [a, b] = [parse(mention), parse({ ...mention, channel: 'C2' })];
    assert.ok(a.kind === 'message' && b.kind === 'message');
    assert.notEqual(a.message.thread, b.message.thread);
  });

  const texts: readonly [string, string][] = [
    ['AT&amp;T &lt;b&gt; &amp;lt;', 'AT&T <b> &lt;'],
    ['see <https://a.example/?p=1&amp;q=2>', 'see https://a.example/?p=1&q=2'],
    ['<https://evil.example|bank.example>', 'bank.example (https://evil.example)'],
    ['<http://a.example|a.example>', 'http://a.example'],
    ['<mailto:a@b.c|a@b.c>', 'a@b.c'],
    ['<#C1|general> <@U2> <!here>', '#general <@U2> @here'],
    ['<@UBOT>', '(an empty message: only the mention)'],
    ['hey <@UBOT>, do it', 'hey do it'],
  ];
  for (const [raw, text] of texts) {
    it(`reads ${raw} as ${text}`, () => {
      const parsed = parse({ ...mention, text: raw });
      assert.ok(parsed.kind === 'message');
      assert.equal(parsed.message.text, text);
    });
  }

  const shared = { type: 'message', subtype: 'file_share', channel_type: 'im' };
  const hosted = {
    id: 'F1',
    name: 'a.pdf',
    mimetype: 'application/pdf',
    size: 3,
    mode: 'hosted',
    url_private: 'https://files.slack.com/files-pri/T1-F1/a.pdf',
    url_private_download: 'https://files.slack.com/files-pri/T1-F1/download/a.pdf',
  };

  it('has the attached files, and the text that the person wrote', () => {
    const parsed = parse({ ...shared, text: 'read this', files: [hosted] });
    assert.ok(parsed.kind === 'message');
    assert.equal(parsed.message.text, 'read this');
    assert.deepEqual(parsed.message.files, [
      {
        id: 'F1',
        name: 'a.pdf',
        mimeType: 'application/pdf',
        size: 3,
        url: 'https://files.slack.com/files-pri/T1-F1/download/a.pdf',
      },
    ]);
  });

  it('of files alone is accepted, with one line of text that says so', () => {
    const files = [hosted, { ...hosted, id: 'F2', name: 'b\n<@U1>.png' }];
    const parsed = parse({ ...shared, text: '', files });
    assert.ok(parsed.kind === 'message');
    assert.equal(parsed.message.text, '(no text, only a.pdf, b ‹@U1›.png)');
    assert.equal(parsed.message.files?.length, 2);
  });

  for (const [what, patch] of [
    ['that lies elsewhere', { mode: 'external', is_external: true }],
    ['that Slack has to be asked about', { file_access: 'check_file_info' }],
    ['without an address', { url_private: undefined, url_private_download: undefined }],
  ] as const) {
    it(`gives a file ${what} no address`, () => {
      const parsed = parse({ ...shared, text: '', files: [{ ...hosted, ...patch }] });
      assert.ok(parsed.kind === 'message');
      assert.equal(parsed.message.files?.[0]?.url, undefined);
    });
  }

  it('is never an unknown payload', () => {
    for (const body of [undefined, null, 'x', {}, { type: 'block_actions' }]) {
      assert.equal(parseMessage(body, { identity, now: NOW }).kind, 'ignore');
    }
  });
});

describe('a message below a top-level message of ours', () => {
  const below = { thread_ts: '1600000000.000100', parent_user_id: 'UBOT' };

  it('is an aside, addressed to us if it mentions us', () => {
    const plain = parse({ ...below, type: 'message', channel_type: 'group', text: 'yes' });
    assert.deepEqual(
      [
        plain.kind,
        plain.kind === 'aside' && plain.isToUs,
        plain.kind === 'aside' && plain.message.text,
      ],
      ['aside', false, 'yes'],
    );
    const toUs = parse({ ...mention, ...below });
    assert.deepEqual([toUs.kind, toUs.kind === 'aside' && toUs.isToUs], ['aside', true]);
  });

  it('is an ordinary message in a direct message, and below a person’s message', () => {
    const direct = parse({ ...below, type: 'message', channel_type: 'im', text: 'yes' });
    assert.equal(direct.kind, 'message');
    const other = { ...below, parent_user_id: 'U2', type: 'message', channel_type: 'group' };
    assert.equal(parse({ ...other, text: 'yes' }).kind, 'message');
  });
});
