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

test('the files of a folder come with path, size and text, sorted by path', async (t) => {
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

test('a folder that is not there has no files', async (t) => {
  assert.deepEqual(await listWorkspaceFiles(join(await tempDir(t), 'later')), []);
});

test('links are not followed, and pipes are not read', async (t) => {
  const root = await tempDir(t);
  const outside = await tempDir(t);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(outside, join(root, 'folder'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
  assert.equal(spawnSync('mkfifo', [join(root, 'pipe')]).status, 0);
  assert.deepEqual(await listWorkspaceFiles(root), []);
});

test('of a large file the beginning is read, and of many files the first 200', async (t) => {
  const root = await tempDir(t);
  writeFileSync(join(root, '!large'), 'x'.repeat(100_000));
  for (let index = 0; index < 210; index += 1) writeFileSync(join(root, `f${index}`), '');
  const [large, ...others] = await listWorkspaceFiles(root);
  assert.equal(large?.size, 100_000);
  assert.equal(large?.text.length, 65_536);
  assert.equal(others.length, 199);
});
