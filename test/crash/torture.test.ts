/**
 * A part of the torture, in every test run: a tenth of the named points, with the store and
 * the decision of the day. CRASH_SEED, CRASH_RUNS and CRASH_STORE (`sqlite` or `redis`)
 * choose another part.
 */
import { it } from 'node:test';
import { isWhole, sample } from '../support/sample.ts';
import { assertNothingFound } from './drive/assert-nothing-found.ts';
import { planRuns } from './drive/plan-run.ts';
import { pointsIn, STORES } from './drive/points.ts';

const { CRASH_SEED = String(sample), CRASH_STORE } = process.env;
const { CRASH_RUNS = String(Math.ceil(pointsIn('redis').length / (isWhole ? 1 : 10))) } =
  process.env;
const stores = STORES.filter((store) => CRASH_STORE === undefined || CRASH_STORE === store);
const plans = planRuns(Number(CRASH_SEED), stores, Number(CRASH_RUNS));

it(`kill -9 in ${plans.length} runs (CRASH_SEED=${CRASH_SEED}) loses nothing, and runs nothing twice or unapproved`, {
  timeout: 600_000,
}, async () => {
  await assertNothingFound(plans);
});
