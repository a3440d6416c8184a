/**
 * `npm run torture`: kills workers at every named point, beside every decision, on both stores, and
 * says what came of it. `npm run torture -- "NAME"` plays one run again, by the name that it had.
 * SEED is a number that fixes all (default 1), SEEDS how often each combination is played (default
 * 1), RUNS how many runs in all instead, STORE `sqlite` or `redis` (default both), LANES how many at
 * a time (default 2).
 */
import { INVARIANTS, type Invariant } from './check/finding.ts';
import { planByName, planRuns } from './drive/plan-run.ts';
import { combine, STORES, type StoreKind } from './drive/points.ts';
import { type RunReport, torture } from './drive/torture.ts';

const TOLD_EVERY = 50;
const { SEED, SEEDS, RUNS, STORE, LANES } = process.env;

const stores = STORES.filter((store) => STORE === undefined || STORE === store);
if (stores.length === 0) throw new Error(`STORE is “${STORE}”; it must be ${STORES.join(' or ')}.`);
const name = process.argv.slice(2).join(' ');
const plans = name === '' ? planRuns(Number(SEED ?? 1), stores, countRuns()) : [planByName(name)];

let ended = 0;
const began = performance.now();
const reports = await torture(plans, {
  lanes: LANES === undefined ? undefined : Number(LANES),
  onRun({ plan, findings }) {
    ended += 1;
    if (findings.length > 0) console.log(`✗ ${plan.name}: ${findings[0]?.what}`);
    if (ended % TOLD_EVERY === 0) console.log(`${ended} of ${plans.length} runs`);
  },
});
for (const line of summarise(reports)) console.log(line);
process.exitCode = reports.every(({ findings }) => findings.length === 0) ? 0 : 1;

function countRuns(): number {
  return RUNS === undefined ? combine(stores).length * Number(SEEDS ?? 1) : Number(RUNS);
}

function summarise(all: readonly RunReport[]): readonly string[] {
  const sum = (of: (report: RunReport) => number) =>
    all.reduce((count, each) => count + of(each), 0);
  const found = (invariant: Invariant) =>
    sum(({ findings }) => findings.filter((finding) => finding.invariant === invariant).length);
  const longest = (store: StoreKind) =>
    Math.max(0, ...all.filter(({ plan }) => plan.store === store).map(({ restMs }) => restMs));
  const rest = (['I5', 'I6', 'I7', 'I9', 'harness'] as const).map(
    (invariant) => `${found(invariant)} against ${invariant} (${INVARIANTS[invariant]})`,
  );
  const [bad] = all.filter(({ findings }) => findings.length > 0);
  const [first] = bad?.findings ?? [];
  return [
    `${all.length} runs, ${sum(({ kills }) => kills)} kills, in ${Math.round((performance.now() - began) / 1000)} s`,
    `effects without approval: ${found('I1')}`,
    `effects twice: ${found('I2')}`,
    `lost messages: ${found('I3')}`,
    `lost decisions: ${found('I4')}`,
    `threads stuck for more than 60 s: ${found('I10')}`,
    `unknown outcomes: ${sum(({ unknowns }) => unknowns)}, wrongly so or not so: ${found('unknown')}`,
    ...rest,
    ...stores.map(
      (store) => `longest way back to rest on ${store}: ${longest(store)} ms of the run’s clock`,
    ),
    ...(bad && first
      ? [
          `First counter-example, in “${bad.plan.name}”: ${first.invariant}, ${INVARIANTS[first.invariant]}: ${first.what}`,
          `What the run left is in ${bad.dir}; “npm run check-run -- ${bad.dir}” judges it again.`,
        ]
      : []),
  ];
}
