/** What Slack's own client makes of responses that are not Slack's. The desk retries, and drops nothing. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebAPIPlatformError, WebClient } from '@slack/web-api';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { clientOptions } from '../../../src/slack/transport/connect-slack.ts';
import { slackErrorName, toChatError } from '../../../src/slack/transport/slack-errors.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const respondWith =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
const limited = (retryAfter?: string) =>
  respondWith(429, '{}', retryAfter === undefined ? {} : { 'retry-after': retryAfter });
const begin = (then: (response: ServerResponse) => void) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': '99' });
  response.write('{"ok":', () => then(response));
};

const ANSWERS: readonly (readonly [
  string,
  (response: ServerResponse) => void,
  code: ChatError['code'],
  retryAfterMs?: number,
])[] = [
  ['429 for seven seconds', limited('7'), 'rate-limited', 7_000],
  ['429 without a time', limited(), 'rate-limited', 30_000],
  ['429 with an empty time', limited(''), 'rate-limited', 30_000],
  ['429 with a date', limited('Sat, 28 Nov 2026 21:00:00 GMT'), 'rate-limited', 30_000],
  ['429 for no time', limited('0'), 'rate-limited', 1_000],
  ['429 for less than none', limited('-5'), 'rate-limited', 1_000],
  ['429 for thousands of years', limited('99999999999'), 'rate-limited', 600_000],
  [
    'a page',
    respondWith(200, `<html>${'Sign in to the network. '.repeat(99)}</html>`),
    'temporary',
  ],
  ['nothing', respondWith(200, ''), 'temporary'],
  ['a list', respondWith(200, '[]'), 'temporary'],
  ['a refusal without a name', respondWith(200, '{"ok":false}'), 'temporary'],
  [
    'a refusal whose error is no string',
    respondWith(200, '{"ok":false,"error":{"a":1}}'),
    'temporary',
  ],
  ['bytes that can’t be read', respondWith(200, 'x', { 'content-encoding': 'gzip' }), 'temporary'],
  ['half an answer', begin((response) => response.destroy()), 'temporary'],
  ['half an answer, and then silence', begin(() => {}), 'temporary'],
  ['a refusal', respondWith(200, '{"ok":false,"error":"invalid_blocks"}'), 'rejected'],
];

describe('a response that is not Slack’s', () => {
  let answer: (response: ServerResponse) => void = () => {};
  let client: WebClient;
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = { botToken: 'xoxb-1', apiUrl: `http://127.0.0.1:${port}/api/` };
    client = new WebClient('xoxb-1', { ...clientOptions(config, SILENT), timeout: 200 });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [what, given, code, retryAfterMs] of ANSWERS) {
    it(`${what} is ${code}`, async () => {
      answer = given;
      const error: unknown = await client.chat.postMessage({ channel: 'C1', text: 'x' }).then(
        () => assert.fail('It was taken for an answer.'),
        (thrown: unknown) => thrown,
      );
      const chatError = toChatError(error, 'post the card');
      assert(chatError instanceof ChatError);
      assert.deepEqual([chatError.code, chatError.retryAfterMs], [code, retryAfterMs]);
      assert.equal(slackErrorName(error), code === 'rejected' ? 'invalid_blocks' : undefined);
      assert(chatError.message.length < 200, chatError.message);
    });
  }
});

/** Every error that Slack documents for our write methods. https://docs.slack.dev/reference/methods */
const NAMED: Readonly<Record<string, ChatError['code']>> = {
  block_mismatch: 'gone',
  cannot_provide_both_markdown_text_and_chunks: 'rejected',
  cannot_reply_to_message: 'undeliverable',
  cant_update_message: 'gone',
  channel_not_found: 'undeliverable',
  channel_type_not_supported: 'rejected',
  duplicate_external_id: 'rejected',
  edit_window_closed: 'gone',
  exchanged_trigger_id: 'rejected',
  expired_trigger_id: 'rejected',
  feature_disabled: 'rejected',
  hash_conflict: 'rejected',
  internal_error: 'temporary',
  invalid_arguments: 'rejected',
  invalid_blocks: 'rejected',
  invalid_chunks: 'rejected',
  invalid_message: 'rejected',
  invalid_name: 'rejected',
  invalid_status: 'rejected',
  invalid_thread_ts: 'undeliverable',
  invalid_trigger_id: 'rejected',
  invalid_view: 'rejected',
  is_archived: 'undeliverable',
  markdown_text_conflict: 'rejected',
  message_not_found: 'gone',
  message_not_in_streaming_state: 'rejected',
  message_not_owned_by_app: 'gone',
  messages_tab_disabled: 'undeliverable',
  method_not_supported_for_channel_type: 'rejected',
  missing_recipient_team_id: 'rejected',
  missing_recipient_user_id: 'rejected',
  msg_blocks_too_long: 'rejected',
  msg_blocks_too_many: 'rejected',
  msg_too_long: 'rejected',
  name_taken: 'rejected',
  not_agent_app: 'rejected',
  not_authorized: 'undeliverable',
  not_subscribed_to_message_stream_stopped: 'rejected',
  rate_limited: 'rate-limited',
  ratelimited: 'rate-limited',
  restricted_action: 'undeliverable',
  restricted_action_non_threadable_channel: 'undeliverable',
  restricted_action_read_only_channel: 'undeliverable',
  restricted_action_thread_locked: 'undeliverable',
  restricted_action_thread_only_channel: 'undeliverable',
  session_not_found: 'rejected',
  stopped_by_user: 'rejected',
  streaming_state_conflict: 'temporary',
  thread_ts_not_allowed: 'rejected',
  thread_ts_required: 'rejected',
  trigger_exchanged: 'rejected',
  trigger_expired: 'rejected',
  user_not_found: 'undeliverable',
  view_too_large: 'rejected',
};

describe('an error that Slack documents', () => {
  for (const [name, code] of Object.entries(NAMED)) {
    it(`${name} is ${code}, with a sentence that explains it`, () => {
      const chatError = toChatError(
        new WebAPIPlatformError({ ok: false, error: name }),
        'post the card',
      );
      assert.equal(chatError.code, code);
      assert.match(
        chatError.message,
        new RegExp(`^Could not post the card \\(${name}\\)\\. .{15,}\\.$`),
      );
    });
  }
});
