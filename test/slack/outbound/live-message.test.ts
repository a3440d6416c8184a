/** Live messages on the simulated workspace, with Slack's failures. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../../src/domain/calls/call.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import type { ApiFault, Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { disarmMentions } from '../../../src/slack/text/mrkdwn.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { hasStop, type LiveLab, markdownOf, setLiveLab } from '../support/live-lab.ts';

const FIVE_MINUTES = 300_000;
const LIVE_MENTION = /<(?:[@#][A-Z0-9]|!(?:channel|here|everyone|subteam|date)\b)/i;

describe('a live message', () => {
  let lab: LiveLab;
  let workspace: Workspace;
  let clock: ManualClock;
  let client: WebClient;
  before(async () => {
    lab = await setLiveLab();
    ({ workspace, clock, client } = lab);
  });
  after(() => workspace.stop());
  beforeEach(() => workspace.faults.clear());

  const inChannel = (where?: 'channel' | 'direct') => lab.inChannel(where);
  const benchFor = (thread: ThreadKey, left?: CardPlace) => lab.benchFor(thread, left);
  const fail = (method: string, fault: ApiFault, times = 1) =>
    workspace.faults.api(method, fault, times);

  for (const where of ['channel', 'direct'] as const) {
    it(`streams in a ${where}, with a stop button and the tools`, async () => {
      const bench = await inChannel(where);
      await bench.draw('Hello ', [{ id: 'c1', tool: 'read_file', status: 'in_progress' }]);
      await bench.draw('Hello you', [{ id: 'c1', tool: 'read_file', status: 'complete' }]);
      const [message, ...others] = bench.messages();
      assert.deepEqual(others, []);
      assert.ok(message?.streaming && hasStop(message));
      assert.equal(markdownOf(message), 'Hello you');
      assert.match(JSON.stringify(message?.blocks), /"title":"read_file","status":"complete"/);
      await bench.say('Hello you, all of it.');
      const [answer] = bench.messages();
      assert.equal(answer?.ts, message?.ts);
      assert.equal(markdownOf(answer), 'Hello you, all of it.');
      assert.ok(!answer?.streaming && !hasStop(answer));
      assert.equal(answer?.metadata?.event_payload.id, 'say-1');
    });
  }

  const faults: readonly [string, readonly [string, ApiFault][]][] = [
    ['the start is refused', [['chat.startStream', { kind: 'error', error: 'method_deprecated' }]]],
    [
      'the start has no recipient',
      [['chat.startStream', { kind: 'error', error: 'missing_recipient_user_id' }]],
    ],
    [
      'the start has chunks that Slack does not know',
      [['chat.startStream', { kind: 'error', error: 'invalid_chunks' }]],
    ],
    [
      'the start has two texts',
      [
        [
          'chat.startStream',
          { kind: 'error', error: 'cannot_provide_both_markdown_text_and_chunks' },
        ],
      ],
    ],
    [
      'the start is asked to wait',
      [['chat.startStream', { kind: 'rate-limited', retryAfterS: 1 }]],
    ],
    ['the start works and says nothing', [['chat.startStream', { kind: 'lost' }]]],
    ['the start breaks', [['chat.startStream', { kind: 'status', status: 503 }]]],
    [
      'neither a stream nor a message begins at first',
      [
        ['chat.startStream', { kind: 'error', error: 'missing_scope' }],
        ['chat.postMessage', { kind: 'lost' }],
      ],
    ],
    [
      'an append is asked to wait',
      [['chat.appendStream', { kind: 'rate-limited', retryAfterS: 1 }]],
    ],
    ['an append works and says nothing', [['chat.appendStream', { kind: 'lost' }]]],
    ['an append is never answered', [['chat.appendStream', { kind: 'hang' }]]],
    ['an append breaks', [['chat.appendStream', { kind: 'status', status: 500 }]]],
    [
      'an append has chunks that Slack does not know',
      [['chat.appendStream', { kind: 'error', error: 'invalid_chunks' }]],
    ],
    ['an append is too long', [['chat.appendStream', { kind: 'error', error: 'msg_too_long' }]]],
    [
      'an append and the stop are refused',
      [
        ['chat.appendStream', { kind: 'error', error: 'internal_error' }],
        ['chat.stopStream', { kind: 'error', error: 'internal_error' }],
      ],
    ],
    [
      'the stream has ended',
      [['chat.appendStream', { kind: 'error', error: 'message_not_in_streaming_state' }]],
    ],
    [
      'an append is lost and the update too long',
      [
        ['chat.appendStream', { kind: 'lost' }],
        ['chat.update', { kind: 'error', error: 'msg_too_long' }],
      ],
    ],
  ];
  for (const [what, set] of faults) {
    it(`loses no text when ${what}`, async () => {
      const bench = await inChannel();
      for (const [method, fault] of set) fail(method, fault);
      const shown: string[] = [];
      for (const text of ['one ', 'one two ', 'one two three ']) {
        await bench.draw(text);
        shown.push(markdownOf(bench.messages()[0]));
        assert.equal(bench.messages().length, 1);
      }
      for (const each of shown) assert.ok('one two three '.startsWith(each), JSON.stringify(shown));
      workspace.faults.clear();
      await bench.say('one two three four');
      assert.deepEqual(bench.messages().map(markdownOf), ['one two three four']);
      assert.ok(!hasStop(bench.messages()[0]));
    });
  }

  it('continues by updates when Slack has ended the stream after five minutes', async () => {
    const bench = await inChannel();
    await bench.draw('one ');
    await clock.advance(FIVE_MINUTES);
    await bench.draw('one two ');
    const [message, ...others] = bench.messages();
    assert.deepEqual(others, []);
    assert.equal(markdownOf(message), 'one two ');
    assert.ok(!message?.streaming && hasStop(message));
  });

  it('starts over by an update when the earlier text changes', async () => {
    const bench = await inChannel();
    await bench.draw('one two ');
    await bench.draw('else ');
    assert.deepEqual(bench.messages().map(markdownOf), ['else ']);
  });

  it('writes once per redraw, and not at all if nothing is new', async () => {
    const bench = await inChannel();
    const calls = () => workspace.journal.filter(({ kind }) => kind === 'api').length;
    await bench.draw('');
    await bench.draw('one ');
    const before = calls();
    await bench.draw('one ');
    assert.equal(calls(), before);
    await bench.draw('one two ');
    assert.equal(calls(), before + 1);
  });

  it('continues the message of an earlier process, even if that never learned its place', async () => {
    const first = await inChannel();
    await first.draw('one ');
    const { channel = '', ts = '' } = first.live.place() ?? {};
    for (const left of [
      { channel, ts },
      { channel, ts: '' },
    ]) {
      const second = benchFor(first.thread, left);
      await second.draw('one two ');
      assert.deepEqual(second.messages().map(markdownOf), ['one two ']);
      assert.equal(second.live.place()?.ts, ts);
    }
  });

  it('can be deleted, also if it is already gone', async () => {
    const bench = await inChannel();
    await bench.draw('one ');
    await bench.clear();
    assert.deepEqual(bench.messages(), []);
    await bench.clear();
  });

  it('becomes a new message when somebody deleted it', async () => {
    const bench = await inChannel();
    await bench.draw('one ');
    const { channel = '', ts = '' } = bench.live.place() ?? {};
    await client.chat.delete({ channel, ts });
    await bench.draw('one two ');
    await bench.say('one two three');
    assert.deepEqual(bench.messages().map(markdownOf), ['one two three']);
  });

  it('leaves no partial message beside the answer when Slack refuses the update', async () => {
    const bench = await inChannel();
    await bench.draw('one ');
    fail('chat.update', { kind: 'error', error: 'edit_window_closed' });
    await bench.say('one two three');
    assert.deepEqual(bench.messages().map(markdownOf), ['one two three']);
  });

  it('becomes the first part of a long answer; the further parts follow once, also after a retry', async () => {
    const bench = await inChannel();
    const text = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(' ');
    await bench.draw(text);
    assert.ok(markdownOf(bench.messages()[0]).length <= 10_000);
    const place = bench.live.place();
    fail('chat.postMessage', { kind: 'lost' });
    await assert.rejects(bench.say(text));
    await bench.say(text, { lookFirst: true, ...(place && { live: place }) });
    await bench.say(text, { lookFirst: true, ...(place && { live: place }) });
    assert.equal(bench.messages().map(markdownOf).join(' '), text);
    assert.equal(bench.messages()[0]?.ts, place?.ts);
  });

  it('is split into smaller parts when Slack finds one too long, each posted once, also after a retry', async () => {
    const bench = await inChannel();
    const text = Array.from({ length: 600 }, (_, i) => `word-number-${i}`).join(' ');
    await bench.draw(text.slice(0, 500));
    const place = bench.live.place();
    fail('chat.update', { kind: 'error', error: 'msg_too_long' });
    fail('chat.postMessage', { kind: 'lost' });
    await assert.rejects(bench.say(text));
    await bench.say(text, { lookFirst: true, ...(place && { live: place }) });
    assert.ok(bench.messages().length > 1);
    assert.equal(bench.messages().map(markdownOf).join(' '), text);
    assert.equal(bench.messages()[0]?.ts, place?.ts);
  });

  it('triggers no mention, wherever its text is cut', async () => {
    const bench = await inChannel();
    const text = 'Hi <!channel> and <@U123> and <#C1|x> and <!subteam^S1> \u{1F600} end <';
    for (let end = 1; end <= text.length; end += 3) {
      await bench.draw(text.slice(0, end));
      assert.doesNotMatch(markdownOf(bench.messages()[0]), LIVE_MENTION);
    }
    assert.ok(disarmMentions(text).startsWith(markdownOf(bench.messages()[0])));
  });
});
