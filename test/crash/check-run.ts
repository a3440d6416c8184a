/** `npm run check-run -- DIR…`: checks the recorded runs in these folders, and prints the first counter-example. */
import { checkRecord } from './check/check-record.ts';
import { INVARIANTS } from './check/finding.ts';
import { readRecord } from './record.ts';

const dirs = process.argv.slice(2);
if (dirs.length === 0) throw new Error('Name the folder of a run, or several.');
for (const dir of dirs) {
  const [first, ...others] = checkRecord(readRecord(dir));
  if (!first) {
    console.log(`${dir}: all invariants hold.`);
    continue;
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  console.log(`${dir}: ${first.invariant}, ${INVARIANTS[first.invariant]}: ${first.what}${more}`);
  process.exitCode = 1;
}
