import { once } from 'node:events';
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { inspect } from 'node:util';
import { AGENT_COMMANDS, runAgentCommand } from './commands/agent-commands.ts';
import { EnvFileError, readEnvFile } from './config/env-file/read-env-file.ts';
import { toTerminalLines } from './domain/text/terminal-text.ts';
import { createSystemClock } from './process/system-clock.ts';

/** The reader closed the output, as `head` does. */
class OutputClosedError extends Error {}

const agentCommand = AGENT_COMMANDS.find((name) => name === process.argv[2]);
let isOutputEnded = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Agent commands check each of their writes themselves.
  if (error.code !== 'EPIPE' && !agentCommand) throw error;
  isOutputEnded = true;
});

async function write(text: string): Promise<void> {
  const isBuffered = isOutputEnded || process.stdout.write(text);
  if (!isBuffered) await once(process.stdout, 'drain').catch(() => undefined);
  if (isOutputEnded) throw new OutputClosedError();
}

/**
 * Agent commands run in the agent's working folder. Its `.env` is not ours and might name another
 * desk, so it is not read.
 */
async function runForAgent(name: (typeof AGENT_COMMANDS)[number]): Promise<void> {
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

/** Node opens the null device if standard output is closed. */
function isOutputClosed(): boolean {
  const output = fstatSync(1);
  return (
    output.isCharacterDevice() && output.rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev
  );
}

function writeError(text: string): void {
  process.stderr.write(`${toTerminalLines(text)}\n`);
}

async function runOther(): Promise<void> {
  // The doctor reads the file itself, to report its problems among the others.
  const isDoctor = process.argv[2] === 'doctor';
  // The environment wins over the file, as in the app.
  const file = isDoctor ? {} : readEnvFile();
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value;
  // Loaded only here, so that agent commands start faster.
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

const asksForHelp = process.argv.includes('--help') || process.argv.includes('-h');
try {
  await (agentCommand && !asksForHelp ? runForAgent(agentCommand) : runOther());
} catch (error) {
  if (!(error instanceof OutputClosedError)) {
    writeError(error instanceof EnvFileError ? error.message : inspect(error));
    // Any exit code other than 2 lets the agent's tool run.
    process.exitCode = agentCommand === 'hook' ? 2 : 1;
  }
}
