import { join } from 'node:path';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';

/** A key of a program, as created by the command. */
export interface MadeKey {
  readonly id: string;
  readonly token: string;
}

/** Runs a keys command beside an app with its records in the `data` of the folder, and returns its output. */
export async function runKeys(folder: string, ...args: readonly string[]): Promise<string> {
  const out: string[] = [];
  const code = await runCountersign(['keys', ...args], {
    env: { DATA_DIR: join(folder, 'data') },
    clock: createSystemClock(),
    out: (text) => out.push(text),
    write: async (text) => void out.push(text),
    err: (text) => out.push(text),
  });
  if (code !== 0) throw new Error(out.join('\n'));
  return out.join('\n');
}

/** Creates a key for #general and the requester of the simulated workspace. */
export async function makeKey(folder: string, name: string): Promise<MadeKey> {
  const place = ['--owner', 'U0REQUESTER', '--channels', 'C0GENERAL'];
  return JSON.parse(await runKeys(folder, 'create', '--name', name, ...place, '--json'));
}
