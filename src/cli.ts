import { once } from 'node:events';
import { statSync } from 'node:fs';
import { runCountersign } from './commands/run-countersign.ts';
import { createSystemClock } from './system-clock.ts';

/** Whoever reads the output may have had enough, as `head` has. */
class EnoughError extends Error {}

let isEnough = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  isEnough = true;
});

async function write(text: string): Promise<void> {
  const hasRoom = isEnough || process.stdout.write(text);
  if (!hasRoom) await once(process.stdout, 'drain').catch(() => undefined);
  if (isEnough) throw new EnoughError();
}

// What is set already wins over the file, as it does for the app.
if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env');
try {
  process.exitCode = await runCountersign(process.argv.slice(2), {
    env: process.env,
    clock: createSystemClock(),
    out: (text) => process.stdout.write(`${text}\n`),
    write,
    err: (text) => process.stderr.write(`${text}\n`),
  });
} catch (error) {
  if (!(error instanceof EnoughError)) throw error;
}
