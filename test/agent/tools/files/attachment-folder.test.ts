import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createAttachmentFolder } from '../../../../src/agent/tools/files/attachment-folder.ts';
import { createWorkspaceBytes } from '../../../../src/agent/tools/files/workspace-bytes.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const bytes = (text: string) => Buffer.from(text);

async function aFolder(t: TestContext) {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  const root = join(path, 'workspace');
  await mkdir(root);
  const files = createWorkspaceBytes(root);
  return { root, outside: path, files, folder: createAttachmentFolder(files) };
}

async function pathOf(saving: ReturnType<ReturnType<typeof createAttachmentFolder>['save']>) {
  const saved = await saving;
  assert.equal(saved.kind, 'saved');
  return saved.kind === 'saved' ? saved.path : '';
}

describe('the folder for attached files', () => {
  it('stores the same bytes once, and other bytes with the same name beside them', async (t) => {
    const { root, folder } = await aFolder(t);
    const save = (id: string, text: string) =>
      pathOf(folder.save({ id, name: 'a.txt' }, bytes(text)));
    assert.equal(await save('F1', 'one'), 'inbox/a.txt');
    assert.equal(await save('F1', 'one'), 'inbox/a.txt');
    assert.equal(await save('F2', 'two'), 'inbox/a-F2.txt');
    assert.equal(await save('F2', 'two'), 'inbox/a-F2.txt');
    assert.equal(await save('F2', 'three'), 'inbox/a-F2-2.txt');
    assert.deepEqual((await readdir(join(root, 'inbox'))).sort(), [
      'a-F2-2.txt',
      'a-F2.txt',
      'a.txt',
    ]);
    assert.equal(await readFile(join(root, 'inbox/a.txt'), 'utf8'), 'one');
  });

  it('stores ten different files with one name at the same time, each complete', async (t) => {
    const { root, folder } = await aFolder(t);
    const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`.repeat(i + 1));
    const paths = await Promise.all(
      texts.map((text, i) => pathOf(folder.save({ id: `F${i}`, name: 'a.txt' }, bytes(text)))),
    );
    assert.equal(new Set(paths).size, 10);
    const read = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
    assert.deepEqual(read, texts);
    assert.equal((await readdir(join(root, 'inbox'))).length, 10);
  });

  it('never leaves the workspace: an inbox that is a link is refused', async (t) => {
    const { root, outside, folder } = await aFolder(t);
    await mkdir(join(outside, 'target'));
    await symlink(join(outside, 'target'), join(root, 'inbox'));
    const saved = await folder.save({ id: 'F1', name: 'a.txt' }, bytes('x'));
    assert.equal(saved.kind, 'refused');
    assert.match(saved.kind === 'refused' ? saved.why : '', /inbox is (?:a link|not a folder)/);
    assert.deepEqual(await readdir(join(outside, 'target')), []);
  });

  it('never writes through a link with the same name, and does not change its target', async (t) => {
    const { root, outside, folder } = await aFolder(t);
    await mkdir(join(root, 'inbox'));
    await writeFile(join(outside, 'secret'), 'x');
    await symlink(join(outside, 'secret'), join(root, 'inbox/a.txt'));
    assert.equal(
      await pathOf(folder.save({ id: 'F1', name: 'a.txt' }, bytes('x'))),
      'inbox/a-F1.txt',
    );
    assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'x');
  });

  it('skips a folder and a pipe with the same name', async (t) => {
    const { root, folder } = await aFolder(t);
    await mkdir(join(root, 'inbox/a.txt'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'inbox/b.txt')]);
    const save = (name: string) => pathOf(folder.save({ id: 'F1', name }, bytes('x')));
    assert.equal(await save('a.txt'), 'inbox/a-F1.txt');
    assert.equal(await save('b.txt'), 'inbox/b-F1.txt');
  });

  it('names a file by the hash of its bytes if it has no id', async (t) => {
    const { folder } = await aFolder(t);
    const save = (text: string) => pathOf(folder.save({ id: '../x', name: 'a' }, bytes(text)));
    await save('one');
    assert.equal(await save('two'), 'inbox/a-3fc4ccfe');
  });
});

describe('reading bytes from the workspace', () => {
  it('returns the whole file or nothing', async (t) => {
    const { root, files } = await aFolder(t);
    await writeFile(join(root, 'a'), Uint8Array.of(0, 1, 255));
    assert.deepEqual(await files.read('a', 3), {
      kind: 'bytes',
      bytes: Buffer.from([0, 1, 255]),
    });
    assert.deepEqual(await files.read('a', 2), { kind: 'too-large', size: 3 });
    assert.deepEqual(await files.read('none/b', 2), { kind: 'nothing' });
  });

  it('refuses links, folders and paths outside', async (t) => {
    const { root, outside, files } = await aFolder(t);
    await writeFile(join(outside, 'secret'), 'x');
    await symlink(join(outside, 'secret'), join(root, 'link'));
    await mkdir(join(root, 'folder'));
    for (const path of ['link', 'folder', '../secret', join(outside, 'secret'), '.']) {
      await assert.rejects(files.read(path, 100), { name: 'WorkspaceError' }, path);
    }
  });
});
