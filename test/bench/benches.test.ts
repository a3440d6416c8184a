import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BENCHES } from './benches.ts';
import { QUICK } from './kit/bench.ts';
import { measure } from './kit/measure.ts';
import { toTable } from './kit/table.ts';

// Times are not checked: they depend on the machine.
for (const [name, bench] of Object.entries(BENCHES)) {
  // These start the app for each store, as journeys do too.
  if (name === 'pending' || name === 'clicks') continue;
  for (const store of bench.stores) {
    test(`measures the row ${name} on ${store}`, async () => {
      const lines = await measure(bench, store, QUICK);
      assert.ok(lines.length > 0);
      for (const { what, ours, baseline } of lines) {
        assert.ok(Number.isFinite(ours), `${what}: ours is ${ours}`);
        if (baseline !== undefined) assert.ok(baseline > 0, `${what}: the baseline is ${baseline}`);
      }
    });
  }
}

test('the table shows which goals are met', () => {
  const line = {
    what: 'a thing',
    store: 'Redis',
    unit: 'ms',
    against: 'another thing',
    ours: 30,
    baseline: 20,
    goal: 1.5,
  } as const;
  const table = toTable([line, { ...line, goal: 1.4 }, { ...line, baseline: undefined, goal: 29 }]);
  assert.deepEqual(table.split('\n').slice(2), [
    '| a thing | Redis | 30 ms | 20 ms    | another thing | 1.5 × | ≤ 1.5 × | met     |',
    '| a thing | Redis | 30 ms | 20 ms    | another thing | 1.5 × | ≤ 1.4 × | not met |',
    '| a thing | Redis | 30 ms |          | another thing |       | ≤ 29 ms | not met |',
  ]);
});
