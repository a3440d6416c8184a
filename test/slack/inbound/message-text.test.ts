/** Which text reaches the agent: what was written, forwarded, pasted as a table, or sent with /me. */
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

describe('the text of a message', () => {
  const textOf = (event: Record<string, unknown>) => {
    const parsed = parse(event);
    assert.ok(parsed.kind === 'message', JSON.stringify(parsed));
    return parsed.message.text;
  };
  const words = (text: string) => ({ type: 'text', text });
  const FORWARD = {
    is_share: true,
    is_msg_unfurl: true,
    author_name: 'Lee\nKim',
    text: 'The *row* is <https://a.example|here>',
    fallback: 'fallback',
  };

  it('includes /me messages, with a mention and in a direct message', () => {
    const me = { type: 'message', subtype: 'me_message' };
    assert.equal(textOf({ ...me, channel_type: 'im', text: 'needs a coffee' }), 'needs a coffee');
    assert.equal(
      textOf({ ...me, channel_type: 'channel', text: 'asks <@UBOT> for it' }),
      'asks for it',
    );
  });

  it('includes forwarded messages, marked as somebody else’s, with their files', () => {
    const commented = { ...mention, text: '<@UBOT> what is this?', attachments: [FORWARD] };
    const forward = '(Forwarded; written by Lee Kim:)\n> The *row* is here (https://a.example)';
    assert.equal(textOf(commented), `what is this?\n\n${forward}`);
    assert.equal(textOf({ ...commented, text: '<@UBOT>' }), forward);
    const direct = { type: 'message', channel_type: 'im', text: '' };
    assert.equal(textOf({ ...direct, attachments: [FORWARD] }), forward);
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [words('whole')] }] },
    ];
    const inBlocks = { ...FORWARD, text: 'cut…', message_blocks: [{ message: { blocks } }] };
    assert.match(textOf({ ...direct, attachments: [inBlocks] }), /\n> whole$/);
    const parsed = parse({
      ...direct,
      attachments: [{ ...FORWARD, files: [{ id: 'F9', name: 'b.txt' }] }],
    });
    assert.deepEqual(parsed.kind === 'message' && parsed.message.files?.map(({ id }) => id), [
      'F9',
    ]);
  });

  it('includes tables, lists and code of its blocks as Markdown, without the mention', () => {
    const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
    const us = { type: 'user', user_id: 'UBOT' };
    const list = {
      type: 'rich_text_list',
      style: 'ordered',
      indent: 0,
      elements: [section(words('one')), section(words('two'))],
    };
    const code = { type: 'rich_text_preformatted', elements: [words('rm -rf x')] };
    const table = {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'a' },
          { type: 'raw_text', text: 'b|c' },
        ],
        [
          { type: 'raw_number', value: 1, text: '1' },
          { type: 'rich_text', elements: [section(words('x'))] },
        ],
      ],
    };
    const blocks = [
      { type: 'rich_text', elements: [section(us, words(' do')), list, code] },
      table,
    ];
    assert.equal(
      textOf({ ...mention, text: '<@UBOT> do', blocks }),
      [
        'do',
        '1. one',
        '2. two',
        '```',
        'rm -rf x',
        '```',
        '',
        '| a | b\\|c |',
        '| --- | --- |',
        '| 1 | x |',
      ].join('\n'),
    );
  });

  it('comes from the text field if its blocks are plain too', () => {
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [words('other')] }] },
    ];
    assert.equal(textOf({ ...mention, blocks }), 'delete staging row 7');
  });
});
