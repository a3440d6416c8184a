import { once } from 'node:events';
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { inspect } from 'node:util';
import { AGENT_COMMANDS, runAgentCommand } from './commands/agent-commands.ts';
import { EnvFileError, readEnvFile } from './config/env-file/read-env-file.ts';
import { toTerminalLines } from './domain/text/terminal-text.ts';
import { createSystemClock } from './process/system-clock.ts';

/** Whoever reads the output may have had enough, as `head` has. */
class EnoughError extends Error {}

const besideAgent = AGENT_COMMANDS.find((name) => name === process.argv[2]);
let isEnough = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Those beside an agent look at each of their writes.
  if (error.code !== 'EPIPE' && !besideAgent) throw error;
  isEnough = true;
});

async function write(text: string): Promise<void> {
  const hasRoom = isEnough || process.stdout.write(text);
  if (!hasRoom) await once(process.stdout, 'drain').catch(() => undefined);
  if (isEnough) throw new EnoughError();
}

/** They run in whatever folder an agent works in: its `.env` is not ours, and might name another desk. */
async function runBesideAgent(name: (typeof AGENT_COMMANDS)[number]): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => ending.abort());
  }
  process.exitCode = await runAgentCommand(name, process.argv.slice(3), {
    env: process.env,
    input: process.stdin,
    output: process.stdout,
    isUnheard: isOutputClosed(),
    clock: createSystemClock(),
    err: writeError,
    signal: ending.signal,
  });
}

/** Node opens the null device in place of a standard output that is closed. */
function isOutputClosed(): boolean {
  const output = fstatSync(1);
  return (
    output.isCharacterDevice() && output.rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev
  );
}

function writeError(text: string): void {
  process.stderr.write(`${toTerminalLines(text)}\n`);
}

async function runAlone(): Promise<void> {
  // The doctor reports what is wrong with the file as it does the rest.
  const isDoctor = process.argv[2] === 'doctor';
  // What is set already wins over the file, as it does for the app.
  const file = isDoctor ? {} : readEnvFile();
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value;
  // An agent that waits for the ones above need not wait for what only these need.
  const { runCountersign } = await import('./commands/run-countersign.ts');
  process.exitCode = await runCountersign(process.argv.slice(2), {
    env: process.env,
    readEnvFile,
    clock: createSystemClock(),
    out: (text) => process.stdout.write(`${text}\n`),
    write,
    err: writeError,
  });
}

const isQuestion = process.argv.includes('--help') || process.argv.includes('-h');
try {
  await (besideAgent && !isQuestion ? runBesideAgent(besideAgent) : runAlone());
} catch (error) {
  if (!(error instanceof EnoughError)) {
    writeError(error instanceof EnvFileError ? error.message : inspect(error));
    // Any other code than 2 lets an agent's tool run.
    process.exitCode = besideAgent === 'hook' ? 2 : 1;
  }
}
