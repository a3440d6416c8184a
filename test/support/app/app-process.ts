/** The app in its own process, ended by its process group. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { plainModule } from '../plain-module.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_TIMEOUT_MS = 60_000;

export interface AppProcess {
  /** The address of its HTTP server, as printed. */
  readonly url: string;
  /** Its process group. */
  readonly group: number | undefined;
  /** All its output so far. */
  output(): string;
  /** Asks it to end and waits; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** `kill -9`, like a crash. */
  kill(): Promise<void>;
}

/** The result of a failed start. */
export interface FailedStart {
  readonly code: number | null;
  readonly output: string;
}

/** The start that users use. The default is what it starts: npm alone takes a fifth of a start. */
export const NPM_START = 'npm start';

/** Starts the app with only the given environment, and waits for its address; `entry` is a module of the tests that starts it in another way, or `NPM_START`. */
export async function startApp(
  env: Readonly<Record<string, string>>,
  entry?: string,
): Promise<AppProcess> {
  const { child, output, exited } = launch(env, entry);
  const url = await Promise.race([
    // Earlier log lines may contain other addresses.
    findInOutput(child, output, /(?<=^|Health check: |is open: )https?:\/\/[\w.:[\]-]+/m),
    exited.then((code) => {
      throw new Error(`The app ended with ${code} before it was ready:\n${output()}`);
    }),
  ]);
  return {
    url,
    group: child.pid,
    output,
    async stop() {
      signalGroup(child, 'SIGTERM');
      return await exited;
    },
    async kill() {
      signalGroup(child, 'SIGKILL');
      await exited;
    },
  };
}

/** Starts the app with a configuration that it refuses, and waits for its exit. */
export async function failToStart(env: Readonly<Record<string, string>>): Promise<FailedStart> {
  const { output, exited } = launch(env, NPM_START);
  return { code: await exited, output: output() };
}

function nodeWith(path: string): readonly string[] {
  if (!path.endsWith('.ts')) return [process.execPath, path];
  const { entry, execArgv } = plainModule(path);
  return [process.execPath, ...execArgv, entry];
}

function launch(env: Readonly<Record<string, string>>, entry = 'bin/start.js') {
  const { PATH = '', HOME = '' } = process.env;
  const [command = '', ...args] =
    entry === NPM_START ? ['npm', 'start', '--silent'] : nodeWith(entry);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let written = '';
  const read = (chunk: Buffer) => {
    written += chunk.toString();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  // A test that ends by its timeout must not leave the app behind.
  const end = () => signalGroup(child, 'SIGKILL');
  const endAndExit = () => {
    end();
    process.exit(1);
  };
  process.once('exit', end);
  process.once('SIGTERM', endAndExit);
  child.once('close', () => {
    process.off('exit', end);
    process.off('SIGTERM', endAndExit);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => written, exited };
}

async function findInOutput(
  child: ChildProcess,
  output: () => string,
  pattern: RegExp,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The app printed no address:\n${output()}`)),
      START_TIMEOUT_MS,
    );
    const look = () => {
      const found = pattern.exec(output())?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      child.stdout?.off('data', look);
      resolve(found);
    };
    child.stdout?.on('data', look);
    child.once('close', () => clearTimeout(timer));
  });
}

/** npm and the app share one process group of ours, so no other process is hit. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: it has already ended, as intended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
