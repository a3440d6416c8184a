import assert from 'node:assert/strict';
import { link, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTempDir } from '../../support/temp-dir.ts';
import { draftAt, NOW, openAuditStage } from './audit-stage.ts';

describe('the file of countersign audit export', () => {
  it('never replaces the app’s own records, nor anything that is not a file', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    await stage.store.audit.append([draftAt(NOW), draftAt(NOW)]);
    const { path, remove } = await makeTempDir();
    t.after(remove);
    const at = (name: string) => join(path, name);
    const records = join(stage.dir, 'countersign.db');
    await symlink(stage.dir, at('linked'));
    await symlink(records, at('to-records'));
    await symlink(join(stage.dir, 'later'), at('to-later'));
    await mkdir(at('folder'));
    const inside = /is inside DATA_DIR.*Name a file outside/;
    const wrong: readonly (readonly [file: string, why: RegExp])[] = [
      [records, inside],
      [join(stage.dir, 'installation.key'), inside],
      [join(stage.dir, 'new.jsonl'), inside],
      [at('linked/countersign.db'), inside],
      [at('to-records'), inside],
      [at('to-later'), inside],
      [at('folder'), /is a folder\. Name a file/],
      ['/dev/null', /--out \/dev\/null is a system path/],
      ['-', /Leave it out to write to standard output/],
    ];
    for (const [file, why] of wrong) {
      const { code, err, out } = await stage.call('audit', 'export', '--out', file);
      assert.deepEqual([code, out], [2, ''], file);
      assert.match(err, why);
    }
    await link(records, at('a.jsonl.part'));
    await symlink(join(stage.dir, 'installation.key'), at('b.jsonl.part'));
    const key = await readFile(join(stage.dir, 'installation.key'), 'utf8');
    for (const name of ['a.jsonl', 'b.jsonl']) {
      assert.equal((await stage.call('audit', 'export', '--out', at(name))).code, 0);
    }
    assert.equal(await readFile(join(stage.dir, 'installation.key'), 'utf8'), key);
    assert.equal((await stage.call('audit', 'verify')).code, 0);
  });
});
