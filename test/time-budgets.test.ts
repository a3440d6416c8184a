/** No hostile text blocks the app: each one goes through every function that reads a whole text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costOf, HOSTILE_WORK } from './support/hostile/hostile-surfaces.ts';

/** `npm run bench -- hostile` measures the goal of 50 ms. Here the processor is shared, and quadratic time takes seconds. */
const MAX_CPU_MS = 250;

describe('a hostile text of 250 KB does not block the app', () => {
  for (const { what, texts, prepare } of HOSTILE_WORK) {
    it(`in ${what}`, () => {
      const slow = texts
        .map(([name, text]) => [name, costOf(prepare(text), MAX_CPU_MS)] as const)
        .filter(([, cost]) => cost > MAX_CPU_MS);
      assert.deepEqual(slow, []);
    });
  }
});
