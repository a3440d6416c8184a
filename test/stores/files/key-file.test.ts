import assert from 'node:assert/strict';
import fs, { readdirSync } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFileKey } from '../../../src/stores/files/key-file.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

test('the first reader creates the key, all others read the same one, and only its owner has access', async (t) => {
  const folder = await makeTempDir();
  t.after(() => folder.remove());
  const keys = await Promise.all(
    Array.from({ length: 8 }, () => createFileKey(folder.path).read()),
  );
  const texts = new Set(keys.map((key) => Buffer.from(key).toString('hex')));
  assert.equal(texts.size, 1);
  assert.match([...texts][0] ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(await readdir(folder.path), ['installation.key']);
  const file = join(folder.path, 'installation.key');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o644);
  await createFileKey(folder.path).read();
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a truncated key is refused with instructions', async (t) => {
  const folder = await makeTempDir();
  t.after(() => folder.remove());
  await writeFile(join(folder.path, 'installation.key'), 'short');
  await assert.rejects(createFileKey(folder.path).read(), /5 bytes instead of 32\. Restore it/);
});

test('a key and its directory entry are synced to disk before use', async (t) => {
  const folder = await makeTempDir();
  t.after(() => folder.remove());
  const synced: string[] = [];
  const { fsyncSync } = fs;
  t.mock.method(fs, 'fsyncSync', (descriptor: number) => {
    synced.push(...readdirSync(folder.path), String(fs.fstatSync(descriptor).isDirectory()));
    fsyncSync(descriptor);
  });
  syncBuiltinESMExports();
  t.after(() => void setImmediate().then(syncBuiltinESMExports));
  await createFileKey(folder.path).read();
  assert.deepEqual(synced, ['installation.key', 'true']);
  await createFileKey(folder.path).read();
  assert.equal(synced.length, 2);
});
