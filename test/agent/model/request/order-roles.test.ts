import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChatMessages } from '../../../../src/agent/model/request/to-chat-messages.ts';
import type { TurnMessage } from '../../../../src/domain/threads/message.ts';

const author = { team: 'T1', user: 'U1' };
const user = (id: string, text: string): TurnMessage => ({ role: 'user', id, text, author, at: 1 });
const assistant = (id: string, text: string, ...calls: readonly string[]): TurnMessage => ({
  role: 'assistant',
  id,
  text,
  calls: calls.map((callId) => ({ id: callId, tool: 'pay', args: '{}' })),
});
const tool = (callId: string): TurnMessage => ({
  role: 'tool',
  id: `t/${callId}`,
  callId,
  tool: 'pay',
  text: 'paid',
  status: 'ok',
});

const rolesOf = (messages: readonly TurnMessage[]) =>
  toChatMessages(messages, new Map()).map((each) => [each.getType(), each.content]);

test('an assistant message is inserted between tool results and a user message', () => {
  assert.deepEqual(
    rolesOf([user('1', 'Pay'), assistant('2', '', 'c'), tool('c'), user('3', 'No')]),
    [
      ['human', 'Pay'],
      ['ai', ''],
      ['tool', 'paid'],
      ['ai', 'The person ended this here.'],
      ['human', 'No'],
    ],
  );
});

test('consecutive user messages become one, with their images', () => {
  const shown = [{ mimeType: 'image/png', base64: 'aGk=' }];
  const messages = toChatMessages(
    [user('1', 'Pay'), user('2', 'Look'), user('3', 'Now')],
    new Map([['2', { shown, notes: [] }]]),
  );
  assert.deepEqual(
    messages.map(({ content }) => content),
    [
      [
        { type: 'text', text: 'Pay' },
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        { type: 'text', text: 'Now' },
      ],
    ],
  );
  assert.deepEqual(rolesOf([user('1', 'Pay'), user('2', 'Now')]), [['human', 'Pay\n\nNow']]);
});

test('consecutive assistant messages become one, and an empty one is left out', () => {
  assert.deepEqual(
    rolesOf([user('1', ' '), assistant('2', 'Wait'), assistant('3', 'Done'), assistant('4', '\n')]),
    [
      ['human', '(no text)'],
      ['ai', 'Wait\n\nDone'],
    ],
  );
});
