import { statSync } from 'node:fs';
import { runCountersign } from './commands/run-countersign.ts';
import { createSystemClock } from './system-clock.ts';

// What is set already wins over the file, as it does for the app.
if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env');
process.exitCode = await runCountersign(process.argv.slice(2), {
  env: process.env,
  clock: createSystemClock(),
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
