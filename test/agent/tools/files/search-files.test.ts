/** The tool that searches the workspace: what it finds, what it reports as left out, and that it stays inside. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  createSearchFiles,
  type SearchLimits,
} from '../../../../src/agent/tools/files/search-files.ts';
import { createWorkspace } from '../../../../src/agent/tools/files/workspace.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { codeBlocksOf, readmeSnippet } from '../../../support/readme-snippet.ts';
import { NO_SIGNAL, THREAD } from '../../agent-fixture.ts';

const CONTEXT = {
  ...{ callId: 'call_k', idempotencyKey: 'k', report: () => {} },
  requester: { team: 'T1', user: 'U1' },
  thread: THREAD,
};
const LIMITS: SearchLimits = {
  ...{ entries: 20_000, ms: 60_000, fileBytes: 1024 * 1024 },
  ...{ matches: 200, outputChars: 30_000 },
};

/** A workspace beside a folder that must never be reached. */
function createFiles(t: TestContext, limits: Partial<SearchLimits> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'search-'));
  t.after(() => rmSync(base, { recursive: true }));
  const root = join(base, 'workspace');
  mkdirSync(root);
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'needle.txt'), 'needle outside');
  const made = createSearchFiles(createWorkspace(root), { ...LIMITS, ...limits });
  assert.equal(made.kind, 'tool');
  const { tool } = made as Extract<typeof made, { kind: 'tool' }>;
  return {
    base,
    root,
    tool,
    put(path: string, content: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    async search(args: JsonValue, signal = NO_SIGNAL) {
      const parsed = tool.parse(args);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      return await tool.run(parsed.value, { ...CONTEXT, signal });
    },
  };
}

test('the example of the README', async (t) => {
  const files = createFiles(t);
  const other = 'x\n'.repeat(4);
  files.put(
    'rules/refunds.md',
    `# Refunds\nAsk above 100 euros.\n${other}Orders of this year only.\nNo refund for vouchers.\n`,
  );
  files.put('rules/refunds.txt', 'refund');
  const room = 'src/agent/tools/README.md';
  const result = codeBlocksOf(room).find(({ language }) => language === 'text')?.code;
  const call = JSON.parse(readmeSnippet(room, '"contextLines"')) as JsonValue;
  assert.equal(`${await files.search(call)}\n`, result);
});

test('matching names and contents are found together, sorted, including hidden files', async (t) => {
  const { put, search } = createFiles(t);
  put('b.txt', 'a needle\nnothing');
  put('needle/needle.bin', Uint8Array.of(0, 1));
  put('.hidden/a', 'needle');
  put('a.txt', 'nothing');
  assert.equal(
    await search({ text: 'needle' }),
    [
      ...['b.txt:', '1: a needle', 'needle/', '.hidden/a:', '1: needle', 'needle/needle.bin'],
      '[1 not text: only the name was searched]',
    ].join('\n'),
  );
  assert.equal(await search({ text: 'needle', path: 'b.txt' }), 'b.txt:\n1: a needle');
  assert.equal(await search({ text: 'needle', path: './.hidden/' }), '.hidden/a:\n1: needle');
  assert.equal(
    await search({ text: 'NEEDLE', path: 'b.txt', ignoreCase: true }),
    'b.txt:\n1: a needle',
  );
  assert.equal(
    await search({ text: 'none', path: 'a.txt' }),
    'Nothing found. Text files searched: 1.',
  );
});

test('a name pattern selects the files, or finds them without a text', async (t) => {
  const { put, search } = createFiles(t);
  for (const path of ['src/a.ts', 'src/deep/b.ts', 'c.ts', 'src/d.md', '[id].ts']) put(path, 'x');
  for (const [name, found] of [
    ['*.ts', '[id].ts\nc.ts\nsrc/a.ts\nsrc/deep/b.ts'],
    ['src/*.ts', 'src/a.ts\nsrc/deep/b.ts'],
    ['**/*.ts', '[id].ts\nc.ts\nsrc/a.ts\nsrc/deep/b.ts'],
    ['src/**/b.ts', 'src/deep/b.ts'],
    ['[id].ts', '[id].ts'],
    ['deep', 'src/deep/'],
    ['C.TS', 'Nothing found.'],
    ['*.{ts,md}', 'Nothing found.\n[In name, only * stands for other characters.]'],
  ] as const) {
    assert.equal(await search({ name }), found, name);
  }
  assert.equal(await search({ name: 'C.TS', ignoreCase: true }), 'c.ts');
  assert.equal(await search({ name: '*.md', text: 'x' }), 'src/d.md:\n1: x');
});

test('a text and a pattern are checked before the search starts', (t) => {
  const { tool } = createFiles(t);
  for (const [args, why] of [
    [{}, /Give text, name or both/],
    [{ text: 'a\nb' }, /name a single line/],
    [{ text: '' }, />=1|at least/],
    [{ text: 'x'.repeat(201) }, /200/],
    [{ text: 'x', contextLines: 11 }, /10/],
    [{ text: 'x', path: '../outside' }, /leads up/],
    [{ text: 'x', path: '/etc' }, /absolute path/],
  ] as const) {
    const parsed = tool.parse(args);
    assert.match(parsed.ok ? 'accepted' : JSON.stringify(parsed), why);
  }
  assert.equal(tool.risk, 'low');
  assert.equal(tool.summary?.({ text: 'a\u0007"b' }), 'Search the workspace for a\\u0007\\"b');
});

test('links and special files are neither followed nor found', async (t) => {
  const { base, put, root, search } = createFiles(t);
  put('in/a.txt', 'needle inside');
  symlinkSync(join(base, 'outside'), join(root, 'needle-folder'));
  symlinkSync(join(base, 'outside', 'needle.txt'), join(root, 'needle-file'));
  symlinkSync('in', join(root, 'needle-inside'));
  symlinkSync('.', join(root, 'in', 'needle-loop'));
  execFileSync('mkfifo', [join(root, 'needle-pipe')]);
  assert.equal(await search({ text: 'needle' }), 'in/a.txt:\n1: needle inside');
  assert.equal(await search({ name: '*' }), 'in/\nin/a.txt');
});

test('a folder or file that is replaced by a link during the search leads nowhere', async (t) => {
  const { base, put, root } = createFiles(t);
  put('folder/needle.txt', 'needle inside');
  put('needle.txt', 'needle inside');
  const read: (string | undefined)[] = [];
  const end = await createWorkspace(root).walk('.', {
    maxEntries: 100,
    async visit({ kind, name, path, read: readText }) {
      if (path === 'folder') {
        renameSync(join(root, 'folder'), join(base, 'moved'));
        symlinkSync(join(base, 'outside'), join(root, 'folder'));
      }
      if (path === 'needle.txt') {
        rmSync(join(root, name));
        symlinkSync(join(base, 'outside', name), join(root, name));
      }
      if (kind === 'file') read.push((await readText(100).catch(() => undefined))?.text);
      return 'continue';
    },
  });
  assert.deepEqual(read, [undefined]);
  assert.deepEqual(end, { isCut: false, unreadable: 1 });
});

test('a file that cannot be read or is not text is counted', async (t) => {
  const { put, root, search } = createFiles(t);
  put('utf-16', Uint8Array.of(0xff, 0xfe, 0x6e, 0));
  put('latin-1', Uint8Array.of(0xe9));
  put('closed', 'needle');
  chmodSync(join(root, 'closed'), 0);
  const isRoot = process.getuid?.() === 0;
  const said = await search({ text: 'needle' });
  assert.match(said, /^\[2 not text: only the name was searched\]$/m);
  assert.match(said, isRoot ? /^closed:$/m : /^\[1 not readable\]$/m);
});

test('only the beginning of a large file is searched, and the result says so', async (t) => {
  const { put, search } = createFiles(t);
  put('big.txt', `needle\n${'é'.repeat(1024 * 1024)}\nneedle`);
  assert.equal(
    await search({ text: 'needle' }),
    'big.txt:\n1: needle\n[1 larger than 1024 KB: only the beginning was searched]',
  );
});

test('a name with several lines is shown on one line, and cannot hide a path', async (t) => {
  const { base, put, search } = createFiles(t);
  put('a\n1: forged', 'needle');
  const said = await search({ text: 'needle' });
  assert.equal(said, 'a\\n1: forged:\n1: needle');
  assert.ok(!said.includes(base));
});

test('the limits of matches, characters, entries and time end a search, and are named', async (t) => {
  for (const [limits, limit, kept] of [
    [{ matches: 5 }, '5 matches', 5],
    [{ outputChars: 50 }, '50 characters', 4],
    [{ entries: 3 }, '3 files and folders', 30],
    [{ ms: 0 }, '0 seconds', 0],
  ] as const) {
    const { put, search } = createFiles(t, limits);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) put(name, 'needle\n'.repeat(10));
    const said = await search({ text: 'needle' });
    const stopped = `[Stopped after ${limit}. Narrow the search with path or name.]`;
    assert.ok(said.split('\n').includes(stopped), said);
    assert.equal(said.split('\n').filter((line) => line.endsWith(': needle')).length, kept, limit);
  }
});

test('ten thousand files are searched within the limits of the tool', async (t) => {
  const { put, root, search } = createFiles(t);
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(root, `${folder}`));
    for (let n = 0; n < 100; n += 1) writeFileSync(join(root, `${folder}`, `${n}.txt`), 'hay\n');
  }
  put('99/needle.txt', 'a needle');
  const startedAt = performance.now();
  assert.equal(await search({ text: 'a needle' }), '99/needle.txt:\n1: a needle');
  assert.ok(performance.now() - startedAt < 30_000);
  const bounded = createSearchFiles(createWorkspace(root), { ...LIMITS, ms: 100 });
  assert.equal(bounded.kind, 'tool');
  const from = performance.now();
  const said =
    bounded.kind === 'tool' &&
    (await bounded.tool.run({ text: 'none' }, { ...CONTEXT, signal: NO_SIGNAL }));
  assert.match(String(said), /Stopped after 0\.1 seconds/);
  assert.ok(performance.now() - from < 2_000);
});

test('a stop ends the search', async (t) => {
  const { put, search } = createFiles(t);
  put('a.txt', 'needle');
  const signal = AbortSignal.abort(new Error('Stopped.'));
  await assert.rejects(search({ text: 'needle' }, signal), /^Error: Stopped\.$/);
  await assert.rejects(search({ text: 'needle', path: 'a.txt' }, signal), /^Error: Stopped\.$/);
});

const WORD = fc.constantFrom('needle', 'Needle', 'nee', 'dle', ' ', 'ß', '😀', '\n', '\r\n', 'x');
const CONTENT = fc.array(WORD, { maxLength: 20 }).map((words) => words.join(''));

test('each line that is returned is in its file at that line', async (t) => {
  const { put, root, search } = createFiles(t);
  await fc.assert(
    fc.asyncProperty(CONTENT, CONTENT, fc.nat(2), async (one, two, contextLines) => {
      put('one', one);
      put('in/two', two);
      const said = await search({ text: 'needle', contextLines });
      let lines: readonly string[] = [];
      const found: string[] = [];
      for (const line of said.split('\n')) {
        const [, number, mark, text = ''] = /^(\d+)([:-]) (.*)$/su.exec(line) ?? [];
        if (mark === undefined && line.endsWith(':')) {
          lines = readFileSync(join(root, line.slice(0, -1)), 'utf8').split('\n');
        }
        if (mark === undefined) continue;
        assert.equal(text, lines[Number(number) - 1]?.replace(/\r$/, ''));
        if (mark === ':') found.push(text);
      }
      const expected = `${one}\n${two}`.split('\n').filter((line) => line.includes('needle'));
      assert.deepEqual(
        found,
        expected.map((line) => line.replace(/\r$/, '')),
      );
    }),
    { numRuns: 100 },
  );
});
