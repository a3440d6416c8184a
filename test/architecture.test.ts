import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  findCycle,
  findRoomCycle,
  importsOf,
  readSourceTree,
  type SourceTree,
} from './support/source-tree.ts';

/** A folder of `src`, or one of its two top-level files, and what else it may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  client: [],
  desk: ['domain'],
  net: ['domain'],
  agent: ['domain', 'net'],
  stores: ['domain'],
  policy: ['domain'],
  http: ['domain', 'desk', 'net'],
  slack: ['domain', 'desk'],
  mcp: ['domain', 'client', 'net'],
  process: ['domain'],
  config: ['domain'],
  app: [
    'domain',
    'desk',
    'agent',
    'stores',
    'policy',
    'http',
    'slack',
    'mcp',
    'net',
    'config',
    'process',
  ],
  commands: ['domain', 'agent', 'policy', 'stores', 'slack', 'mcp', 'client', 'config', 'process'],
  cli: ['domain', 'config', 'process', 'commands'],
  playground: ['domain', 'client', 'net', 'config', 'process', 'app'],
  main: ['domain', 'config', 'process', 'app', 'playground'],
};

/** A package, or all packages with this prefix, and its only importers; the first matching row counts. */
const PACKAGES: readonly (readonly [name: string, layers: readonly string[]])[] = [
  ['@langchain/langgraph-checkpoint', ['stores', 'agent']],
  ['@langchain/core/runnables', ['stores', 'agent']],
  ['@langchain/', ['agent']],
  ['langchain', ['agent']],
  ['@slack/types', ['slack', 'playground']],
  ['@slack/', ['slack']],
  ['better-sqlite3', ['stores']],
  ['redis', ['stores']],
  // A file that mounts routes on the server of the app has to name its type.
  ['hono', ['http', 'playground', 'app']],
  ['@hono/', ['http', 'playground']],
  ['pino', ['process', 'app']],
  ['@modelcontextprotocol/', ['mcp', 'agent']],
  ['@copilotkit/', ['playground']],
  ['emulate', ['playground']],
  ['esbuild', ['playground']],
  ['preact', ['playground']],
  ['ws', ['playground']],
  ['canonicalize', ['domain']],
  ['diff', ['domain']],
  ['@marcbachmann/', ['policy']],
  ['yaml', ['policy', 'commands']],
  ['leven', ['policy', 'config', 'agent', 'slack', 'commands']],
  ['csv-stringify', ['commands']],
  ['node:vm', ['domain']],
  ['node:crypto', ['domain', 'agent', 'stores', 'policy', 'slack', 'http', 'playground', 'app']],
  [
    '',
    [
      'net',
      'agent',
      'stores',
      'policy',
      'http',
      'slack',
      'mcp',
      'playground',
      'process',
      'config',
      'app',
      'commands',
      'cli',
      'main',
    ],
  ],
];

const MAX_LINES = 300;
/** A larger room is hard to understand. */
const MAX_FILES = 15;
/** It is copied as one file. */
const MAX_LINES_OF: Readonly<Record<string, number>> = { 'client/countersign-client.ts': 600 };

/** Words that bypass a port, and the only places where they are allowed. */
const RESERVED: readonly (readonly [what: string, word: RegExp, places: RegExp])[] = [
  [
    'the time of the machine',
    /\bDate\.now\b|\bnew Date\(\)/,
    /^process\/system-clock\.ts$|^playground\/page\//,
  ],
  [
    'a timer',
    /\bset(?:Timeout|Interval)\(/,
    /^(?:process\/system-clock|stores\/redis\/connection\/with-timeout)\.ts$|^playground\/|^client\//,
  ],
  [
    'a raw payload of Slack',
    /\bbody\b|\bparseInbound\(/,
    /^(?!slack\/(?:assistant|cards|forms|home|interactions|outbound|people|routes)\/)/,
  ],
  ['the environment', /\bprocess\.env\b/, /^(?:main|cli)\.ts$/],
  ['an exit of the process', /\bprocess\.exit\b/, /^main\.ts$/],
];

/** Layers whose rooms (their folders) depend in one direction. */
const ONE_WAY = ['desk', 'domain', 'slack'];

function layerOf(path: string): string {
  return (path.split('/')[0] ?? '').replace(/\.ts$/, '');
}

function judgeImport(path: string, target: string): string | undefined {
  const layer = layerOf(path);
  if (target.startsWith('package:')) {
    const name = target.slice('package:'.length);
    const [, layers = []] = PACKAGES.find(([start]) => name.startsWith(start)) ?? [];
    return layers.includes(layer) ? undefined : `${path} (${layer}) must not import ${name}`;
  }
  const other = layerOf(target);
  if (target.startsWith('..')) return `${path} imports ${target}, outside src`;
  if (other === layer || LAYERS[layer]?.includes(other)) return undefined;
  return `${path} (${layer}) must not import ${target} (${other})`;
}

function countFiles(tree: SourceTree): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of tree.keys()) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

function violationsOf(tree: SourceTree): readonly string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (!LAYERS[layerOf(path)]) found.push(`${path} is in no layer that this test knows`);
    const lines = text.trimEnd().split('\n').length;
    const most = MAX_LINES_OF[path] ?? MAX_LINES;
    if (lines > most) found.push(`${path} has ${lines} lines, more than ${most}`);
    for (const target of importsOf(path, text)) found.push(judgeImport(path, target) ?? '');
    for (const [what, word, places] of RESERVED) {
      if (word.test(text) && !places.test(path)) found.push(`${path} must not use ${what}`);
    }
  }
  for (const [folder, count] of countFiles(tree)) {
    if (count > MAX_FILES) found.push(`${folder} has ${count} files, more than ${MAX_FILES}`);
  }
  const cycle = findCycle(tree);
  if (cycle) found.push(`these import each other in a circle: ${cycle.join(' → ')}`);
  for (const layer of ONE_WAY) {
    const rooms = findRoomCycle(tree, layer);
    if (rooms) found.push(`these rooms import each other in a circle: ${rooms.join(' → ')}`);
  }
  return found.filter((violation) => violation !== '');
}

test('src has no import cycles, long files, or imports that its layers forbid', () => {
  const tree = readSourceTree(new URL('../src/', import.meta.url));
  assert(tree.size > 100);
  assert.deepEqual(violationsOf(tree), []);
});

const PLANTED: readonly (readonly [path: string, text: string, violation: RegExp])[] = [
  ['domain/a.ts', "import { z } from 'zod';", /must not import zod/],
  ['domain/a.ts', "import { readFileSync } from 'node:fs';", /must not import node:fs/],
  ['domain/a.ts', "import type { Desk } from '../desk/desk.ts';", /must not import desk\/desk\.ts/],
  ['desk/a.ts', "import {\n  a,\n  b,\n} from '../stores/sqlite/b.ts';", /must not import stores/],
  ['slack/cards/a.ts', "import { a } from '../../agent/b.ts';", /must not import agent/],
  ['agent/a.ts', "export { a } from '../slack/b.ts';", /must not import slack/],
  ['stores/a.ts', "import '../http/b.ts';", /must not import http/],
  ['stores/a.ts', "import { A } from '@langchain/langgraph';", /must not import @langchain/],
  ['slack/a.ts', "const a = await import('@langchain/openai');", /must not import @langchain/],
  ['playground/a.ts', "import { App } from '@slack/bolt';", /must not import @slack\/bolt/],
  ['playground/a.ts', "import { a } from '../agent/b.ts';", /must not import agent/],
  ['config/a.ts', "import { createApp } from '../app/b.ts';", /must not import app\/b\.ts/],
  ['app/a.ts', "import { a } from '../playground/b.ts';", /must not import playground/],
  ['app/a.ts', "import { a } from '../../test/support/b.ts';", /outside src/],
  ['desk/a.ts', 'export const now = () => Date.now();', /time of the machine/],
  ['slack/a.ts', 'setTimeout(() => {}, 1);', /a timer/],
  ['agent/a.ts', 'export const key = process.env.KEY;', /the environment/],
  ['slack/home/a.ts', 'export const a = ({ body }: B) => body.user;', /a raw payload of Slack/],
  ['slack/home/a.ts', "import { createClient } from 'redis';", /redis/],
  ['helpers/a.ts', 'export const a = 1;', /no layer/],
  ['domain/a.ts', 'export const a = 1;\n'.repeat(MAX_LINES + 1), /301 lines/],
];

for (const [path, text, violation] of PLANTED) {
  test(`finds a planted violation: ${path}, ${text.slice(0, 60).replaceAll('\n', ' ')}`, () => {
    const found = violationsOf(new Map([[path, text]]));
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', violation);
  });
}

test('every row of the package table names an importable package', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const unknown = PACKAGES.map(([start]) => start).filter(
    (start) =>
      !start.startsWith('node:') &&
      !names.some((name) => name.startsWith(start) || start.startsWith(`${name}/`)),
  );
  assert.deepEqual(unknown, []);
});

test('finds a folder with too many files', () => {
  const paths = Array.from({ length: MAX_FILES + 1 }, (_, n) => `domain/calls/a${n}.ts`);
  const tree = new Map(paths.map((path) => [path, '']));
  assert.match(violationsOf(tree).join(), /domain\/calls has 16 files/);
});

test('finds a planted import cycle, even one of types only', () => {
  const circle = new Map([
    ['domain/a.ts', "import { b } from './b.ts';"],
    ['domain/b.ts', "import type { C } from './c.ts';"],
    ['domain/c.ts', "export * from './a.ts';"],
  ]);
  assert.match(
    violationsOf(circle).join(),
    /domain\/a\.ts → domain\/b\.ts → domain\/c\.ts → domain\/a\.ts/,
  );
});

test('finds a planted cycle between rooms, even without a cycle between files', () => {
  const circle = new Map([
    ['domain/a/one.ts', "import { b } from '../b/one.ts';"],
    ['domain/b/one.ts', 'export const b = 1;'],
    ['domain/b/c/two.ts', "import type { A } from '../../a/two.ts';"],
    ['domain/a/two.ts', 'export type A = 1;'],
  ]);
  assert.match(violationsOf(circle).join(), /rooms .*: domain\/a → domain\/b → domain\/a/);
});
