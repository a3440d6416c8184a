/**
 * `npm run bench`: measures every row of the table against its baseline, prints it, and writes it to
 * `results.md` beside this file. `npm run bench -- WORD…` measures only the rows whose name contains
 * one of the words; with `quick` among them it measures little. Both write nothing.
 */
import { writeFile } from 'node:fs/promises';
import { BENCHES } from './benches.ts';
import { FULL, type Line, QUICK } from './kit/bench.ts';
import { describeMachine } from './kit/machine.ts';
import { measure, probeApart } from './kit/measure.ts';
import { toTable } from './kit/table.ts';

const words = process.argv.slice(2).filter((word) => word !== 'quick');
const scale = process.argv.includes('quick') ? QUICK : FULL;
const isWhole = words.length === 0 && !scale.isQuick;
const names = Object.keys(BENCHES);
const chosen = names.filter(
  (name) => words.length === 0 || words.some((word) => name.includes(word)),
);
const lines: Line[] = [];
const failed: string[] = [];
for (const name of chosen) {
  const bench = BENCHES[name];
  for (const store of bench?.stores ?? []) {
    console.error(`${name} on ${store} …`);
    if (!bench) continue;
    try {
      lines.push(...(await measure(bench, store, scale, probeApart(name))));
    } catch (error) {
      // The other rows are still worth their time.
      console.error(error);
      failed.push(`${name} on ${store}`);
    }
  }
}
const table = toTable(lines);
console.log(`\n${table}\n\n${describeMachine()}`);
if (failed.length > 0) {
  console.error(`Not measured: ${failed.join(', ')}`);
  process.exitCode = 1;
}
if (isWhole && failed.length === 0)
  await writeFile(new URL('./results.md', import.meta.url), toPage());

function toPage(): string {
  return `# What \`npm run bench\` measured

${table}

Medians of ${scale.rounds} rounds in which both sides take turns, on ${describeMachine()}. Model and Slack answer at once, but for the rows of 10,000 pending calls, which start the real app on the simulated workspace. Redis runs on the same machine with an append-only file; where it is 2 ms away, each of its answers is held back for 2 ms. The stock RedisSaver runs over a facade in place of the modules that it needs, so its numbers are a lower bound. A click at 100 clicks/s is a vote on a call that needs two: it is checked, ruled, written with its audit entry, and the card redrawn.
`;
}
