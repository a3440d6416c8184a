import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettledTurn } from '../../src/domain/threads/message.ts';
import { sayCalls, sayStatus, sayText } from '../support/servers/mock-model.ts';
import {
  aMessage,
  answering,
  aReply,
  CLEAN_UP,
  createBench,
  createTestHistory,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from './agent-fixture.ts';

test('a turn with only text finishes at once', async (t) => {
  const { agent, mock } = await createBench(t, () => sayText('Good ', 'morning.'));
  const before = await agent.read(THREAD);
  assert.equal(before.phase, 'none');
  assert.equal(before.turn, undefined);
  const state = await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.equal(state.phase, 'finished');
  assert.equal(state.turn, 'T1/C1/100.1');
  assert.deepEqual(state.open, []);
  assert.equal(state.failure, undefined);
  assert.deepEqual(
    state.messages.map(({ role, text }) => [role, text]),
    [
      ['user', 'Hi'],
      ['assistant', 'Good morning.'],
    ],
  );
  assert.deepEqual(mock.refusals, []);
});

test('calls are answered one by one, out of order, and the model gets the results in call order', async (t) => {
  const { agent, mock } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  assert.equal(asked.phase, 'waiting');
  assert.deepEqual(
    asked.open.map(({ interruptId: _, messageId: __, ...call }) => call),
    [
      ['c1', 0, 'delete', '{"a":1}'],
      ['c2', 1, 'send', '{}'],
      ['c3', 2, 'delete', '{"a":1}'],
    ].map(([toolCallId, position, tool, argsText]) => ({
      toolCallId,
      position,
      siblings: 3,
      tool,
      argsText,
      words: 'I will clean up.',
    })),
  );
  const first = await agent.resume(
    THREAD,
    answering(asked, 'delete', aReply('third'), 1),
    FENCE,
    NO_SIGNAL,
  );
  assert.equal(first.phase, 'waiting');
  assert.deepEqual(
    first.open.map(({ toolCallId }) => toolCallId),
    ['c1', 'c2'],
  );
  const rest = { ...answering(first, 'send', aReply('second')) };
  const second = await agent.resume(THREAD, rest, FENCE, NO_SIGNAL);
  assert.equal(mock.requests.length, 1);
  const last = await agent.resume(
    THREAD,
    answering(second, 'delete', aReply('first', { status: 'error' })),
    FENCE,
    NO_SIGNAL,
  );
  assert.equal(last.phase, 'finished');
  assert.deepEqual(mock.refusals, []);
  assert.deepEqual(
    mock.requests[1]?.messages.slice(3).map((message) => [message.tool_call_id, message.content]),
    [
      ['c1', 'first'],
      ['c2', 'second'],
      ['c3', 'third'],
    ],
  );
  assert.deepEqual(
    last.messages.map((message) => (message.role === 'tool' ? message.status : message.text)),
    ['Clean up', 'I will clean up.', 'error', 'ok', 'ok', 'Done.'],
  );
});

test('a stale or unknown interrupt id changes nothing, and an empty reply answers nothing', async (t) => {
  const { agent, mock } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  const answer = answering(asked, 'send', aReply('sent'));
  await agent.resume(THREAD, answer, FENCE, NO_SIGNAL);
  for (const replies of [{ ['0'.repeat(32)]: aReply('who?') }, answer, {}]) {
    const state = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
    assert.equal(state.phase, 'waiting');
    assert.deepEqual(
      state.open.map(({ toolCallId }) => toolCallId),
      ['c1', 'c3'],
    );
  }
  assert.equal(mock.requests.length, 1);
});

test('a reply without an interrupt id answers no call', async (t) => {
  const { agent } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  const replies = { ...answering(asked, 'send', aReply('sent')), c1: aReply('by tool call id') };
  await assert.rejects(agent.resume(THREAD, replies, FENCE, NO_SIGNAL), /no valid interrupt id/);
  assert.deepEqual(await agent.read(THREAD), asked);
});

test('an ignored call ends the turn once its siblings are answered, and the next turn is valid', async (t) => {
  const turns: SettledTurn[] = [];
  const history = createTestHistory(turns);
  const { agent, mock } = await createBench(t, CLEAN_UP, { history });
  let state = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  const ignored = aReply('ignored', { status: 'error', endsTurn: true });
  state = await agent.resume(THREAD, answering(state, 'delete', ignored), FENCE, NO_SIGNAL);
  assert.equal(state.phase, 'waiting');
  state = await agent.resume(THREAD, answering(state, 'delete', aReply('ok')), FENCE, NO_SIGNAL);
  state = await agent.resume(THREAD, answering(state, 'send', aReply('ok')), FENCE, NO_SIGNAL);
  assert.equal(state.phase, 'finished');
  assert.equal(state.failure, undefined);
  assert.equal(mock.requests.length, 1);
  turns.push({ id: 'T1/C1/100.1', settledAt: 1, messages: state.messages });
  await agent.forget(THREAD, FENCE);
  assert.equal((await agent.read(THREAD, FENCE)).phase, 'none');

  const next = await agent.start(aMessage('And now?', '101.1'), FENCE, NO_SIGNAL);
  assert.equal(next.phase, 'finished');
  assert.deepEqual(mock.refusals, []);
  assert.deepEqual(
    mock.requests[1]?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'tool', 'tool', 'assistant', 'user'],
  );
});

test('another agent on the same saver reads the same state and continues it', async (t) => {
  const { agent, mock, restart } = await createBench(t, CLEAN_UP);
  const asked = await agent.start(aMessage('Clean up'), FENCE, NO_SIGNAL);
  await agent.resume(THREAD, answering(asked, 'send', aReply('sent')), FENCE, NO_SIGNAL);
  const before = await agent.read(THREAD);
  const later = restart();
  const after = await later.read(THREAD);
  assert.deepEqual(after, before);
  const replies = Object.fromEntries(
    after.open.map(({ interruptId, position }) => [interruptId, aReply(`at ${position}`)]),
  );
  const end = await later.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.phase, 'finished');
  assert.deepEqual(
    end.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    ['at 0', 'sent', 'at 2'],
  );
  assert.equal(mock.requests.length, 2);
});

test('a new message replaces the thread’s state', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0 ? sayCalls([{ id: 'c1', name: 'pay', args: '{}' }]) : sayText('Fine.'),
  );
  const asked = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  const next = await agent.start(aMessage('Never mind', '101.1'), FENCE, NO_SIGNAL);
  assert.equal(next.turn, 'T1/C1/101.1');
  assert.deepEqual(
    next.messages.map(({ text }) => text),
    ['Never mind', 'Fine.'],
  );
  const stale = await agent.resume(
    THREAD,
    answering(asked, 'pay', aReply('paid')),
    FENCE,
    NO_SIGNAL,
  );
  assert.deepEqual(stale, next);
  assert.deepEqual(mock.refusals, []);
});

test('the model is not asked again for an open call: its arguments stay as shown', async (t) => {
  const { agent, mock } = await createBench(t, (request, index) => {
    if (request.messages.at(-1)?.role === 'tool') return sayText('Paid.');
    const amount = index === 0 ? 10 : 1000;
    return sayCalls([
      { id: 'p', name: 'pay', args: `{"amount":${amount}}` },
      { id: 's', name: 'send', args: '{}' },
    ]);
  });
  const asked = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  const sent = answering(asked, 'send', aReply('sent'));
  const waiting = await agent.resume(THREAD, sent, FENCE, NO_SIGNAL);
  await agent.proceed(THREAD, FENCE, NO_SIGNAL);
  const again = await agent.read(THREAD);
  for (const state of [waiting, again]) {
    assert.deepEqual(
      state.open.map(({ argsText, messageId }) => [argsText, messageId]),
      [['{"amount":10}', asked.open[0]?.messageId]],
    );
  }
  assert.equal(mock.requests.length, 1);
});

test('a model failure after the replies ends the turn and keeps them', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0 ? sayCalls([{ id: 'p', name: 'pay', args: '{}' }]) : sayStatus(500),
  );
  const asked = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  const end = await agent.resume(THREAD, answering(asked, 'pay', aReply('paid')), FENCE, NO_SIGNAL);
  assert.equal(end.phase, 'finished');
  assert.match(end.failure ?? '', /a temporary problem/);
  assert.deepEqual(
    end.messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  );
  assert.equal(mock.requests.length, 2);
});

test('unusual replies arrive as exactly that text', async (t) => {
  const texts = ['', '0', 'null', '{}', 'false', '  ', 'x'.repeat(20_000), '"'];
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0
      ? sayCalls(texts.map((_, at) => ({ id: `c${at}`, name: 'send', args: '{}' })))
      : sayText('Done.'),
  );
  const asked = await agent.start(aMessage('Send'), FENCE, NO_SIGNAL);
  const replies = Object.fromEntries(
    asked.open.map(({ interruptId, position }) => [interruptId, aReply(texts[position] ?? '?')]),
  );
  await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.deepEqual(
    mock.requests[1]?.messages.slice(3).map(({ content }) => content),
    texts,
  );
  assert.deepEqual(mock.refusals, []);
});

test('text deltas are reported as they come, with their thread', async (t) => {
  const heard: string[] = [];
  const onDelta = (thread: string, text: string) => heard.push(`${thread}: ${text}`);
  const { agent } = await createBench(t, () => sayText('One ', 'two.'), { onDelta });
  await agent.start(aMessage('Count'), FENCE, NO_SIGNAL);
  assert.deepEqual(heard, [`${THREAD}: One `, `${THREAD}: two.`]);
});

test('an error of our own code is not reported as a model failure', async (t) => {
  const onDelta = () => {
    throw new TypeError('A listener is broken.');
  };
  const { agent, clock } = await createBench(t, () => sayText('One ', 'two.'), { onDelta });
  await assert.rejects(agent.start(aMessage('Count'), FENCE, NO_SIGNAL), /A listener is broken/);
  assert.equal((await agent.read(THREAD)).phase, 'stuck');
  assert.equal(clock.pendingCount, 0);
});
