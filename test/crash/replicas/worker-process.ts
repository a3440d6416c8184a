/** The process of `stopping-worker.ts`, and its model. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { plainModule } from '../../support/plain-module.ts';
import {
  createMockModel,
  type MockModel,
  sayCalls,
  sayText,
} from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import type { WorkerOrder } from './stop-points.ts';

const SCRIPT = fileURLToPath(new URL('./stopping-worker.ts', import.meta.url));

/** A model that calls the tool that a message names, and answers the first message “model” once it is released. */
export async function createObedientModel(): Promise<
  MockModel & { readonly held: (() => void)[] }
> {
  const held: (() => void)[] = [];
  const model = await createMockModel(async ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return sayText(`Heard: ${last.content}`);
    const [tool = '', note = ''] = String(last?.content).split(' ');
    if (tool === 'act' || tool === 'act_again') {
      return sayCalls([{ name: tool, args: JSON.stringify({ note }) }]);
    }
    // The first request waits; later ones are answered at once.
    if (tool === 'model' && held.length === 0) {
      await new Promise<void>((resolve) => held.push(resolve));
      return sayText('The answer of the worker that stood still.');
    }
    return sayText('The answer.');
  });
  return Object.assign(model, { held });
}

/** A worker that suspends itself. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Waits for a line with this text that no earlier wait has found. */
  line(part: string): Promise<void>;
  readonly lines: readonly string[];
}

/** Starts it; it ends with this process at the latest. */
export async function startWorker(order: WorkerOrder): Promise<WorkerProcess> {
  const { entry, execArgv } = plainModule(SCRIPT);
  const child = spawn(process.execPath, [...execArgv, entry, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const found = new Set<number>();
  const linesOf = () => written.split('\n').slice(0, -1);
  return {
    child,
    get lines() {
      return linesOf();
    },
    async line(part) {
      await until(() => {
        const at = linesOf().findIndex((line, n) => !found.has(n) && line.includes(part));
        if (at >= 0) found.add(at);
        else assert.equal(child.exitCode, null, `The worker has ended:\n${written}`);
        return at >= 0;
      }, 5);
    },
  };
}

/** Ends it, whether it is suspended or not. */
export async function endWorker({ child }: WorkerProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The effects of its tools, one per line: note and key. */
export async function effectsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}
