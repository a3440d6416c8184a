/** The disk of the whole app: what could not be saved is reported, and no data is corrupted. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { failToStart } from '../../support/app/app-process.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

const isRoot = process.getuid?.() === 0;
const FILES = ['countersign.db', 'countersign.db-wal'] as const;

/** A stage with a pending card. */
async function waitingStage(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const stage = await setFieldStage('http', env);
  t.after(() => stage.close());
  stage.play(sayCall('note', { text: 'on the disk' }), sayText('It is noted.'));
  const place = await stage.ask('requester', 'note it');
  const card = await stage.card(place, 'on the disk', 'Waiting for a decision');
  return { stage, place, card };
}

/** A disk of eight megabytes. */
async function mountDisk() {
  const { path, remove } = await makeTempDir();
  const disk = join(path, 'small');
  mkdirSync(disk);
  const mount = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('mount', [...args, disk]);
    assert.equal(status, 0, String(stderr));
  };
  mount('-t', 'tmpfs', '-o', 'size=8m', 'none');
  return {
    path: disk,
    allow: (what: 'ro' | 'rw') => mount('-o', `remount,${what}`),
    async unmount() {
      assert.equal(spawnSync('umount', [disk]).status, 0);
      await remove();
    },
  };
}

type SmallDisk = Awaited<ReturnType<typeof mountDisk>>;

/** The stage with a pending card, on a disk that is removed with the app. */
async function stageOn(t: TestContext, disk: SmallDisk, dataDir: string) {
  const waiting = await waitingStage(t, { DATA_DIR: dataDir }).catch(async (error: unknown) => {
    await disk.unmount();
    throw error;
  });
  t.after(disk.unmount);
  return waiting;
}

function integrityOf(dataDir: string): unknown {
  const db = new Database(join(dataDir, 'countersign.db'));
  try {
    return db.pragma('integrity_check', { simple: true });
  } finally {
    db.close();
  }
}

async function readiness({ app }: FieldStage) {
  const answer = await fetch(`${app().url}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

function mentionOf({ workspace }: FieldStage, n: number, text: string) {
  const { id: user, teamId: team } = workspace.member('requester');
  const channel = workspace.channel('general').id;
  const ts = `1700000000.${String(n).padStart(6, '0')}`;
  return { type: 'app_mention', user, team, channel, ts, event_ts: ts, text };
}

function settingsOf({ workspace, folder, model }: FieldStage, dataDir: string) {
  return {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_SIGNING_SECRET: workspace.signingSecret,
    SLACK_API_URL: workspace.apiUrl,
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    WORKSPACE_DIR: join(folder, 'workspace'),
    OPENAI_BASE_URL: model.url,
  };
}

describe('the disk', () => {
  it('when full, causes no false confirmation, and the app recovers by itself once there is space', {
    skip: !isRoot && 'Only root mounts a small disk.',
  }, async (t) => {
    const disk = await mountDisk();
    const dataDir = join(disk.path, 'data');
    const { stage, place, card } = await stageOn(t, disk, dataDir);
    const filler = join(disk.path, 'filler');
    writeFileSync(filler, Buffer.alloc(1_000_000));
    for (let size = 1_000_000; size >= 512; size = size / 2) fill(filler, size);
    let refused = 0;
    // The log of the database still has room for a while.
    for (let n = 0; n < 600 && refused < 3; n += 1) {
      const ack = await stage.workspace.deliverEvent(mentionOf(stage, n, 'x'.repeat(30_000)));
      if (ack.kind !== 'refused') assert.fail(`message ${n}: ${JSON.stringify(ack)}`);
      assert.equal(ack.status, 503);
      refused += 1;
    }
    assert.equal(refused, 3);
    const notReady = await readiness(stage);
    assert.deepEqual([notReady.status, /the disk is full/.test(notReady.text)], [503, true]);
    const ack = await stage.press('requester', card, 'call.approve');
    assert.notEqual(ack.kind, 'acknowledged');
    await stage.privately('requester', 'That was not saved');
    assert.deepEqual(await stage.runs(), []);

    rmSync(filler);
    assert.equal((await readiness(stage)).status, 200);
    assert.equal((await stage.press('requester', card, 'call.approve')).kind, 'acknowledged');
    await stage.card(place, 'on the disk', 'Done');
    await stage.answer(place, 'It is noted.');
    assert.equal((await stage.runs()).length, 1);
    assert.equal(await stage.app().stop(), 0);
    assert.equal(integrityOf(dataDir), 'ok');
  });

  it('when read-only, stops the start with what to do, and does not change', {
    skip: !isRoot && 'Only root mounts a small disk.',
  }, async (t) => {
    const disk = await mountDisk();
    const dataDir = join(disk.path, 'data');
    const { stage, place, card } = await stageOn(t, disk, dataDir);
    assert.equal(await stage.app().stop(), 0);
    disk.allow('ro');
    const { code, output } = await failToStart(settingsOf(stage, dataDir));
    disk.allow('rw');
    assert.equal(code, 1);
    assert.match(output, /is not usable: it is not writable .*set another DATA_DIR/);
    assert.equal(integrityOf(dataDir), 'ok');
    await stage.startAgain();
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
  });

  it('of one app is refused to a second one, and the first one does not notice', async (t) => {
    const { stage, place, card } = await waitingStage(t);
    const { code, output } = await failToStart(settingsOf(stage, join(stage.folder, 'data')));
    assert.notEqual(code, 0);
    assert.match(output, /Another Countersign process is running/);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
  });

  it('with a truncated log, starts with the intact part', async (t) => {
    const { stage, card, place } = await waitingStage(t);
    await stage.settled();
    await stage.app().kill();
    const data = join(stage.folder, 'data');
    const log = join(data, 'countersign.db-wal');
    // Cut within the last frame, like a torn write: this commit was never complete.
    stage.sql('UPDATE starts SET number = number + 1');
    await stage.startAgain();
    await stage.app().kill();
    truncateSync(log, statSync(log).size - 100);
    await stage.startAgain();
    assert.equal((await readiness(stage)).status, 200);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
    assert.equal(await stage.app().stop(), 0);
    assert.equal(integrityOf(data), 'ok');
  });

  it('copied while the app runs, is a valid backup for another start', async (t) => {
    const { stage, card, place } = await waitingStage(t);
    await stage.settled();
    const data = join(stage.folder, 'data');
    const backup = join(stage.folder, 'backup');
    mkdirSync(backup);
    for (const name of FILES) copyFileSync(join(data, name), join(backup, name));
    await stage.app().kill();
    for (const name of FILES) copyFileSync(join(backup, name), join(data, name));
    rmSync(join(data, 'countersign.db-shm'), { force: true });
    await stage.startAgain();
    await stage.press('requester', card, 'call.approve');
    await stage.card(place, 'on the disk', 'Done');
    await stage.answer(place, 'It is noted.');
    assert.equal(await stage.app().stop(), 0);
    assert.equal(integrityOf(data), 'ok');
  });
});

/** Fills the remaining space in pieces of this size. */
function fill(path: string, size: number): void {
  const piece = Buffer.alloc(size);
  for (;;) {
    try {
      writeFileSync(path, piece, { flag: 'a' });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      return;
    }
  }
}
