/** Cards and messages on the simulated workspace, with Slack's failures. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import type { ApiFault } from '../../../src/playground/workspace/workspace-port.ts';
import { type SlackStage, setSlackStage } from '../support/slack-stage.ts';

describe('the chat', () => {
  let stage: SlackStage;
  before(async () => {
    stage = await setSlackStage('http');
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  const fail = (method: string, fault: ApiFault, times = 1) =>
    stage.workspace.faults.api(method, fault, times);
  const inThread = (call: Call) => {
    const root = call.thread.split('/')[2];
    return stage.workspace.see('requester').messages.filter(({ threadTs }) => threadTs === root);
  };
  const draw = (call: Call, lookFirst = false, place = stage.places.get(call.id)) =>
    stage.chat.drawCard(call, place, { lookFirst });
  const isError = (code: ChatError['code']) => (error: unknown) =>
    error instanceof ChatError && error.code === code;

  function aSay(call: Call, patch: Partial<OutboxMessage>): OutboxMessage {
    return { id: 'say-1', thread: call.thread, kind: 'answer', text: 'hi', createdAt: 1, ...patch };
  }

  it('posts a card into its thread, with the call as metadata, and redraws it in place', async () => {
    const call = await stage.callIn();
    const place = await draw(call);
    const posted = stage.message(place);
    assert.equal(posted?.threadTs, call.thread.split('/')[2]);
    assert.deepEqual(posted?.metadata?.event_payload, { call_id: call.id });
    assert.deepEqual(await draw({ ...call, status: 'ignored' }, false, place), place);
    assert.ok(!JSON.stringify(stage.message(place)?.blocks).includes('call.approve'));
    assert.equal(inThread(call).length, 1);
  });

  it('finds a card whose post got no response, and posts no second one', async () => {
    const call = await stage.callIn();
    fail('chat.postMessage', { kind: 'lost' });
    await assert.rejects(draw(call), isError('temporary'));
    const place = await draw(call, true);
    assert.equal(inThread(call).length, 1);
    assert.equal(place.ts, inThread(call)[0]?.ts);
  });

  it('distinguishes two calls of one thread when it looks for a card', async () => {
    const call = await stage.callIn();
    await draw(call);
    const twin = { ...call, id: `${call.id}x` };
    const place = await draw(twin, true);
    assert.equal(inThread(call).length, 2);
    assert.equal(place.ts, inThread(call)[1]?.ts);
  });

  const errors: readonly [string, ApiFault, ChatError['code']][] = [
    ['the channel is not there', { kind: 'error', error: 'channel_not_found' }, 'undeliverable'],
    ['the app is not in the channel', { kind: 'error', error: 'not_in_channel' }, 'undeliverable'],
    ['the channel is archived', { kind: 'error', error: 'is_archived' }, 'undeliverable'],
    ['Slack is busy', { kind: 'rate-limited', retryAfterS: 9 }, 'rate-limited'],
    ['Slack breaks', { kind: 'status', status: 503, body: '<html>' }, 'temporary'],
    ['the token is bad', { kind: 'error', error: 'invalid_auth' }, 'unauthorized'],
    ['the blocks are bad', { kind: 'error', error: 'invalid_blocks' }, 'rejected'],
  ];
  for (const [what, fault, code] of errors) {
    it(`throws ${code} when ${what}, after one attempt`, async () => {
      const call = await stage.callIn();
      fail('chat.postMessage', fault);
      await assert.rejects(draw(call), isError(code));
      assert.equal(inThread(call).length, 0);
    });
  }

  it('says when to retry', async () => {
    const call = await stage.callIn();
    fail('chat.postMessage', { kind: 'rate-limited', retryAfterS: 9 });
    await assert.rejects(draw(call), (error) => (error as ChatError).retryAfterMs === 9_000);
  });

  it('reports that a card was deleted', async () => {
    const call = await stage.callIn();
    fail('chat.update', { kind: 'error', error: 'message_not_found' });
    await assert.rejects(draw(call, false, await draw(call)), isError('gone'));
  });

  it('posts a long answer in full, and continues after the last posted part on a retry', async () => {
    const call = await stage.callIn();
    const text = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(' ');
    const say = aSay(call, { text });
    const posts = stage.workspace.journal.filter(({ name }) => name === 'chat.postMessage').length;
    await stage.chat.postOutboxMessage(say, { lookFirst: false });
    const whole = inThread(call).length;
    assert.ok(whole > 1);
    await stage.chat.postOutboxMessage(say, { lookFirst: true });
    assert.equal(inThread(call).length, whole);
    const again = stage.workspace.journal.filter(({ name }) => name === 'chat.postMessage').length;
    assert.equal(again - posts, whole);
    const said = inThread(call).map(({ blocks }) => (blocks[0] as { text: string }).text);
    assert.equal(said.join(' '), text);
  });

  const blocksOf = (call: Call) => inThread(call).map(({ blocks }) => blocks.map((b) => b.type));
  const TURN = 'T1/C1/1.1';

  it('replaces an earlier message, also on a retry, and posts nothing if that is gone', async () => {
    const call = await stage.callIn();
    const reminder = aSay(call, { id: 'reminder:1', kind: 'notice', text: 'Still open' });
    await stage.chat.postOutboxMessage(reminder, { lookFirst: false });
    const replaces = { id: 'reminder:1', createdAt: reminder.createdAt };
    const over = { ...reminder, id: 'reminder-over:1', text: 'No longer open', replaces };
    for (const lookFirst of [false, true]) await stage.chat.postOutboxMessage(over, { lookFirst });
    const texts = () => inThread(call).map(({ text }) => text);
    assert.deepEqual(texts(), ['No longer open']);
    const gone = { ...over, id: 'reminder-over:2', replaces: { ...replaces, id: 'reminder:2' } };
    await stage.chat.postOutboxMessage(gone, { lookFirst: false });
    assert.deepEqual(texts(), ['No longer open']);
  });

  it('puts footer and buttons only below the last part of an answer', async () => {
    const call = await stage.callIn();
    const text = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(' ');
    const say = aSay(call, { id: 'say-5', text, turn: TURN, foot: '9 tokens in <!channel>' });
    await stage.chat.postOutboxMessage(say, { lookFirst: false });
    const blocks = blocksOf(call);
    assert.ok(blocks.length > 1);
    const first = blocks.slice(0, -1);
    assert.deepEqual(
      first,
      first.map(() => ['markdown']),
    );
    assert.deepEqual(blocks.at(-1), ['markdown', 'context', 'context_actions']);
    const below = JSON.stringify(inThread(call).at(-1)?.blocks.slice(1));
    assert.match(below, /"T1\/C1\/1\.1 good".*"T1\/C1\/1\.1 bad"/);
    assert.ok(!below.includes('<!channel>'));
  });

  it('posts an answer without rating buttons if Slack refuses them', async () => {
    const call = await stage.callIn();
    fail('chat.postMessage', { kind: 'error', error: 'invalid_blocks' });
    const say = aSay(call, { id: 'say-6', turn: TURN, foot: '9 tokens in' });
    await stage.chat.postOutboxMessage(say, { lookFirst: false });
    assert.deepEqual(blocksOf(call), [['markdown', 'context']]);
    fail('chat.postMessage', { kind: 'error', error: 'invalid_blocks' });
    const plain = aSay(call, { id: 'say-7' });
    await assert.rejects(
      stage.chat.postOutboxMessage(plain, { lookFirst: false }),
      isError('rejected'),
    );
  });

  it('asks for no rating outside the thread of the turn', async () => {
    const call = await stage.callIn();
    fail('chat.postMessage', { kind: 'error', error: 'is_archived' });
    const say = aSay(call, { id: 'say-8', text: 'elsewhere', to: call.requester, turn: TURN });
    await stage.chat.postOutboxMessage(say, { lookFirst: false });
    const direct = stage.workspace.see('requester').messages.at(-1);
    assert.match(JSON.stringify(direct?.blocks), /elsewhere/);
    assert.doesNotMatch(JSON.stringify(direct?.blocks), /context_actions/);
  });

  it('sends every message with unfurls off', () => {
    const posts = stage.workspace.journal.filter(({ name }) => name === 'chat.postMessage');
    assert.ok(posts.length > 0);
    for (const { request } of posts) {
      const { unfurl_links, unfurl_media } = request as Record<string, unknown>;
      assert.deepEqual([String(unfurl_links), String(unfurl_media)], ['false', 'false']);
    }
  });

  it('posts private text to one person only', async () => {
    const call = await stage.callIn();
    await stage.chat.postOutboxMessage(
      aSay(call, { kind: 'private', to: call.requester, text: 'psst' }),
      {
        lookFirst: false,
      },
    );
    const mine = inThread(call).at(-1);
    assert.equal(mine?.visibleTo, call.requester.user);
    assert.ok(!JSON.stringify(stage.workspace.see('approver').messages).includes('psst'));
  });

  it('sends a direct message with the reason if it can’t post in the thread', async () => {
    const call = await stage.callIn();
    fail('chat.postMessage', { kind: 'error', error: 'is_archived' });
    const say = aSay(call, { id: 'say-2', text: 'the answer', to: call.requester });
    await stage.chat.postOutboxMessage(say, { lookFirst: false });
    const { id } = await stage.workspace.directMessage('requester');
    const direct = stage.workspace
      .see('requester')
      .messages.filter(({ channel }) => channel === id);
    assert.match(JSON.stringify(direct.at(-2)?.blocks), /archived/);
    assert.match(JSON.stringify(direct.at(-1)?.blocks), /the answer/);
    fail('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' });
    await stage.chat.postOutboxMessage(
      aSay(call, { kind: 'private', to: call.requester, text: 'psst 2' }),
      {
        lookFirst: false,
      },
    );
    assert.match(JSON.stringify(stage.workspace.see('requester').messages.at(-1)), /psst 2/);
  });

  const WORKING = {
    session: 'processing',
    words: 'is thinking…',
    title: 'Tidy up\nplease',
  } as const;
  const legacyCalls = () =>
    stage.workspace.journal.filter(({ name }) => name === 'assistant.threads.setStatus');

  it('shows the thread status as a session, titled when it is created, without a status text', async () => {
    const { thread } = await stage.callIn();
    const session = () => {
      const root = thread.split('/')[2];
      return stage.workspace.see('requester').sessions.find(({ threadTs }) => threadTs === root);
    };
    assert.equal(await stage.chat.setStatus(thread, WORKING), 'session');
    assert.deepEqual([session()?.status, session()?.title], ['processing', 'Tidy up']);
    const waiting = { session: 'suspended', words: 'is waiting' } as const;
    await stage.chat.setStatus(thread, waiting);
    assert.equal(session()?.status, 'suspended');
    const calls = () =>
      stage.workspace.journal.filter(({ name }) => name === 'agents.sessions.setStatus').length;
    const before = calls();
    assert.equal(await stage.chat.setStatus(thread, { ...waiting, isRepeat: true }), 'session');
    assert.equal(calls(), before);
    await stage.chat.setStatus(thread, { session: 'active', words: '' });
    assert.equal(session()?.status, 'active');
    assert.deepEqual(legacyCalls(), []);
  });

  it('triggers no mention from the agent’s answer', async () => {
    const call = await stage.callIn();
    await stage.chat.postOutboxMessage(aSay(call, { id: 'say-3', text: 'hi <!channel> <@U1>' }), {
      lookFirst: false,
    });
    assert.ok(!/<[!@]/.test(JSON.stringify(inThread(call).at(-1)?.blocks)));
  });

  it('posts the answer of a child thread into its parent', async () => {
    const call = await stage.callIn();
    const child = `${call.thread}/call_x` as ThreadKey;
    await stage.chat.postOutboxMessage(
      { ...aSay(call, { id: 'say-4', text: 'from below' }), thread: child },
      { lookFirst: false },
    );
    assert.match(JSON.stringify(inThread(call).at(-1)?.blocks), /from below/);
  });
});

describe('the chat of an installation of the older form', () => {
  let stage: SlackStage;
  before(async () => {
    stage = await setSlackStage('http', { form: 'assistant' });
  });
  after(() => stage.close());

  it('shows the thread status as text, asks for sessions once, and writes no status beside a live message', async () => {
    const { thread } = await stage.callIn();
    const shown = () =>
      stage.workspace
        .see('requester')
        .statuses.filter(({ threadTs }) => threadTs === thread.split('/')[2]);
    const working = { session: 'processing', words: 'is thinking…' } as const;
    assert.equal(await stage.chat.setStatus(thread, working), 'words');
    assert.equal(shown()[0]?.status, 'is thinking…');
    await stage.chat.setStatus(thread, { ...working, words: 'is busy', isSeen: true });
    assert.equal(shown()[0]?.status, 'is thinking…');
    await stage.chat.setStatus(thread, { session: 'active', words: '' });
    assert.deepEqual(shown(), []);
    const asked = stage.workspace.journal.filter(({ name }) => name.startsWith('agents.'));
    assert.deepEqual(
      asked.map(({ answer }) => (answer as { error: string }).error),
      ['feature_disabled'],
    );
  });
});
