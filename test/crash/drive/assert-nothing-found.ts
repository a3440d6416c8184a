/** The expected result of the runs of a torture: no findings. */
import assert from 'node:assert/strict';
import type { RunPlan } from './plan-run.ts';
import { torture } from './torture.ts';

/** Plays the runs; rejects with the first finding of each run that has one. */
export async function assertNothingFound(plans: readonly RunPlan[]): Promise<void> {
  const reports = await torture(plans);
  const bad = reports.filter(({ findings }) => findings.length > 0);
  const told = bad.map(({ plan, dir, findings: [first] }) => ({
    run: plan.name,
    left: dir,
    against: first?.invariant,
    what: first?.what,
  }));
  assert.deepEqual(told, []);
  assert.equal(reports.length, plans.length);
}
