/** How cards are posted: what is in the notification, and what an update adds without one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WebClient } from '@slack/web-api';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { NotificationDetail } from '../../../src/domain/cards/notification-detail.ts';
import { createPostCards } from '../../../src/slack/outbound/post-cards.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { aCall, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

interface Sent {
  readonly method: 'post' | 'update';
  readonly text: string;
  readonly blocks: unknown;
}

/** A Slack that records its requests; `fails` says which update it refuses. */
function setUp(detail: NotificationDetail, { failsUpdate = false } = {}) {
  const sent: Sent[] = [];
  const posted: object[] = [];
  const take = (method: Sent['method']) => async (message: Sent & { metadata?: object }) => {
    if (method === 'update' && failsUpdate) throw new Error('The connection is gone.');
    sent.push({ method, text: message.text, blocks: message.blocks });
    if (method === 'post') posted.push({ ts: '2.000001', bot_id: 'B1', ...message });
    return { ok: true, channel: 'C1', ts: '2.000001' };
  };
  const messages = async () => ({ ok: true, messages: posted });
  const client = {
    chat: { postMessage: take('post'), update: take('update') },
    conversations: { replies: messages, history: messages },
  } as unknown as WebClient;
  const toolbox = { get: () => undefined, of: () => undefined, list: () => [] };
  return {
    sent,
    posts: createPostCards({ client, botId: 'B1', toolbox, mark: TEST_MARK, detail }),
    mend: () => {
      failsUpdate = false;
    },
  };
}

const CALL: Call = aCall({ summary: 'Refund €80.00 to Jane Doe', askedLine: 'refund it' });
const draw = { lookFirst: false };

describe('a new card', () => {
  it('is posted at once if its notification may show what it does', async () => {
    const { sent, posts } = setUp('summary');
    await posts.drawCard(CALL, undefined, draw);
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['post'],
    );
    assert.ok(actionIds(sent[0]?.blocks).includes('call.approve'));
  });

  it('is posted without details if none may be shown, with mentions, and an update adds them at once', async () => {
    const { sent, posts } = setUp('none');
    const route = { ...TWO_APPROVERS, channel: 'C1' };
    const calls = ['user:U2'] as const;
    await posts.drawCard({ ...CALL, route }, undefined, { ...draw, calls });
    const [first, second, ...more] = sent;
    assert.deepEqual(more, []);
    assert.ok(first && second);
    assert.equal(first.method, 'post');
    assert.equal(first.text, 'A call is waiting for a decision.');
    assert.match(JSON.stringify(first.blocks), /<@U2> A call is waiting for a decision\./);
    assert.doesNotMatch(JSON.stringify(first), /Refund|Jane|a\.txt|U1/);
    assert.deepEqual(actionIds(first), []);
    assert.equal(second.method, 'update');
    assert.match(second.text, /^Approve\? Refund €80\.00 to Jane Doe\./);
    assert.ok(actionIds(second.blocks).includes('call.approve'));
  });

  it('whose update was lost is found and completed, not posted again', async () => {
    const { sent, posts, mend } = setUp('none', { failsUpdate: true });
    await assert.rejects(posts.drawCard(CALL, undefined, draw));
    mend();
    await posts.drawCard(CALL, undefined, { lookFirst: true });
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['post', 'update'],
    );
    assert.ok(actionIds(sent[1]?.blocks).includes('call.approve'));
  });

  it('is not posted if the call has a card whose place was not saved: that one is used', async () => {
    const { sent, posts } = setUp('summary');
    const second: Call = { ...CALL, id: 'call_b', position: 1 };
    await posts.drawCard(second, undefined, draw);
    const shared = [CALL, second].map((call) => ({ call }));
    await posts.drawCard(CALL, undefined, { lookFirst: true, shared });
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['post', 'update'],
    );
  });

  it('shows the text of a question after the notification', async () => {
    const outside = { by: 'key', name: 'bot', decisions: ['reply'] } as const;
    const question = aCall({ outside, args: '{"question":"Which colour?"}' });
    const { sent, posts } = setUp('summary');
    await posts.drawCard(question, undefined, draw);
    assert.doesNotMatch(JSON.stringify(sent[0]), /colour/);
    assert.match(JSON.stringify(sent[1]), /bot asks: Which colour\?/);
  });
});

describe('a new stub', () => {
  it('shows nothing of its call in a notification without details', async () => {
    const route = { ...TWO_APPROVERS, channel: 'C9' };
    const options = { lookFirst: false, card: undefined, isRefused: false };
    const { sent, posts } = setUp('none');
    await posts.drawStub({ ...CALL, route }, undefined, options);
    assert.doesNotMatch(JSON.stringify(sent[0]), /Refund/);
    assert.match(JSON.stringify(sent[1]), /\*Refund €80\.00 to Jane Doe\*: waiting for/);
    const open = setUp('summary');
    await open.posts.drawStub({ ...CALL, route }, undefined, options);
    assert.equal(open.sent.length, 1);
  });
});
