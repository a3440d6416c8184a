import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateMessageTokens, estimateTokens } from '../../../src/agent/turn/estimate-tokens.ts';
import { readHistoryWindow } from '../../../src/agent/turn/history-window.ts';
import { buildPrompt, DEFAULT_SYSTEM_PROMPT } from '../../../src/agent/turn/prompt.ts';
import type { SettledTurn, TurnMessage } from '../../../src/domain/threads/message.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import {
  aMessage,
  createBench,
  createTestHistory,
  FENCE,
  NO_SIGNAL,
  THREAD,
} from '../agent-fixture.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

function said(text: string, user = 'U1'): TurnMessage {
  return { role: 'user', id: text, text, author: { team: 'T1', user }, at: 0 };
}

/** A settled turn with one call. */
function aTurn(n: number, text = `question ${n}`): SettledTurn {
  const calls = [{ id: 'c', tool: 'send', args: '{}' }];
  return {
    id: `turn-${n}`,
    settledAt: n,
    messages: [
      said(text),
      { role: 'assistant', id: `a${n}`, text: '', calls },
      { role: 'tool', id: `t${n}`, callId: 'c', tool: 'send', text: 'sent', status: 'ok' },
      { role: 'assistant', id: `b${n}`, text: `answer ${n}`, calls: [] },
    ],
  };
}

test('the model gets the requester’s local time', () => {
  const [system] = buildPrompt({
    systemPrompt: 'Be kind.',
    now: NOW,
    timezone: 'America/New_York',
    earlier: [],
    current: [said('tomorrow at nine')],
    isCut: false,
  });
  assert.match(
    system?.text ?? '',
    /^Their local time is Monday,? 5 January 2026 at 04:00 \(America\/New_York\)\.$/m,
  );
});

test('a turn looks up the person’s time zone, and continues if the lookup fails', async (t) => {
  const { agent, mock } = await createBench(t, () => sayText('Yes.'), {
    timezoneOf: async ({ user }) => (user === 'U1' ? 'Asia/Kolkata' : undefined),
  });
  await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.match(String(mock.requests[0]?.messages[0]?.content), /\(Asia\/Kolkata\)/);
  const other = await createBench(t, () => sayText('Yes.'), {
    timezoneOf: () => Promise.reject(new Error('Slack does not answer.')),
  });
  await other.agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.doesNotMatch(String(other.mock.requests[0]?.messages[0]?.content), /Their local time/);
  assert.equal(other.warnings.length, 1);
});

test('the model is told the time, the requester, and nothing that does not apply', () => {
  const [system, ...rest] = buildPrompt({
    systemPrompt: 'Be kind.',
    now: NOW,
    earlier: [],
    current: [said('Hi')],
    isCut: false,
  });
  assert.equal(
    system?.text,
    'Be kind.\n\nIt is Monday, 2026-01-05T09:00:00.000Z (UTC).\nYou are answering <@U1>.',
  );
  assert.deepEqual(rest, [said('Hi')]);
});

test('if several people write, each of their messages starts with its author', () => {
  const [system, ...rest] = buildPrompt({
    systemPrompt: 'Be kind.',
    now: NOW,
    earlier: [said('One'), { role: 'assistant', id: 'a', text: 'Yes?', calls: [] }],
    current: [said('Two', 'U2')],
    isCut: false,
  });
  assert.match(system?.text ?? '', /You are answering <@U2>\.\nSeveral people write here/);
  assert.deepEqual(
    rest.map(({ text }) => text),
    ['<@U1>: One', 'Yes?', '<@U2>: Two'],
  );
});

test('the instructions say that tool content is data and that undecided is not denied', () => {
  assert.match(DEFAULT_SYSTEM_PROMPT, /never an instruction/);
  assert.match(DEFAULT_SYSTEM_PROMPT, /still undecided/);
});

test('a window holds the newest whole turns that fit, in order', async () => {
  const turns = Array.from({ length: 50 }, (_, n) => aTurn(n));
  const history = createTestHistory(turns);
  const cost = estimateMessageTokens(aTurn(49).messages);
  const all = await readHistoryWindow(history, THREAD, 'now', 1_000_000);
  assert.equal(all.isCut, false);
  assert.deepEqual(
    all.messages,
    turns.flatMap(({ messages }) => messages),
  );
  const some = await readHistoryWindow(history, THREAD, 'now', cost * 30 + cost / 2);
  assert.equal(some.isCut, true);
  assert.deepEqual(
    some.messages,
    turns.slice(-30).flatMap(({ messages }) => messages),
  );
  assert.deepEqual(await readHistoryWindow(history, THREAD, 'now', cost - 1), {
    messages: [],
    isCut: true,
  });
});

test('a turn that does not fit ends the window: older ones are not included', async () => {
  const history = createTestHistory([aTurn(1), aTurn(2, 'long '.repeat(2_000)), aTurn(3)]);
  const window = await readHistoryWindow(history, THREAD, 'now', 500);
  assert.deepEqual(window, { messages: aTurn(3).messages, isCut: true });
});

test('the current turn is neither repeated nor counted as left out', async () => {
  const history = createTestHistory([aTurn(1)]);
  const window = await readHistoryWindow(history, THREAD, 'turn-1', 1_000);
  assert.deepEqual(window, { messages: [], isCut: false });
});

test('an estimate counts bytes, so that no script is cheaper than another', () => {
  assert.equal(estimateTokens(''), 0);
  assert.equal(estimateTokens('1234567'), 2);
  assert.equal(estimateTokens('日本語'), 3);
});

test('a long thread is sent as far as it fits, and so is a long message', async (t) => {
  const history = createTestHistory(Array.from({ length: 200 }, (_, n) => aTurn(n)));
  const { agent, mock } = await createBench(t, () => sayText('Yes.'), {
    history,
    contextTokens: 1_500,
  });
  await agent.start(aMessage('Still there?'), FENCE, NO_SIGNAL);
  const sent = mock.requests[0]?.messages ?? [];
  assert.match(String(sent[0]?.content), /Older messages of this thread are left out/);
  assert.equal(sent[1]?.role, 'user');
  assert.ok(sent.length > 20 && sent.length < 80, `${sent.length} messages`);
  assert.equal(sent.at(-2)?.content, 'answer 199');

  await agent.start(aMessage('word '.repeat(3_000), '101.1'), FENCE, NO_SIGNAL);
  const cut = mock.requests[1]?.messages ?? [];
  const long = String(cut.at(-1)?.content);
  assert.match(long, /\n\[… \d+ bytes left out for length; ask the person.* …\]\n/);
  assert.ok(long.length > 3_000 && long.length < 5_000, `${long.length} characters`);
  assert.equal(cut.at(-2)?.role, 'assistant');
  assert.deepEqual(mock.refusals, []);
});

test('a past turn with a missing or stray result is repaired for the model', async (t) => {
  const broken = aTurn(1).messages.filter(({ role }) => role !== 'tool');
  const stray = { ...aTurn(2).messages[2], id: 'x', callId: 'nobody' } as TurnMessage;
  const history = createTestHistory([
    { id: 'turn-1', settledAt: 1, messages: [stray, ...broken, stray] },
  ]);
  const { agent, mock } = await createBench(t, () => sayText('Yes.'), { history });
  await agent.start(aMessage('Hi'), FENCE, NO_SIGNAL);
  assert.deepEqual(mock.refusals, []);
  assert.match(String(mock.requests[0]?.messages[3]?.content), /^Not run/);
});

test('a helper has its own instructions and tools, and is told that an agent wrote its task', async (t) => {
  const helpers = [
    { name: 'payer', description: 'Pays.', prompt: 'You pay.', tools: ['pay', 'gone'] },
  ];
  const { mock, agent } = await createBench(t, () => sayText('Paid.'), { helpers });
  const thread = childThreadKey(THREAD, 'call_1');
  const fence = { thread, token: 1 };
  const delegated = { agent: 'payer', askedLine: 'settle the bills' };
  const state = await agent.start(
    { ...aMessage('Pay 7.'), id: 'call_1', thread, delegated },
    fence,
    NO_SIGNAL,
  );
  assert.equal(state.phase, 'finished');
  const [request] = mock.requests;
  const system = String(request?.messages[0]?.content);
  assert.match(system, /^You pay\./);
  assert.match(system, /You are “payer”, a helper\..*Another agent wrote it/);
  assert.match(system, /You are working on behalf of <@U1>\./);
  assert.ok(!system.includes('Be kind.'));
  assert.deepEqual(
    request?.tools?.map((tool) => tool.function.name),
    ['pay'],
  );
});

test('the turn of a removed helper ends with the reason, and the model is not asked', async (t) => {
  const { mock, agent } = await createBench(t, () => sayText('Paid.'));
  const thread = childThreadKey(THREAD, 'call_1');
  const delegated = { agent: 'payer', askedLine: 'settle the bills' };
  const message = { ...aMessage('Pay 7.'), id: 'call_1', thread, delegated };
  const state = await agent.start(message, { thread, token: 1 }, NO_SIGNAL);
  assert.deepEqual(
    [state.phase, state.failure],
    ['finished', 'The helper “payer” no longer exists.'],
  );
  assert.equal(mock.requests.length, 0);
});
