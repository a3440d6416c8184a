/**
 * The test command: what the machine lacks, the static checks, then every test file, since Node 20
 * finds neither globs nor TypeScript by itself. Its last line is the test runner's own summary.
 * `npm test -- WORD…` runs only the files whose path holds one of the words, and no static checks.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { findChromium, hasRedis, provideSystemNeeds } from './support/system-needs.ts';

const CHECKS = [['tsc'], ['biome', 'check'], ['knip']] as const;
const CONCURRENCY = 3;
const TIMEOUT_MS = 600_000;

/** Folders whose files run in one process each: it takes longer to start than most of them do to run. */
const TOGETHER: ReadonlySet<string> = new Set([
  'test/desk',
  'test/slack',
  'test/domain',
  'test/policy',
  'test/commands',
  'test/agent',
  'test/agent/tools',
  'test/agent/providers',
  'test/agent/protocols',
  'test/agent/mcp',
  'test/agent/foreign',
  'test/slack/cards',
  'test/slack/forms',
  'test/slack/home',
  'test/slack/pane',
  'test/slack/routes',
  'test/http',
  'test/mcp',
  'test/net',
  'test/stores/sqlite',
  'test/stores/redis',
  'test/playground/workspace/api',
  'test/playground/workspace/blocks',
  'test/playground/workspace/views',
]);

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

/** Writes a module for each such folder, which runs its files one after the other; returns what is to be run. */
function putTogether(files: readonly string[], folder: string): string[] {
  const apart = files.filter((file) => !TOGETHER.has(dirname(file)));
  const modules = [...TOGETHER].flatMap((name) => {
    const members = files.filter((file) => dirname(file) === name);
    if (members.length === 0) return [];
    const module = join(folder, `${name.replaceAll('/', '-')}.test.mjs`);
    const lines = members.map((file) => `import '${pathToFileURL(resolve(file))}';`);
    writeFileSync(module, lines.join('\n'));
    return [module];
  });
  return [...modules, ...apart];
}

/** Resolves with whether all passed; with CI=true a test that was skipped has not passed. */
async function runTests(files: readonly string[]): Promise<boolean> {
  let failures = 0;
  let skipped = 0;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-tests-'));
  const events = run({
    files: putTogether(files, folder),
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
  rmSync(folder, { recursive: true });
  if (isCi && skipped > 0) console.error(`With CI=true nothing may be skipped; ${skipped} were.`);
  return failures === 0 && !(isCi && skipped > 0);
}

const found = findTests();
if (found.length === 0) console.error(`No test file holds ${words.join(' or ')} in its path.`);
const isReady = provideMachine();
const files = hasRedis() ? found : found.filter((path) => !usesRedis(path));
const isSound = words.length > 0 || runChecks();
const hasPassed = files.length > 0 && (await runTests(files));
process.exitCode = isReady && isSound && hasPassed ? 0 : 1;
