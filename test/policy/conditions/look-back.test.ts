import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyLookBackMs } from '../../../src/domain/policy/policy.ts';
import { loadText } from '../../support/builders/a-policy.ts';

const HOUR = 3_600_000;

function lookBack(...conditions: readonly string[]): number {
  const rules = conditions.map((when) => `  - { tools: ["*"], when: '${when}', gate: run }\n`);
  return policyLookBackMs(loadText(`version: 1\nrules:\n${rules.join('')}`).policy);
}

test('a policy looks back as far as the longest window of its conditions', () => {
  assert.equal(lookBack('args.amount > 5'), 0);
  assert.equal(lookBack('count("1h") > 5'), HOUR);
  assert.equal(lookBack('true || (1.0 < spent("amount", "2d"))', 'count("1h") > 5'), 48 * HOUR);
});

test('a policy looks back without a limit if a condition computes the window', () => {
  assert.equal(lookBack('count(args.window) > 5'), Number.POSITIVE_INFINITY);
});
