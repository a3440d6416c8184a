/** The file tools, from the model request to the continued thread: what they do, refuse and cannot do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';
import { createToolCalls, type ToolCalls } from './tool-calls.ts';

const SECRET = 'what lies outside';

describe('file tools in the real app', () => {
  let stage: FieldStage;
  let calls: ToolCalls;
  const inside = (path: string) => join(stage.folder, 'workspace', path);
  const outside = (path = '') => join(stage.folder, 'outside', path);

  before(async () => {
    stage = await setFieldStage('socket');
    calls = createToolCalls(stage);
    await mkdir(outside());
    await writeFile(outside('secret.txt'), SECRET);
  });
  after(() => stage.close());

  beforeEach(async () => {
    await rm(inside(''), { recursive: true });
    await mkdir(inside('folder'), { recursive: true });
    await symlink(outside('secret.txt'), inside('to-file'));
    await symlink(outside(), inside('to-folder'));
    execFileSync('mkfifo', [inside('pipe')]);
  });

  /** Nothing outside has changed, and no output mentions what is there, or where it is. */
  async function assertNothingGotOut(): Promise<void> {
    assert.deepEqual(await readdir(outside()), ['secret.txt']);
    assert.equal(await readFile(outside('secret.txt'), 'utf8'), SECRET);
    const said = `${JSON.stringify(stage.model.requests)}${JSON.stringify(stage.workspace.see('requester').messages)}`;
    assert.ok(!said.includes(SECRET), 'What is outside was told.');
    assert.ok(!said.includes(stage.folder), 'A path of the machine was told.');
  }

  it('valid paths: written, read, listed, edited, sent and deleted', async () => {
    const written = await calls.approved('write_file', { path: 'notes/a.txt', content: 'one\n' });
    assert.match(written.before, /Creates a new file \(4 bytes\)/);
    assert.match(written.told, /Wrote 4 bytes to notes\/a\.txt/);
    const read = await calls.unasked('read_file', { path: 'notes/a.txt' });
    assert.equal(read.told, 'one\n');
    const listed = await calls.unasked('list_files', { path: 'notes' });
    assert.match(listed.told, /a\.txt \(4 bytes\)/);
    const edit = { path: 'notes/a.txt', oldText: 'one', newText: 'two' };
    const edited = await calls.approved('edit_file', edit);
    assert.match(edited.before, /-one\n\+two/);
    assert.equal(await stage.file('notes/a.txt'), 'two\n');
    const sent = await calls.approved('send_file', { path: 'notes/a.txt' });
    assert.match(sent.before, /Size: 4 bytes[\s\S]*two/);
    const [file] = stage.thread(sent.place).flatMap(({ files }) => files);
    assert.equal(file?.name, 'a.txt');
    const deleted = await calls.approved('delete_file', { path: 'notes/a.txt' });
    assert.match(deleted.before, /Permanently deletes notes\/a\.txt: 4 bytes/);
    assert.match(deleted.told, /Deleted notes\/a\.txt/);
    assert.equal(await stage.file('notes/a.txt'), undefined);
  });

  const rest = { write_file: { content: 'x' }, edit_file: { oldText: 'w', newText: 'x' } };
  const argsOf = (tool: string, path: string) => ({ path, ...rest[tool as keyof typeof rest] });
  const PATHS = ['../outside/secret.txt', 'folder/../../outside/secret.txt', '/etc/passwd', 'a\0b'];
  for (const tool of ['read_file', 'write_file', 'edit_file', 'delete_file', 'send_file']) {
    it(`${tool} with a path that leads up is refused before anybody is asked`, async () => {
      for (const path of PATHS) {
        const { place, told } = await calls.unasked(tool, argsOf(tool, path));
        assert.match(
          told,
          /^Not run: [\s\S]*- path: .*(?:leads up|absolute path|NUL character)/,
          path,
        );
        assert.equal(stage.cards(place).length, 0, path);
      }
      await assertNothingGotOut();
    });
  }

  it('list_files fails for a path that leads up or through a link', async () => {
    for (const path of ['..', '/etc', 'to-folder']) {
      const { told } = await calls.unasked('list_files', { path });
      assert.match(told, /list_files failed: .*(?:leads up|absolute path|links are not followed)/);
    }
    const { told } = await calls.unasked('list_files', { recursive: true });
    assert.match(told, /to-folder \(link, not usable\)/);
    await assertNothingGotOut();
  });

  it('search_files runs unasked, and neither follows a link nor leads up', async () => {
    await writeFile(inside('folder/a.txt'), 'nothing of what lies inside');
    const { told } = await calls.unasked('search_files', { text: 'what lies' });
    assert.equal(told, 'folder/a.txt:\n1: nothing of what lies inside');
    for (const path of ['to-file', 'to-folder', 'pipe']) {
      const failed = await calls.unasked('search_files', { text: 'what', path });
      assert.match(failed.told, /search_files failed: .*(?:is a link|special file)/, path);
    }
    const up = await calls.unasked('search_files', { text: 'what', path: '../outside' });
    assert.match(up.told, /^Not run: [\s\S]*- path: .*leads up/);
    await assertNothingGotOut();
  });

  it('read_file follows no link and does not block on a pipe', async () => {
    for (const path of ['to-file', 'to-folder/secret.txt', 'pipe']) {
      const { told } = await calls.unasked('read_file', { path });
      assert.match(told, /read_file failed: .*(?:links are not followed|special file)/, path);
    }
    await assertNothingGotOut();
  });

  for (const tool of ['write_file', 'edit_file', 'delete_file', 'send_file']) {
    it(`${tool} on a link says on its card that it would fail, and does`, async () => {
      for (const path of ['to-file', 'to-folder/secret.txt', 'pipe']) {
        const { before: shown, after: seen, told } = await calls.approved(tool, argsOf(tool, path));
        const why = /links are not followed|special file|is a link/;
        assert.match(shown, why, path);
        assert.match(seen, why, path);
        assert.match(told, new RegExp(`${tool} failed: .*(?:${why.source})`), path);
      }
      await assertNothingGotOut();
      assert.deepEqual((await readdir(inside(''))).sort(), [
        'folder',
        'pipe',
        'to-file',
        'to-folder',
      ]);
    });
  }

  it('a file replaced while its card is pending is shown again, and followed nowhere', async () => {
    for (const tool of ['write_file', 'edit_file', 'delete_file', 'send_file']) {
      await writeFile(inside('mine.txt'), 'what is mine');
      const args = argsOf(tool, 'mine.txt');
      const { before: anew, told } = await calls.approvedTwice(tool, args, async () => {
        await rm(inside('mine.txt'));
        await symlink(outside('secret.txt'), inside('mine.txt'));
      });
      assert.match(anew, /As things stand, this would fail: mine\.txt is a link/, tool);
      assert.match(told, new RegExp(`${tool} failed: mine\\.txt is a link`), tool);
      await assertNothingGotOut();
      await rm(inside('mine.txt'));
    }
  });

  it('a file created while the card says that it does not exist is not sent unseen', async () => {
    const { before: anew, place } = await calls.approvedTwice(
      'send_file',
      { path: 'new.txt' },
      () => writeFile(inside('new.txt'), 'seen by nobody yet'),
    );
    assert.match(anew, /seen by nobody yet/);
    assert.equal(stage.thread(place).flatMap(({ files }) => files).length, 1);
  });

  it('an ignored call changes nothing', async () => {
    await writeFile(inside('mine.txt'), 'w');
    for (const tool of ['write_file', 'edit_file', 'delete_file', 'send_file']) {
      const { told, place } = await calls.ignored(tool, argsOf(tool, 'mine.txt'));
      assert.match(told, /ignored/i, tool);
      assert.deepEqual(
        stage.thread(place).flatMap(({ files }) => files),
        [],
      );
    }
    assert.equal(await stage.file('mine.txt'), 'w');
  });

  it('a missing, binary or too large file fails with an alternative', async () => {
    await writeFile(inside('bytes'), Uint8Array.of(0xff, 0xfe, 0));
    await writeFile(inside('large.bin'), Buffer.alloc(21 * 1024 * 1024));
    const none = await calls.unasked('read_file', { path: 'none.txt' });
    assert.match(none.told, /No such file: none\.txt.*write_file creates/);
    const bytes = await calls.unasked('read_file', { path: 'bytes' });
    assert.match(bytes.told, /not a text file/);
    const nowhere = await calls.approved('edit_file', argsOf('edit_file', 'none.txt'));
    assert.match(nowhere.before, /As things stand, this would fail: No such file/);
    assert.match(nowhere.told, /edit_file failed: No such file/);
    const gone = await calls.approved('delete_file', { path: 'none.txt' });
    assert.match(gone.told, /delete_file failed: No such file/);
    const large = await calls.approved('send_file', { path: 'large.bin' });
    assert.match(large.before, /at most 20 MB can be sent/);
    assert.match(large.told, /send_file failed: .*at most 20 MB/);
  });
});
