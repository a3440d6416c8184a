/** Bugs are planted in a copy of the source, and the suites must find each of them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleTests } from '../support/bundle-tests.ts';
import { inTurn, sampleName } from '../support/sample.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { BUGS, type PlantedBug } from './bugs.ts';
import { POWER_BUGS } from './power-bugs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function copySource(t: TestContext): Promise<string> {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  for (const name of ['bin', 'src', 'test', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, name), join(path, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  return path;
}

async function plant(folder: string, { edits }: PlantedBug): Promise<void> {
  for (const { file, from, to } of edits) {
    const path = join(folder, file);
    const source = await readFile(path, 'utf8');
    const parts = source.split(from);
    assert.equal(parts.length, 2, `${file} has changed: the bug has to be planted anew.`);
    await writeFile(path, parts.join(to));
  }
}

/** How much of each suite runs: all of it, or the given number of cases. */
const CASES = { SAMPLE: 'all', SEQUENCES: '240', CRASH_RUNS: '8' };
const SMALL = { ...CASES, SHRINK: '0', STORES: 'sqlite' };

/** Runs one suite in the copy; resolves with its exit and its output. */
async function runSuite(folder: string, { only, seed = '3', suite }: PlantedBug) {
  // Left out, so that the inner runner writes TAP and uses only the copy.
  const { NODE_TEST_CONTEXT: _outer, PLAIN_MODULES: _modules, ...env } = process.env;
  const units = new Map([['suite', [suite]]]);
  const files = await bundleTests(units, join(folder, 'dist'), folder);
  const args = ['--enable-source-maps', '--test', '--test-reporter=tap'];
  if (only !== undefined) args.push(`--test-name-pattern=${only}`);
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: folder,
    env: { ...env, ...SMALL, SEED: seed, CRASH_SEED: seed },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, , [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, said };
}

describe(`the crash tests find (${sampleName})`, { concurrency: 3 }, () => {
  for (const bug of inTurn([...BUGS, ...POWER_BUGS])) {
    it(bug.name, async (t) => {
      const folder = await copySource(t);
      await plant(folder, bug);
      const { code, said } = await runSuite(folder, bug);
      assert.equal(code, 1, `Nobody found it:\n${said.slice(-2_000)}`);
      assert.match(said, bug.finds);
    });
  }
});
