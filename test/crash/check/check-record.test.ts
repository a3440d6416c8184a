/** The checker works: each invariant is broken by hand, and the checker finds it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRecord } from './check-record.ts';
import { INVARIANTS } from './finding.ts';
import { dumpOf, healthyRun, seal } from './healthy-run.ts';
import { VIOLATIONS } from './violations.ts';

describe('the checker', () => {
  it('finds nothing in a healthy run', () => {
    assert.deepEqual(checkRecord(seal(healthyRun())), []);
  });

  it('finds nothing in a healthy run with a restart', () => {
    const draft = healthyRun();
    assert.deepEqual(checkRecord(seal(draft, [dumpOf(draft, 'restart', [draft.call])])), []);
  });

  for (const [invariant, name, what, violate] of VIOLATIONS) {
    it(`finds ${name} (${invariant})`, () => {
      const draft = healthyRun();
      const record = violate(draft) ?? seal(draft);
      const found = checkRecord(record).filter((finding) => finding.invariant === invariant);
      assert.ok(
        found.some((finding) => what.test(finding.what)),
        JSON.stringify(found),
      );
    });
  }

  it('reports that a run without an end cannot be judged', () => {
    const record = { ...seal(healthyRun()), dumps: [] };
    assert.deepEqual(checkRecord(record), [
      { invariant: 'harness', what: 'there is no dump of the end' },
    ]);
  });

  it('is tested on every invariant', () => {
    const tried = new Set(VIOLATIONS.map(([invariant]) => invariant));
    const all = Object.keys(INVARIANTS).filter((each) => each !== 'harness');
    assert.deepEqual([...tried].sort(), all.sort());
  });
});
