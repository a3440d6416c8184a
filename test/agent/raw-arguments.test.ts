import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWith, sayCalls, sayText, toChunk } from '../support/servers/mock-model.ts';
import { aMessage, aReply, createBench, FENCE, NO_SIGNAL, THREAD } from './agent-fixture.ts';

const RAW = [
  '{"ticket": 2512292042121000001, "amt": 0.10, "big": 1e400}',
  '{"to":"a@x","to":"b@x"}',
  '{"cmd":"rm -rf /srv/tm',
  '{"a":1,}',
  "{'a':1}",
  '',
  'null',
  '  {"a" : 1 }\n',
  '{"s":"\\ud800 \\u00e9 é 😀 \\/"}',
  '{"a":{"b":[1,2,{"c":"}"}]}}{"more":1}',
];

test('the argument text reaches the desk, and is sent back to the model, exactly as the model wrote it', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0
      ? sayCalls(RAW.map((args, at) => ({ id: `c${at}`, name: 'send', args })))
      : sayText('I see.'),
  );
  const asked = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    asked.open.map(({ argsText }) => argsText),
    RAW,
  );
  const wrong = aReply('The arguments are not valid JSON.', { status: 'error' });
  const replies = Object.fromEntries(asked.open.map(({ interruptId }) => [interruptId, wrong]));
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.failure, undefined);
  assert.deepEqual(mock.refusals, []);
  const echoed = mock.requests[1]?.messages.find(({ role }) => role === 'assistant');
  assert.deepEqual(
    echoed?.tool_calls?.map((call) => call.function.arguments),
    RAW,
  );
});

test('a lone surrogate from any source breaks no request, and appears in no answer', async (t) => {
  const half = '\ud83d';
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0
      ? sayCalls([{ id: 'c', name: 'send', args: `{"s":"${half}"}` }], `I go ${half}`)
      : sayText('I see ', half),
  );
  const asked = await agent.start(aMessage(`Go ${half}`), FENCE, NO_SIGNAL);
  const replies = Object.fromEntries(
    asked.open.map(({ interruptId }) => [interruptId, aReply(`Not run: ${half}`)]),
  );
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.deepEqual(mock.refusals, []);
  assert.equal(end.failure, undefined);
  assert.deepEqual(
    asked.open.map(({ argsText }) => argsText),
    [`{"s":"${half}"}`],
  );
  assert.equal(end.messages.at(-1)?.text, 'I see \ufffd');
});

test('a call of an unknown tool is open like any other, and its name cannot break the request', async (t) => {
  const names = ['no such tool!', '', 'x'.repeat(100), 'send'];
  const { agent, mock } = await createBench(t, (_request, index) =>
    index === 0
      ? sayCalls(names.map((name, at) => ({ id: `c${at}`, name, args: '{}' })))
      : sayText('Sorry.'),
  );
  const asked = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    asked.open.map(({ tool }) => tool),
    names,
  );
  const replies = Object.fromEntries(
    asked.open.map(({ interruptId }) => [interruptId, aReply('There is no such tool.')]),
  );
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.phase, 'finished');
  assert.deepEqual(mock.refusals, []);
});

test('every call has its own id in its turn, whatever id the model sent', async (t) => {
  const long = 'y'.repeat(41);
  const { agent, mock } = await createBench(t, (_request, index) => {
    if (index === 2) return sayText('Done.');
    return sayCalls([
      { id: 'same', name: 'pay', args: '{"n":1}' },
      { id: 'same', name: 'pay', args: '{"n":2}' },
      { name: 'pay', args: '{"n":3}' },
      { id: '', name: 'pay', args: '{"n":4}' },
      { id: long, name: 'pay', args: '{"n":5}' },
    ]);
  });
  let state = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  assert.equal(state.open[0]?.toolCallId, 'same');
  const ids: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    ids.push(...state.open.map(({ toolCallId }) => toolCallId));
    assert.deepEqual(
      state.open.map(({ argsText }) => argsText),
      [1, 2, 3, 4, 5].map((n) => `{"n":${n}}`),
    );
    const replies = Object.fromEntries(
      state.open.map(({ interruptId, position }) => [interruptId, aReply(`${position}`)]),
    );
    state = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  }
  assert.equal(state.phase, 'finished');
  assert.equal(new Set(ids).size, 10);
  assert.ok(ids.every((id) => id !== '' && id.length <= 40));
  assert.deepEqual(mock.refusals, []);
});

test('calls with the same index are distinguished by their ids', async (t) => {
  const call = (id: string | undefined, args: string, index: number | undefined = 0) => ({
    tool_calls: [{ index, id, type: 'function', function: { name: id && 'pay', arguments: args } }],
  });
  const { agent } = await createBench(t, () => ({
    kind: 'chunks',
    chunks: [
      toChunk({ role: 'assistant', ...call('a', '{"n"') }, null),
      toChunk(call(undefined, ':1}'), null),
      toChunk(call('b', '{"n":'), null),
      toChunk(call('b', '2}'), null),
      toChunk({}, 'stop'),
    ],
  }));
  const state = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  assert.deepEqual(
    state.open.map(({ toolCallId, tool, argsText }) => [toolCallId, tool, argsText]),
    [
      ['a', 'pay', '{"n":1}'],
      ['b', 'pay', '{"n":2}'],
    ],
  );
});

const called = (name: unknown, args: string, more: object = {}) => ({
  type: 'function',
  function: { name, arguments: args },
  ...more,
});

for (const [what, deltas] of [
  [
    'no number and no id, side by side',
    [[called('pay', ''), called('refund', '{"n":2}'), called('pay', '{"n":3}')]],
  ],
  [
    'one number and no id, side by side',
    [
      [
        called('pay', '', { index: 0 }),
        called('refund', '{"n":2}', { index: 0 }),
        called('pay', '{"n":3}', { index: 0 }),
      ],
    ],
  ],
  [
    'one number and names alone, one after the other',
    [
      [called('pay', '', { index: 0 })],
      [called('refund', '{"n"', { index: 0 })],
      [called(undefined, ':2}', { index: 0 })],
      [called('pay', '{"n":3}', { index: 0 })],
    ],
  ],
] as const) {
  test(`calls with ${what}, are read one by one, each with its own arguments`, async (t) => {
    const { agent } = await createBench(t, () => ({
      kind: 'chunks',
      chunks: [
        ...deltas.map((calls) => toChunk({ role: 'assistant', tool_calls: calls }, null)),
        toChunk({}, 'tool_calls'),
      ],
    }));
    const state = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
    assert.deepEqual(
      state.open.map(({ tool, argsText }) => [tool, argsText]),
      [
        ['pay', ''],
        ['refund', '{"n":2}'],
        ['pay', '{"n":3}'],
      ],
    );
  });
}

test('a name and an id that are not text break nothing', async (t) => {
  const { agent, mock } = await createBench(t, (_request, index) =>
    index > 0
      ? sayText('I see.')
      : {
          kind: 'chunks',
          chunks: [
            toChunk(
              { role: 'assistant', tool_calls: [called(7, '{}', { id: 8, index: 0 })] },
              null,
            ),
            toChunk({}, 'tool_calls'),
          ],
        },
  );
  const asked = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
  const replies = Object.fromEntries(
    asked.open.map(({ interruptId }) => [interruptId, aReply('There is no such tool.')]),
  );
  const end = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  assert.equal(end.failure, undefined);
  assert.deepEqual(mock.refusals, []);
});

test('thirty calls at once are accepted, thirty-three are not', async (t) => {
  let count = 30;
  const { agent, mock } = await createBench(t, (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? sayText('Paid.')
      : sayCalls(Array.from({ length: count }, (_, n) => ({ name: 'pay', args: `{"n":${n}}` }))),
  );
  const many = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  const places = Array.from({ length: 30 }, (_, n) => n);
  assert.deepEqual(
    many.open.map(({ position }) => position),
    places,
  );
  let state = many;
  for (const wanted of [places.filter((n) => n % 3 === 1), places.filter((n) => n % 3 !== 1)]) {
    const chosen = state.open.filter(({ position }) => wanted.includes(position)).reverse();
    const replies = Object.fromEntries(
      chosen.map(({ interruptId, position }) => [interruptId, aReply(`${position}`)]),
    );
    state = await agent.resume(THREAD, replies, FENCE, NO_SIGNAL);
  }
  assert.deepEqual(
    state.messages.flatMap((message) => (message.role === 'tool' ? [Number(message.text)] : [])),
    places,
  );
  assert.deepEqual(mock.refusals, []);
  count = 33;
  const tooMany = await agent.start(aMessage('Pay', '101.1'), FENCE, NO_SIGNAL);
  assert.equal(tooMany.phase, 'finished');
  assert.deepEqual(tooMany.open, []);
  assert.match(tooMany.failure ?? '', /more than 32/);
});

for (const reason of ['length', null, 'content_filter', 'error']) {
  test(`calls of an answer that ends with ${reason} are not made`, async (t) => {
    const calls = sayCalls([{ id: 'c', name: 'delete', args: '{"path":"/srv/tm' }], 'I delete.');
    const { agent } = await createBench(t, () => finishWith(calls, reason));
    const state = await agent.start(aMessage('Go'), FENCE, NO_SIGNAL);
    assert.equal(state.phase, 'finished');
    assert.deepEqual(state.open, []);
    assert.ok(state.failure);
    assert.ok(
      state.messages.every((message) => message.role !== 'assistant' || message.calls.length === 0),
    );
  });
}
