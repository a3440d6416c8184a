import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReasoningFilter } from '../../../../src/agent/model/protocol/reasoning-filter.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import { aMessage, createBench, FENCE, NO_SIGNAL } from '../../agent-fixture.ts';

/** The final text, and everything that was shown before. */
function read(text: string, size: number, options: { isWhole?: boolean; known?: boolean } = {}) {
  const { isWhole = true, known = false } = options;
  const filter = createReasoningFilter({ beginsInThought: known });
  let shown = '';
  let seen = '';
  const take = ({ text: added, restarts }: { text: string; restarts?: true }) => {
    shown = (restarts ? '' : shown) + added;
    seen += added;
  };
  for (let at = 0; at < text.length; at += size) take(filter.add(text.slice(at, at + size)));
  take(filter.end(isWhole));
  return { shown, seen };
}

const ROWS: readonly (readonly [answer: string, shown: string])[] = [
  ['Paid.', 'Paid.'],
  ['a < b and <thin air', 'a < b and <thin air'],
  ['<think>Hm.</think>Paid.', 'Paid.'],
  ['<think>\nHm.\n</think>\n\nPaid.', 'Paid.'],
  ['\n<thinking>Hm.</thinking>\nPaid.', 'Paid.'],
  ['<think>a</think>\n<think>b</think>\nPaid.', 'Paid.'],
  ['◁think▷Hm.◁/think▷Paid.', 'Paid.'],
  ['<think>Hm.', ''],
  ['Hm.\n</think>\n\nPaid.', 'Paid.'],
  ['Hm.</think>', ''],
  ['Use `</think>`\nto end it.', 'Use `</think>`\nto end it.'],
  ['The tag </think> ends it.', 'The tag </think> ends it.'],
  ['See <think> for more.', 'See <think> for more.'],
];

for (const [answer, shown] of ROWS) {
  test(`${JSON.stringify(answer)} is shown as ${JSON.stringify(shown)}, however it is cut`, () => {
    for (let size = 1; size <= answer.length; size += 1) {
      assert.equal(read(answer, size).shown, shown, `in pieces of ${size}`);
    }
  });
}

test('reasoning in tags is never shown', () => {
  for (let size = 1; size < 30; size += 1) {
    assert.equal(read('<think>Hm.</think>\nPaid.', size).seen, 'Paid.');
  }
});

test('a model that is known to start with reasoning shows nothing before its end', () => {
  for (let size = 1; size < 30; size += 1) {
    assert.equal(read('Hm.\n</think>\n\nPaid.', size, { known: true }).seen, 'Paid.');
    assert.equal(read('<think>Hm.</think>Paid.', size, { known: true }).seen, 'Paid.');
  }
  assert.equal(read('Paid.', 2, { known: true }).shown, 'Paid.');
  const long = 'Paid. '.repeat(100).trimEnd();
  assert.equal(read(long, 7, { known: true }).shown, long);
  assert.equal(read(`${long}\n</think>\nYes.`, 7, { known: true }).seen, 'Yes.');
  assert.equal(read('Hm, they', 2, { known: true, isWhole: false }).shown, '');
});

test('text that turns out to be reasoning is removed, and the next answer shows none', async (t) => {
  const heard: (readonly [string, boolean])[] = [];
  const { agent } = await createBench(t, () => sayText('They pay.', '\n</think>\n', '\nPaid.'), {
    onDelta: (_thread, text, restarts) => heard.push([text, restarts]),
  });
  const first = await agent.start(aMessage('Pay'), FENCE, NO_SIGNAL);
  assert.equal(first.messages.at(-1)?.text, 'Paid.');
  assert.deepEqual(heard[0], ['They pay.', false]);
  assert.ok(heard.some(([, restarts]) => restarts));
  heard.length = 0;
  const next = await agent.start(aMessage('Pay', '100.2'), FENCE, NO_SIGNAL);
  assert.equal(next.messages.at(-1)?.text, 'Paid.');
  assert.deepEqual(heard, [['Paid.', false]]);
});
