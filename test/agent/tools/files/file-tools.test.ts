import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createToolbox } from '../../../../src/agent/tools/create-toolbox.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { NO_SIGNAL, THREAD } from '../../agent-fixture.ts';

const CONTEXT = {
  signal: NO_SIGNAL,
  ...{ callId: 'call_k', idempotencyKey: 'k', report: () => {} },
  requester: { team: 'T1', user: 'U1' },
  thread: THREAD,
};

/** A workspace beside a file that must never be reached. */
function createFiles(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'workspace-'));
  t.after(() => rmSync(base, { recursive: true }));
  const root = join(base, 'workspace');
  mkdirSync(root);
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.txt'), 'secret');
  const { toolbox } = createToolbox({ workspaceDir: root });
  const parsedFor = (name: string, args: JsonValue) => {
    const tool = toolbox.get(name);
    const parsed = tool?.parse(args);
    assert.ok(tool && parsed?.ok, `${name} refused ${JSON.stringify(args)}`);
    return { tool, value: parsed.value };
  };
  return {
    base,
    root,
    put: (path: string, content: string | Uint8Array) => writeFileSync(join(root, path), content),
    get: (path: string) => readFileSync(join(root, path), 'utf8'),
    async run(name: string, args: JsonValue) {
      const { tool, value } = parsedFor(name, args);
      return await tool.run(value, CONTEXT);
    },
    async preview(name: string, args: JsonValue) {
      const { tool, value } = parsedFor(name, args);
      return (await tool.preview?.(value))?.text;
    },
  };
}

test('a file is written, read, edited, listed and deleted', async (t) => {
  const files = createFiles(t);
  assert.equal(await files.run('list_files', {}), '. is empty.');
  assert.equal(
    await files.run('write_file', { path: 'notes/a.md', content: 'one\ntwo\nthrée' }),
    'Wrote 14 bytes to notes/a.md.',
  );
  assert.equal(await files.run('read_file', { path: './notes//a.md' }), 'one\ntwo\nthrée');
  assert.equal(await files.run('read_file', { path: 'notes/a.md', fromLine: 2, lines: 1 }), 'two');
  await files.run('edit_file', { path: 'notes/a.md', oldText: 'two\n', newText: "$& $1 $'\n" });
  assert.equal(files.get('notes/a.md'), "one\n$& $1 $'\nthrée");
  files.put('.hidden', '');
  assert.equal(await files.run('list_files', {}), '.hidden (0 bytes)\nnotes/');
  assert.equal(
    await files.run('list_files', { recursive: true }),
    '.hidden (0 bytes)\nnotes/\nnotes/a.md (19 bytes)',
  );
  await files.run('delete_file', { path: 'notes/a.md' });
  await files.run('delete_file', { path: 'notes' });
  assert.deepEqual(await readdir(files.root), ['.hidden']);
});

const ESCAPES: readonly (readonly [what: string, path: string])[] = [
  ['a path upwards', '../outside/secret.txt'],
  ['a path upwards from a folder', 'folder/../../outside/secret.txt'],
  ['an absolute path', '/etc/hostname'],
  ['a drive', 'C:\\secret.txt'],
  ['NUL', 'a\0.txt'],
  ['a link to a file', 'to-file'],
  ['a link to nothing', 'to-nothing'],
  ['a folder that is a link', 'to-folder/secret.txt'],
  ['a new file in a folder that is a link', 'to-folder/new.txt'],
  ['a link deeper down', 'folder/to-folder/secret.txt'],
  ['a link into the workspace', 'to-inside/a.txt'],
  ['a pipe', 'pipe'],
  ['a long path', 'x/'.repeat(501)],
];

const PATHS_THAT_LOOK_RIGHT = /^(?:to-|folder\/to-|pipe)/;

for (const [what, path] of ESCAPES) {
  test(`${what} leads nowhere, in every tool`, async (t) => {
    const { base, root, run, preview } = createFiles(t);
    const outside = join(base, 'outside');
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'folder', 'a.txt'), 'a');
    symlinkSync(join(outside, 'secret.txt'), join(root, 'to-file'));
    symlinkSync(join(outside, 'made-by-us.txt'), join(root, 'to-nothing'));
    symlinkSync(outside, join(root, 'to-folder'));
    symlinkSync('../../outside', join(root, 'folder', 'to-folder'));
    symlinkSync('folder', join(root, 'to-inside'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const before = readFileSync(join(outside, 'secret.txt'), 'utf8');
    // A path that is wrong as text is refused before there is a card; links only when they are opened.
    const isSeen = !PATHS_THAT_LOOK_RIGHT.test(path);
    const rejected = isSeen ? /refused/ : { name: 'WorkspaceError' };
    await assert.rejects(run('read_file', { path }), rejected);
    await assert.rejects(run('write_file', { path, content: 'x' }), rejected);
    await assert.rejects(run('edit_file', { path, oldText: 's', newText: 'x' }), rejected);
    await assert.rejects(run('delete_file', { path }), rejected);
    await assert.rejects(run('list_files', { path }), { name: 'WorkspaceError' });
    await assert.rejects(run('search_files', { path, text: 's' }), rejected);
    for (const name of isSeen ? [] : ['write_file', 'delete_file']) {
      const args = name === 'write_file' ? { path, content: 'x' } : { path };
      const shown = await preview(name, args);
      assert.match(shown ?? '', /^As things stand, this would fail/);
      assert.ok(!shown?.includes(base), 'it names a path of the machine');
    }
    assert.deepEqual(await readdir(outside), ['secret.txt']);
    assert.equal(readFileSync(join(outside, 'secret.txt'), 'utf8'), before);
    assert.ok(!(await readdir(root)).some((name) => name.endsWith('.draft')));
  });
}

test('links and special files are listed with their kind', async (t) => {
  const { base, root, run } = createFiles(t);
  symlinkSync(join(base, 'outside'), join(root, 'link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  assert.equal(
    await run('list_files', { recursive: true }),
    'link (link, not usable)\npipe (other, not usable)',
  );
});

const MISTAKES: readonly (readonly [tool: string, args: JsonValue, why: RegExp])[] = [
  ['read_file', { path: 'none.txt' }, /No such file: none\.txt.*write_file creates/],
  ['read_file', { path: 'none/a.txt' }, /No such file: none/],
  ['read_file', { path: 'folder' }, /is a folder; list_files/],
  ['read_file', { path: 'binary' }, /not a text file \(3 bytes\)/],
  ['read_file', { path: 'zero' }, /not a text file/],
  ['read_file', { path: '.' }, /the workspace itself/],
  ['list_files', { path: 'a.txt' }, /a\.txt is not a folder/],
  ['list_files', { path: 'none' }, /No such file: none/],
  ['search_files', { path: 'none', text: 'a' }, /No such file: none/],
  ['search_files', { path: 'a.txt/b', text: 'a' }, /a\.txt is not a folder/],
  ['write_file', { path: 'folder', content: '' }, /is a folder; name a file/],
  ['write_file', { path: 'a.txt/b.txt', content: '' }, /a\.txt is not a folder/],
  ['write_file', { path: 'n'.repeat(300), content: '' }, /too long/],
  ['edit_file', { path: 'a.txt', oldText: 'nope', newText: '' }, /does not occur.*read_file shows/],
  ['edit_file', { path: 'a.txt', oldText: 'aa', newText: '' }, /more than once/],
  // Two overlapping matches are two.
  ['edit_file', { path: 'a.txt', oldText: 'aba', newText: '' }, /more than once/],
  ['edit_file', { path: 'big.txt', oldText: 'b', newText: '' }, /larger than 256 KB/],
  ['delete_file', { path: 'folder' }, /not empty/],
  ['delete_file', { path: 'none.txt' }, /No such file: none\.txt/],
  ['delete_file', { path: './' }, /the workspace itself/],
];

for (const [name, args, why] of MISTAKES) {
  test(`${name} ${JSON.stringify(args).slice(0, 60)} fails and says what to do`, async (t) => {
    const { put, root, run } = createFiles(t);
    mkdirSync(join(root, 'folder'));
    put('folder/x.txt', 'x');
    put('a.txt', 'aa aa ababa');
    put('binary', Uint8Array.of(0xff, 0xfe, 0x41));
    put('zero', 'a\0b');
    put('big.txt', 'b'.repeat(300_000));
    await assert.rejects(run(name, args), (error: Error) => {
      assert.match(error.message, why);
      assert.ok(!error.message.includes(root), 'it names a path of the machine');
      return true;
    });
    assert.deepEqual((await readdir(root)).sort(), [
      'a.txt',
      'big.txt',
      'binary',
      'folder',
      'zero',
    ]);
  });
}

test('a large file is read up to 1 MB, in whole characters, with a note that it is cut', async (t) => {
  const { put, run } = createFiles(t);
  put('big.txt', `x${'é'.repeat(600_000)}`);
  const text = await run('read_file', { path: 'big.txt' });
  assert.match(text, /é\n\[Only the first 1024 KB of big\.txt were read\.\]$/);
  assert.ok(!text.includes('\ufffd'));
});

test('at most 500 entries are listed, with a note that there are more', async (t) => {
  const { root, put, run } = createFiles(t);
  mkdirSync(join(root, 'a'));
  for (let n = 0; n < 300; n += 1) {
    put(`a/${n}`, '');
    put(`b${n}`, '');
  }
  const lines = (await run('list_files', { recursive: true })).split('\n');
  assert.equal(lines.length, 501);
  assert.match(lines[500] ?? '', /first 500 entries/);
});

test('a write keeps the mode of the file and leaves no other files behind', async (t) => {
  const { root, run } = createFiles(t);
  writeFileSync(join(root, 'run.sh'), '#!/bin/sh', { mode: 0o750 });
  await run('write_file', { path: 'run.sh', content: 'new' });
  assert.equal(statSync(join(root, 'run.sh')).mode & 0o777, 0o750);
  assert.deepEqual(await readdir(root), ['run.sh']);
});

test('a change is shown as a unified diff before anything is changed', async (t) => {
  const { get, preview, put, root } = createFiles(t);
  put('a.txt', 'one\ntwo\n');
  utimesSync(join(root, 'a.txt'), 1_700_000_000, 1_700_000_000);
  const edit = { path: 'a.txt', oldText: 'two', newText: 'three' };
  assert.equal(
    await preview('edit_file', edit),
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three',
  );
  assert.equal(
    await preview('write_file', { path: 'new.txt', content: 'hi\n' }),
    'Creates a new file (3 bytes).',
  );
  assert.equal(
    await preview('delete_file', { path: 'a.txt' }),
    'Permanently deletes a.txt: 8 bytes, last changed on 2023-11-14 at 22:13 UTC.\n--- a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two',
  );
  assert.equal(
    await preview('write_file', { path: 'a.txt', content: 'one\ntwo\n' }),
    'Changes nothing: a.txt has this text already.',
  );
  assert.equal(
    await preview('write_file', { path: 'not/yet/there.txt', content: 'h' }),
    'Creates a new file (1 byte).',
  );
  assert.equal(get('a.txt'), 'one\ntwo\n');
});

test('an empty line of a diff has no trailing space to make visible', async (t) => {
  const { preview, put } = createFiles(t);
  put('a.txt', 'one\n\ntwo\n');
  assert.equal(
    await preview('edit_file', { path: 'a.txt', oldText: 'two', newText: 'three' }),
    '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n\n-two\n+three',
  );
});

test('a change that no diff can show is described in words', async (t) => {
  const { preview, put, root } = createFiles(t);
  put('binary', Uint8Array.of(0, 1, 2));
  put('big.txt', 'b'.repeat(300_000));
  put('lines', Array.from({ length: 5_000 }, (_, n) => `old ${n}`).join('\n'));
  mkdirSync(join(root, 'empty'));
  const content = Array.from({ length: 5_000 }, (_, n) => `new ${n}`).join('\n');
  const say = (path: string) => preview('write_file', { path, content });
  assert.match(
    (await say('binary')) ?? '',
    /^Replaces binary \(3 bytes, not text\) with 43889 bytes/,
  );
  assert.match((await say('big.txt')) ?? '', /^Replaces big\.txt \(300000 bytes, too large/);
  assert.match((await say('lines')) ?? '', /^Replaces lines/);
  assert.match(
    (await preview('delete_file', { path: 'binary' })) ?? '',
    /^Permanently deletes binary: 3 bytes, not text, last changed on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\.$/,
  );
  assert.equal(await preview('delete_file', { path: 'empty' }), 'Deletes the empty folder empty.');
});

test('an aborted run changes nothing', async (t) => {
  const { root } = createFiles(t);
  const { toolbox } = createToolbox({ workspaceDir: root });
  const signal = AbortSignal.abort(new Error('Stopped.'));
  const run = toolbox.get('write_file')?.run({ path: 'a', content: '' }, { ...CONTEXT, signal });
  await assert.rejects(run ?? Promise.resolve(), /Stopped/);
  assert.deepEqual(await readdir(root), []);
});

test('reading tools have low risk, and only tools that may run twice are idempotent', () => {
  const { toolbox } = createToolbox({ workspaceDir: tmpdir() });
  assert.deepEqual(
    toolbox.list().map(({ name, risk, idempotent }) => [name, risk, idempotent]),
    [
      ['list_files', 'low', true],
      ['read_file', 'low', true],
      ['write_file', 'medium', true],
      ['edit_file', 'medium', false],
      ['delete_file', 'high', false],
      ['search_files', 'low', true],
      ['task', 'low', true],
    ],
  );
});
