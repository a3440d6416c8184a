/**
 * The test command: what the machine lacks, the static checks, then every test file, since Node 20
 * finds neither globs nor TypeScript by itself. Its last line is the test runner's own summary.
 * `npm test -- WORD…` runs only the files whose path holds one of the words, and no static checks.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleTests } from './support/bundle-tests.ts';
import { isWhole } from './support/sample.ts';
import { findChromium, hasRedis, provideSystemNeeds } from './support/system-needs.ts';

const CHECKS = [['tsc'], ['biome', 'check'], ['knip']] as const;
const CONCURRENCY = 3;
/** One file; the whole of a long proof takes its time. */
const TIMEOUT_MS = isWhole ? 7_200_000 : 600_000;

/** Areas in which the files of a folder run in one process: it takes longer to start than most do to run. */
const BY_FOLDER = [
  'test/agent/',
  'test/commands/',
  'test/config/',
  'test/desk/',
  'test/domain/',
  'test/mcp/',
  'test/net/',
  'test/playground/workspace/',
  'test/policy/',
  'test/slack/',
  'test/stores/redis/',
  'test/stores/sqlite/',
] as const;

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

function runChecks(): boolean {
  const failed = CHECKS.filter(([name, ...args]) => {
    console.log(`> ${[name, ...args].join(' ')}`);
    const { status } = spawnSync(`node_modules/.bin/${name}`, args, { stdio: 'inherit' });
    return status !== 0;
  });
  if (failed.length > 0) console.error(`Failed: ${failed.map(([name]) => name).join(', ')}`);
  return failed.length === 0;
}

function findTests(): readonly string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => `test/${path}`)
    .sort();
  if (words.length === 0) return all;
  return all.filter((path) => words.some((word) => path.includes(word)));
}

/** Test files that start a Redis, or lie where only such files are, name it. */
function usesRedis(path: string): boolean {
  return /redis/i.test(path) || /redis/i.test(readFileSync(path, 'utf8'));
}

/** What runs in a process of its own, by name: the files of such a folder, or any other file. */
function toUnits(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const units = new Map<string, string[]>();
  for (const file of files) {
    const isOfFolder = BY_FOLDER.some((area) => file.startsWith(area));
    const name = toName(isOfFolder ? dirname(file) : file);
    units.set(name, [...(units.get(name) ?? []), file]);
  }
  return units;
}

function toName(path: string): string {
  return path.replace(/\.tsx?$/, '').replaceAll('/', '-');
}

/** Resolves with whether all passed; with CI=true a test that was skipped has not passed. */
async function runTests(files: readonly string[], folder: string): Promise<boolean> {
  let failures = 0;
  let skipped = 0;
  // They need no tsx, which this process was started with, and their stacks tell of their sources.
  process.execArgv.splice(0, process.execArgv.length, '--enable-source-maps');
  const events = run({
    files: [...(await bundleTests(toUnits(files), folder))],
    concurrency: CONCURRENCY,
    timeout: TIMEOUT_MS,
  });
  events.on('test:fail', () => {
    failures += 1;
  });
  events.on('test:pass', ({ skip, todo }) => {
    if (skip !== undefined || todo !== undefined) skipped += 1;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  if (isCi && skipped > 0) console.error(`With CI=true nothing may be skipped; ${skipped} were.`);
  return failures === 0 && !(isCi && skipped > 0);
}

const found = findTests();
if (found.length === 0) console.error(`No test file holds ${words.join(' or ')} in its path.`);
const isReady = provideMachine();
const files = hasRedis() ? found : found.filter((path) => !usesRedis(path));
const isSound = words.length > 0 || runChecks();
// Beneath the packages that the tests import.
const folder = join('dist', `test-${process.pid}`);
const hasPassed =
  files.length > 0 &&
  (await runTests(files, folder).finally(() => rmSync(folder, { recursive: true, force: true })));
process.exitCode = isReady && isSound && hasPassed ? 0 : 1;
