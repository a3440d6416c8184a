/** A folder with a policy, and the `countersign` command in it. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = join(ROOT, 'bin/countersign.js');
const { PATH = '', HOME = '' } = process.env;

/** A policy with names, a route, and rules of every gate. */
export const POLICY = `version: 1
routes:
  ops:
    channel: "#ops"
    approvers: [usergroup:S0OPS, "@lead", requester]
    quorum: 2
    deadline: 4h
    remindAfter: 30m
    escalate: { after: 2h, to: requester }
    requireReason: true
rules:
  - { tools: [read_file], gate: run }
  - { tools: [write_file], agent: research, gate: refuse, reason: Research writes nothing. }
  - { tools: [write_file], when: 'args.path == "secret.txt"', gate: refuse, reason: Hands off. }
  - { tools: [write_file], when: 'count("1h") > 1', gate: run }
  - { tools: [write_file], when: '"S0OPS" in requester.groups && requester.email != ""', gate: run }
  - { tools: [write_file], gate: ask, route: ops, risk: high }
`;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, out, err };
}

const clock = createSystemClock();

/** A folder with files, and the command in it: `call` in this process, `start` in one of its own. */
export async function folderWith(t: TestContext, files: Readonly<Record<string, string>>) {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  await mkdir(join(path, 'workspace'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  const policy = 'policy.yaml' in files ? { POLICY_FILE: join(path, 'policy.yaml') } : {};
  async function call(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runCountersign(args, {
      env: { WORKSPACE_DIR: join(path, 'workspace'), ...policy, ...env },
      clock,
      out: (text) => out.push(`${text}\n`),
      write: async (text) => void out.push(text),
      err: (text) => err.push(`${text}\n`),
    });
    const plain = (texts: readonly string[]) => texts.join('').replaceAll(`${path}/`, './');
    return { code, out: plain(out), err: plain(err) };
  }
  const start = (...args: readonly string[]) =>
    run(process.execPath, [PROGRAM, ...args], { cwd: path });
  return { path, call, start };
}
