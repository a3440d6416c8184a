/**
 * `npm run torture`: kills workers at every named point, with every decision, in every column, and
 * prints the results. The columns are the stores, and SQLite on a machine that loses its power:
 * unsynced data is lost then, in part or completely. `npm run torture -- "NAME"` plays one run
 * again by its name. SEED is the random seed (default 1), SEEDS how often each
 * combination is played (default 1), RUNS how many runs in all instead, STORE one column (default
 * all), LANES how many at a time (default 2).
 */
import { INVARIANTS } from './check/finding.ts';
import { planByName, planRuns } from './drive/plan-run.ts';
import { COLUMNS, combine } from './drive/points.ts';
import { tableOf } from './drive/summarise.ts';
import { type RunReport, torture } from './drive/torture.ts';

const REPORT_EVERY = 50;
const { SEED, SEEDS, RUNS, STORE, LANES } = process.env;

const columns = COLUMNS.filter((column) => STORE === undefined || STORE === column);
if (columns.length === 0) {
  throw new Error(`STORE is “${STORE}”; it must be ${COLUMNS.join(' or ')}.`);
}
const name = process.argv.slice(2).join(' ');
const plans = name === '' ? planRuns(Number(SEED ?? 1), columns, countRuns()) : [planByName(name)];

let ended = 0;
const began = performance.now();
const reports = await torture(plans, {
  lanes: LANES === undefined ? undefined : Number(LANES),
  onRun({ plan, findings }) {
    ended += 1;
    if (findings.length > 0) console.log(`✗ ${plan.name}: ${findings[0]?.what}`);
    if (ended % REPORT_EVERY === 0) console.log(`${ended} of ${plans.length} runs`);
  },
});
for (const line of summarise(reports)) console.log(line);
process.exitCode = reports.every(({ findings }) => findings.length === 0) ? 0 : 1;

function countRuns(): number {
  return RUNS === undefined ? combine(columns).length * Number(SEEDS ?? 1) : Number(RUNS);
}

function summarise(all: readonly RunReport[]): readonly string[] {
  const [bad] = all.filter(({ findings }) => findings.length > 0);
  const [first] = bad?.findings ?? [];
  return [
    `${all.length} runs in ${Math.round((performance.now() - began) / 1000)} s`,
    ...tableOf(columns, all),
    ...(bad && first
      ? [
          `First counter-example, in “${bad.plan.name}”: ${first.invariant}, ${INVARIANTS[first.invariant]}: ${first.what}`,
          `What the run left is in ${bad.dir}; “npm run check-run -- ${bad.dir}” judges it again.`,
        ]
      : []),
  ];
}
