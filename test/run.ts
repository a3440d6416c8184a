/**
 * The test command: reports what the machine lacks, then runs every test file (Node 20 supports neither
 * globs nor TypeScript), beside the static checks. Its last line is the summary of the test runner.
 * `npm test -- WORD…` runs only the files whose path contains one of the words, and no static checks.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { bundleTests } from './support/bundle-tests.ts';
import { PROGRAMS } from './support/plain-module.ts';
import { isWhole, sampleName } from './support/sample.ts';
import { findChromium, hasRedis, provideSystemNeeds } from './support/system-needs.ts';
import { nameOf, toUnits } from './support/test-units.ts';

const CHECKS = [['tsc'], ['biome', 'check'], ['knip']] as const;
const CONCURRENCY = 3;
/** The time limit of one process; the full suite takes long. */
const TIMEOUT_MS = isWhole ? 14_400_000 : 900_000;

const isCi = process.env.CI === 'true';
const words = process.argv.slice(2);

function provideMachine(): boolean {
  const missing = provideSystemNeeds();
  for (const line of missing) console.log(line);
  const chromium = findChromium();
  if (chromium) process.env.CHROMIUM = chromium;
  else delete process.env.CHROMIUM;
  if (missing.length === 0 || !isCi) return true;
  console.error('With CI=true nothing may be left out.');
  return false;
}

/** Runs the static checks one after the other; resolves with whether all passed, and their output. */
async function runChecks(): Promise<{ readonly isSound: boolean; readonly said: string }> {
  const failed: string[] = [];
  let said = '';
  for (const [name, ...args] of CHECKS) {
    const child = spawn(`node_modules/.bin/${name}`, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const exit = once(child, 'exit');
    const [out, err] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
    const [code] = await exit;
    said += `> ${[name, ...args].join(' ')}\n${out}${err}`;
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) said += `Failed: ${failed.join(', ')}\n`;
  return { isSound: failed.length === 0, said };
}

function findTests(): readonly string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => `test/${path}`)
    .sort();
  if (words.length === 0) return all;
  return all.filter((path) => words.some((word) => path.includes(word)));
}

/** Test files that need Redis contain its name, or have it in their path. */
function usesRedis(path: string): boolean {
  return /redis/i.test(path) || /redis/i.test(readFileSync(path, 'utf8'));
}

/** Resolves with whether all passed, including the checks; with CI=true a skipped test counts as a failure. */
async function runAll(files: readonly string[], folder: string): Promise<boolean> {
  const checks = words.length > 0 ? { isSound: true, said: '' } : runChecks();
  let hasPassed = true;
  let skipped = 0;
  /** The output of the checks comes before the summary, which is last. */
  async function* beforeSummary(events: AsyncIterable<TestEvent>) {
    for await (const event of events) {
      const { data, type } = event;
      if (type === 'test:fail') hasPassed = false;
      if (type === 'test:pass' && (data.skip ?? data.todo) !== undefined) skipped += 1;
      if (type === 'test:plan' && data.nesting === 0) {
        const { isSound, said } = await checks;
        hasPassed &&= isSound;
        process.stdout.write(said);
      }
      yield event;
    }
  }
  // They need no tsx, which this process was started with; their stacks show source lines, and
  // with more room for short-lived objects there is less garbage collection.
  const options = ['--enable-source-maps', '--max-semi-space-size=32'];
  process.execArgv.splice(0, process.execArgv.length, ...options);
  const units = new Map([
    ...toUnits(files),
    ...PROGRAMS.map((path) => [nameOf(path), [path]] as const),
  ]);
  const modules = await bundleTests(units, folder);
  process.env.PLAIN_MODULES = resolve(folder);
  const events = run({
    files: modules.slice(0, -PROGRAMS.length),
    concurrency: CONCURRENCY,
    timeout: TIMEOUT_MS,
  });
  const texts = Readable.from(beforeSummary(events)).compose(new spec());
  for await (const text of texts) process.stdout.write(text);
  if (isCi && skipped > 0) console.error(`With CI=true nothing may be skipped; ${skipped} were.`);
  return hasPassed && !(isCi && skipped > 0);
}

const found = findTests();
if (found.length === 0) console.error(`No test file holds ${words.join(' or ')} in its path.`);
// The same value selects the tests that rotate by day.
console.log(sampleName);
const isReady = provideMachine();
const files = hasRedis() ? found : found.filter((path) => !usesRedis(path));
// Inside the repository, so that the tests can import its packages.
const folder = join('dist', `test-${process.pid}`);
const hasPassed =
  files.length > 0 &&
  (await runAll(files, folder).finally(() => rmSync(folder, { recursive: true, force: true })));
process.exitCode = isReady && hasPassed ? 0 : 1;
