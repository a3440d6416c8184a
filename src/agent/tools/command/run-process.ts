import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../../domain/ports/clock.ts';
import { createBoundedOutput } from './bounded-output.ts';

/** A program to run, and its limits. */
export interface ProcessRequest {
  readonly command: readonly string[];
  readonly folder: string;
  /** Its complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How a program ended, and its output with both streams in order. */
export interface ProcessEnd {
  readonly kind: 'exited' | 'timed-out';
  /** Undefined if a signal killed it. */
  readonly code: number | undefined;
  readonly signalName: string | undefined;
  readonly output: string;
  readonly tookMs: number;
}

const KEPT_BYTES = 24 * 1024;
/** Processes that left the group may keep the pipe open: stop reading after this time. */
const DRAIN_MS = 500;

/**
 * Standard error goes to the same pipe as standard output, so that both stay in order. If memory runs
 * out, the kernel kills the command before the app. A crash leaves no core file in the workspace.
 */
const PRELUDE = '{ echo 1000 >/proc/self/oom_score_adj; ulimit -c 0; } 2>/dev/null; exec "$@" 2>&1';

/**
 * Runs a program in its own session, with empty standard input. Its process group is killed at the
 * timeout, when `signal` aborts, and when the program ends. Rejects if `signal` aborts.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { command, folder, env, timeoutMs, clock, signal } = request;
  signal.throwIfAborted();
  const startedAt = clock.now();
  const output = createBoundedOutput(KEPT_BYTES, KEPT_BYTES);
  const child = spawn('/bin/sh', ['-c', PRELUDE, 'sh', ...command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));

  let isLate = false;
  const cancelDeadline = clock.schedule(startedAt + timeoutMs, () => {
    isLate = true;
    killGroup(child);
  });
  const stop = () => killGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, signalName } = await untilClosed(child, clock);
    signal.throwIfAborted();
    return {
      kind: isLate ? 'timed-out' : 'exited',
      code,
      signalName,
      output: output.text(),
      tookMs: clock.now() - startedAt,
    };
  } finally {
    cancelDeadline();
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves when the program has ended and its output is read. Kills the rest of its group. */
async function untilClosed(
  child: ChildProcess,
  clock: Clock,
): Promise<{ readonly code: number | undefined; readonly signalName: string | undefined }> {
  let cancel = () => {};
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => {
        killGroup(child);
        cancel = clock.schedule(clock.now() + DRAIN_MS, () => child.stdout?.destroy());
      });
      child.once('close', (code, signalName) =>
        resolve({ code: code ?? undefined, signalName: signalName ?? undefined }),
      );
    });
  } finally {
    cancel();
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group is already empty.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return;
    throw error;
  }
}
