/** Backups that are made beside a running app, and errors for incomplete copies. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createFileKey } from '../../src/stores/files/key-file.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { callIn, draftAt, NOW, openAuditStage } from './audit/audit-stage.ts';

describe('countersign backup', () => {
  it('copies what a running app has just written, and restores all of it', async (t) => {
    const { call, dir, installationKey, store } = await openAuditStage(t, 'SQLite');
    const { path: other, remove } = await makeTempDir();
    t.after(remove);
    const key = await installationKey.read();
    await store.audit.append([draftAt(NOW), draftAt(NOW + 1)]);
    const file = join(other, 'monday.db');
    const made = await call('backup', file);
    assert.deepEqual([made.code, made.err], [0, '']);
    assert.match(
      made.out,
      /The records are in .*monday\.db\.\n.*monday\.db\.key\. Store it separately/,
    );
    assert.deepEqual(readdirSync(other).sort(), ['monday.db', 'monday.db.key']);
    for (const name of readdirSync(other)) {
      assert.equal(statSync(join(other, name)).mode & 0o777, 0o600, name);
    }
    await store.audit.append([draftAt(NOW + 2)]);

    const restored = join(other, 'restored');
    mkdirSync(restored);
    copyFileSync(file, join(restored, 'countersign.db'));
    copyFileSync(`${file}.key`, join(restored, 'installation.key'));
    const again = createSqliteStore({ dataDir: restored, clock: createManualClock(NOW) });
    assert.equal(await again.audit.newest(), 2);
    assert.deepEqual(await createFileKey(restored).read(), key);
    await again.close();
    assert.equal((await callIn({ DATA_DIR: restored }, ['audit', 'verify'])).code, 0);
    assert.equal(dir === restored, false);
  });

  it('overwrites nothing, writes into no folder of records, and leaves no partial file', async (t) => {
    const { call, dir } = await openAuditStage(t, 'SQLite');
    const { path: other, remove } = await makeTempDir();
    t.after(remove);
    const file = join(other, 'there.db');
    writeFileSync(file, 'precious');
    const there = await call('backup', file);
    assert.equal(there.code, 1);
    assert.match(there.err, /there\.db already exists.*Choose another name/);
    const inside = await call('backup', join(dir, 'backup.db'));
    assert.equal(inside.code, 2);
    assert.match(inside.err, /is inside DATA_DIR/);
    const nowhere = await call('backup', join(other, 'no', 'such', 'folder.db'));
    assert.notEqual(nowhere.code, 0);
    assert.deepEqual(readdirSync(other), ['there.db']);
    const nothing = await callIn({ DATA_DIR: join(other, 'none') }, ['backup', join(other, 'x')]);
    assert.match(nothing.err, /There is nothing to back up/);
    assert.equal((await call('backup')).code, 2);
  });

  it('says how Redis is backed up', async (t) => {
    const { call } = await openAuditStage(t, 'Redis');
    const { code, err } = await call('backup', '/tmp/never.db');
    assert.equal(code, 1);
    assert.match(err, /redis-cli BGSAVE/);
    assert.equal(existsSync('/tmp/never.db'), false);
  });

  it('is recommended if a database file was copied without its log', async (t) => {
    const { dir } = await openAuditStage(t, 'SQLite');
    const { path: other, remove } = await makeTempDir();
    t.after(remove);
    copyFileSync(join(dir, 'countersign.db'), join(other, 'countersign.db'));
    for (const command of [
      ['keys', 'list'],
      ['audit', 'verify'],
    ]) {
      const { code, err } = await callIn({ DATA_DIR: other }, command);
      assert.equal(code, 1);
      assert.match(
        err,
        /lacks the data of the -wal file beside the original.*countersign backup FILE/,
      );
      assert.doesNotMatch(err, /older Countersign/);
    }
  });
});
