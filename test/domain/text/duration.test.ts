import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../src/domain/text/duration.ts';

it('durations are read in every unit, and in combinations', () => {
  const spans = { '45s': 45_000, '30m': 1_800_000, '4h': 14_400_000, '2d': 172_800_000 };
  for (const [text, ms] of Object.entries({ ...spans, '1w': 604_800_000, '1h30m': 5_400_000 })) {
    assert.equal(parseDuration(text), ms, text);
  }
});

it('an invalid duration is rejected', () => {
  for (const text of [
    '',
    '5',
    'm',
    '4 h',
    '-1h',
    '1.5h',
    '0s',
    '1H',
    '1h ',
    '10ms',
    '1e3s',
    '9999999s',
  ]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

it('a duration is written in the form in which it is read', () => {
  assert.deepEqual([90_000, 0, 86_400_000 * 9, 5_400_000].map(formatDuration), [
    '1m30s',
    '0s',
    '9d',
    '1h30m',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
      assert.equal(parseDuration(formatDuration(seconds * 1_000)), seconds * 1_000);
    }),
  );
});
