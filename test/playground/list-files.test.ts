import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listWorkspaceFiles } from '../../src/playground/list-files.ts';
import { makeTempDir } from '../support/temp-dir.ts';

async function tempDir(t: TestContext): Promise<string> {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  return path;
}

test('lists the files of a folder with path, size and text, sorted by path', async (t) => {
  const root = await tempDir(t);
  mkdirSync(join(root, 'b/c'), { recursive: true });
  writeFileSync(join(root, 'z.txt'), '');
  writeFileSync(join(root, 'b/c/ä.txt'), 'grün');
  writeFileSync(join(root, 'a.txt'), 'one');
  assert.deepEqual(await listWorkspaceFiles(root), [
    { path: 'a.txt', size: 3, text: 'one' },
    { path: 'b/c/ä.txt', size: 5, text: 'grün' },
    { path: 'z.txt', size: 0, text: '' },
  ]);
});

test('lists no files for a missing folder', async (t) => {
  assert.deepEqual(await listWorkspaceFiles(join(await tempDir(t), 'later')), []);
});

test('follows no links, and reads no pipes', async (t) => {
  const root = await tempDir(t);
  const outside = await tempDir(t);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(outside, join(root, 'folder'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
  assert.equal(spawnSync('mkfifo', [join(root, 'pipe')]).status, 0);
  assert.deepEqual(await listWorkspaceFiles(root), []);
});

test('reads the beginning of a large file, and the first 200 of many files', async (t) => {
  const root = await tempDir(t);
  writeFileSync(join(root, '!large'), 'x'.repeat(100_000));
  for (let index = 0; index < 210; index += 1) writeFileSync(join(root, `f${index}`), '');
  const [large, ...others] = await listWorkspaceFiles(root);
  assert.equal(large?.size, 100_000);
  assert.equal(large?.text.length, 65_536);
  assert.equal(others.length, 199);
});
