import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { estimateMessageTokens } from '../../../src/agent/turn/estimate-tokens.ts';
import { fitTurn, MIN_TURN_TOKENS } from '../../../src/agent/turn/fit-turn.ts';
import { parseStrictJson } from '../../../src/domain/json/strict-json.ts';
import type { TurnMessage } from '../../../src/domain/threads/message.ts';

const USER: TurnMessage = {
  role: 'user',
  id: 'u',
  text: 'Please.',
  author: { team: 'T1', user: 'U1' },
  at: 1,
};

/** A step: a model message with calls, and their results. */
function aStep(
  n: number,
  texts: readonly { readonly args?: string; readonly result: string; readonly tool?: string }[],
  words = '',
): readonly TurnMessage[] {
  const calls = texts.map(({ args = '{}', tool = 'look' }, at) => ({
    id: `c${n}_${at}`,
    tool,
    args,
  }));
  const results = texts.map(
    ({ result, tool = 'look' }, at): TurnMessage => ({
      role: 'tool',
      id: `t${n}_${at}`,
      callId: `c${n}_${at}`,
      tool,
      text: result,
      status: 'ok',
    }),
  );
  return [{ role: 'assistant', id: `a${n}`, text: words, calls }, ...results];
}

const textOf = (message: TurnMessage | undefined) => message?.text ?? '';

/** Fails if a call is not directly followed by its one result, in order. */
function assertPaired(messages: readonly TurnMessage[]): void {
  let owed: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') assert.equal(message.callId, owed.shift());
    else {
      assert.deepEqual(owed, []);
      owed = message.role === 'assistant' ? message.calls.map(({ id }) => id) : [];
    }
  }
  assert.deepEqual(owed, []);
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .tuple(fc.constantFrom('word ', '日本語', '"\\\n', '😀'), fc.integer({ min: 1, max: 3_000 }))
    .map(([part, times]) => part.repeat(times)),
);
const steps = fc.array(
  fc.tuple(
    fc.array(fc.record({ args: text, result: text, tool: fc.string({ maxLength: 100 }) }), {
      maxLength: 12,
    }),
    text,
  ),
  { maxLength: 8 },
);

test('any turn fits into any size, with every call before its result and the person’s message first', () => {
  fc.assert(
    fc.property(
      text,
      steps,
      fc.integer({ min: MIN_TURN_TOKENS, max: 20_000 }),
      (asked, taken, tokens) => {
        const turn = [
          { ...USER, text: asked },
          ...taken.flatMap(([calls, words], n) => aStep(n, calls, words)),
        ];
        const before = JSON.stringify(turn);
        const { messages, isCut, userBytesLeftOut } = fitTurn(turn, tokens);
        assert.ok(estimateMessageTokens(messages) <= tokens);
        assert.equal(JSON.stringify(turn), before);
        assertPaired(messages);
        assert.equal(messages[0]?.id, 'u');
        assert.equal(messages.length < turn.length, isCut);
        assert.equal(userBytesLeftOut > 0, textOf(messages[0]) !== asked);
        if (taken.length > 0) assert.ok(messages.some(({ role }) => role === 'assistant'));
        for (const message of messages) {
          const given = turn.find(({ id }) => id === message.id);
          if (message.role !== 'assistant' || given?.role !== 'assistant') continue;
          for (const call of message.calls) {
            const { args = '' } = given.calls.find(({ id }) => id === call.id) ?? {};
            if (call.args !== args) assert.ok(parseStrictJson(call.args).ok, call.args);
          }
        }
      },
    ),
    { numRuns: 100, endOnFailure: true, includeErrorInReport: true },
  );
});

test('a turn that fits is unchanged', () => {
  const turn = [USER, ...aStep(1, [{ result: 'x'.repeat(3_000) }])];
  assert.equal(fitTurn(turn, estimateMessageTokens(turn)).messages, turn);
});

test('older results shrink before newer ones, and all results before the text of the model and the person', () => {
  const long = 'line of a log\n'.repeat(300);
  const turn = [
    { ...USER, text: long },
    ...[1, 2, 3].flatMap((n) => aStep(n, [{ result: long }], long)),
  ];
  const total = estimateMessageTokens(turn);
  const lengths = (tokens: number) => {
    const { messages } = fitTurn(turn, tokens);
    return messages.map((message) => textOf(message).length === long.length);
  };
  // The user message; then each time the model message and the result.
  assert.deepEqual(lengths(total - 100), [true, true, false, true, true, true, true]);
  assert.deepEqual(lengths(total - 1_100), [true, true, false, true, false, true, true]);
  assert.deepEqual(lengths(total - 3_200), [true, false, false, true, false, true, false]);
});

test('one huge result does not remove its neighbours, and its note says how to see the rest', () => {
  const small = 'x'.repeat(2_000);
  const giant = `begin ${'middle '.repeat(200_000)} end`;
  const turn = [
    USER,
    ...aStep(1, [{ result: small }]),
    ...aStep(2, [{ result: giant, tool: 'read_file' }]),
  ];
  const { messages, isCut } = fitTurn(turn, 8_000);
  assert.equal(isCut, false);
  assert.equal(textOf(messages[2]), small);
  assert.match(textOf(messages[4]), /^begin middle/);
  assert.match(
    textOf(messages[4]),
    /bytes left out for length; read_file with fromLine and lines shows any part …\]\n.*end$/,
  );
  assert.ok(estimateMessageTokens(messages) > 7_500);
});

test('if shortening texts is not enough, the oldest steps are removed', () => {
  const turn = [USER, ...Array.from({ length: 60 }, (_, n) => aStep(n, [{ result: 'ok' }])).flat()];
  const { messages, isCut } = fitTurn(turn, 1_000);
  assert.equal(isCut, true);
  assert.equal(messages[0]?.id, 'u');
  assert.equal(messages.at(-1)?.id, 't59_0');
  assert.ok(messages.length > 30);
});

test('a megabyte in a thousand texts is fitted quickly', () => {
  const step = Array.from({ length: 32 }, () => ({
    args: `{"s":"${'y'.repeat(20_000)}"}`,
    result: 'z'.repeat(20_000),
  }));
  const turn = [USER, ...Array.from({ length: 25 }, (_, n) => aStep(n, step)).flat()];
  const { messages } = fitTurn(turn, 20_000);
  assert.ok(estimateMessageTokens(messages) <= 20_000);
  assertPaired(messages);
});
