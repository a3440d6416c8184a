import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { writeAuditEntry } from '../../../src/domain/audit/audit.ts';
import { createAuditSeal } from '../../../src/domain/calls/seal.ts';
import { inTurn } from '../../support/sample.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { type AuditStage, callIn, draftAt, NOW, openAuditStage } from './audit-stage.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/countersign.js', import.meta.url));
const DAY = 86_400_000;
const { PATH = '', HOME = '' } = process.env;

/** One entry on each of the last `days`; the newest is a day old. */
async function fill({ store }: AuditStage, days: number): Promise<void> {
  const drafts = Array.from({ length: days }, (_each, i) => draftAt(NOW - (days - i) * DAY));
  await store.audit.append(drafts);
}

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`countersign audit on ${kind}`, () => {
    it('reports an intact audit, its first and last entry, and up to where it is sealed', async (t) => {
      const stage = await openAuditStage(t, kind);
      const empty = await stage.call('audit', 'verify');
      assert.deepEqual([empty.code, empty.out], [0, 'The audit is empty.\n']);
      await fill(stage, 2);
      const unsealed = await stage.call('audit', 'verify');
      assert.match(
        unsealed.out,
        /^The audit is intact: 2 entries checked.*\nNothing is sealed yet: 2 entries could/,
      );
      await stage.store.audit.seal(NOW);
      await stage.store.audit.append([draftAt(NOW)]);
      const { code, err, out } = await stage.call('audit', 'verify');
      assert.deepEqual([code, err], [0, '']);
      assert.equal(
        out,
        `The audit is intact: 3 entries checked, 1 (2026-01-29T12:00:00.000Z, call.approve) to 3 (2026-01-31T12:00:00.000Z, call.approve).
Sealed with the installation’s key up to entry 2 (2026-01-31T12:00:00.000Z); 1 entry after it could be lost without a trace, but not rewritten.
`,
      );
      const json = await stage.call('audit', 'verify', '--json');
      const { checked, hasKey, ok, sealed } = JSON.parse(json.out);
      assert.deepEqual([json.code, ok, checked, hasKey, sealed.through], [0, true, 3, true, 2]);
    });

    it('names the first entry that was changed or removed, and exits with 1', async (t) => {
      const stage = await openAuditStage(t, kind);
      await fill(stage, 5);
      await stage.store.audit.seal(NOW);
      const [before] = [await stage.call('audit', 'verify')];
      assert.equal(before.code, 0);
      await stage.forge(4, (text) => text.replace('T1/U1', 'T1/U9'));
      const changed = await stage.call('audit', 'verify');
      assert.equal(changed.code, 1);
      assert.match(
        changed.out,
        /^The audit is broken at entry 4 \(2026-01-29T12:00:00.000Z, call.approve\): its content was not written with this installation’s key \(.*\)\. Either .*\n3 entries before it are intact\.\n$/,
      );
      await stage.forge(4, () => 'no entry');
      const unreadable = await stage.call('audit', 'verify');
      assert.match(unreadable.out, /broken at entry 4: it is no longer a readable entry/);
    });

    it('names sealed entries that are missing from the middle or the end', async (t) => {
      for (const gone of [2, 5]) {
        const stage = await openAuditStage(t, kind);
        await fill(stage, 5);
        await stage.store.audit.seal(NOW);
        await stage.forge(gone, undefined);
        const { code, out } = await stage.call('audit', 'verify', '--json');
        const { ok, problem } = JSON.parse(out);
        assert.deepEqual([code, ok], [1, false]);
        // A list has no gaps: later entries have moved up.
        const isFound = kind === 'SQLite' || gone === 5;
        assert.equal(problem.seq, isFound ? gone : 5);
        assert.match(problem.message, /^entry \d is missing( at the end\.|, and the app did not)/);
      }
    });

    it('accepts a removal by the app itself, and reports it', async (t) => {
      const stage = await openAuditStage(t, kind);
      await fill(stage, 5);
      await stage.store.audit.seal(NOW);
      assert.equal(await stage.store.audit.removeOlder(NOW - 2 * DAY, NOW), 3);
      const { code, out } = await stage.call('audit', 'verify');
      assert.equal(code, 0);
      assert.match(out, /^The audit is intact: 3 entries checked, 4 \(/);
      assert.match(out, /\nEntries 1 to 3 were removed by the app itself/);
      const exported = await stage.call('audit', 'export', '--from', '30d');
      assert.match(exported.err, /begins with entry 4 .*earlier entries no longer exist/);
      assert.equal(exported.out.trim().split('\n').length, 3);
    });

    it('says what it can’t prove without the installation’s key, and creates no new key', async (t) => {
      const stage = await openAuditStage(t, kind);
      await fill(stage, 2);
      await stage.store.audit.seal(NOW);
      await stage.loseKey();
      for (let round = 0; round < 2; round += 1) {
        const { code, out } = await stage.call('audit', 'verify');
        assert.equal(code, 1);
        assert.match(
          out,
          /^The audit is intact: 2.*\nTheir authorship could not be checked: the installation’s key is missing/,
        );
      }
    });

    it('exports a time range as JSON lines whose marks can be recomputed with the key', async (t) => {
      const stage = await openAuditStage(t, kind);
      await fill(stage, 5);
      const { code, err, out } = await stage.call(
        ...['audit', 'export', '--from', '2026-01-28', '--to', '2026-01-29'],
      );
      assert.deepEqual([code, err], [0, '']);
      const lines = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.map(({ seq, time }) => [seq, time]),
        [
          [3, '2026-01-28T12:00:00.000Z'],
          [4, '2026-01-29T12:00:00.000Z'],
        ],
      );
      const seal = createAuditSeal(await stage.installationKey.read());
      for (const { at, event, subject, actor, detail, mark } of lines) {
        const again = writeAuditEntry({ at, event, subject, actor, detail }, undefined, seal);
        assert.equal(JSON.parse(again).mark, mark);
      }
    });

    it('exports many entries page by page', async (t) => {
      const stage = await openAuditStage(t, kind);
      const many = Array.from({ length: 2_500 }, (_each, i) => draftAt(NOW - DAY + i));
      for (let i = 0; i < 5; i += 1) {
        await stage.store.audit.append(many.slice(i * 500, (i + 1) * 500));
      }
      const { longest, out, writes } = await stage.call('audit', 'export', '--format', 'csv');
      assert.equal(out.trimEnd().split('\r\n').length, 2_501);
      assert.ok(writes >= 4 && longest < out.length / 2, `${writes} writes, ${longest} at most`);
      assert.equal((await stage.call('audit', 'verify')).code, 0);
    });
  });
}

describe('countersign audit export', () => {
  it('writes CSV without formulas, in stable columns', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    const at = Date.UTC(2026, 0, 5, 9);
    const evil = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'a,"b"\nc', 'fine'];
    await stage.store.audit.append(
      evil.map((subject) => draftAt(at, { subject, detail: { n: 1 } })),
    );
    const { out } = await stage.call('audit', 'export', '--format', 'csv');
    const [head, first, ...rest] = out.split('\r\n');
    assert.equal(
      head,
      'seq,time,at,event,subject,actor,detail,revision,mark,actorId,actorName,requesterId,requesterName,channelId,channelName,groupIds,groupNames,tool,summary,digest,attempt,from,to,rule,reason',
    );
    const [entry] = await stage.store.audit.read(1, 1);
    assert.equal(
      first,
      `1,2026-01-05T09:00:00.000Z,${at},call.approve,'=1+1,T1/U1,"{""n"":1}",,${entry?.mark},U1,,,,,,,,,,,,,,,`,
    );
    const cells = rest.map((line) => /call\.approve,(.*),T1\/U1/s.exec(line)?.[1]);
    assert.deepEqual(cells.slice(0, 6), [
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'\t=1",
      '"a,""b""\nc"',
      'fine',
    ]);
  });

  it('writes a file that only its owner can read, completely or not at all', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    await fill(stage, 2);
    const { path, remove } = await makeTempDir();
    t.after(remove);
    const file = join(path, 'audit.csv');
    const args = ['audit', 'export', '--format', 'csv', '--out'];
    const { code, err, out } = await stage.call(...args, file);
    assert.deepEqual([code, err, out], [0, `2 entries are in ${file}.\n`, '']);
    assert.equal((await readFile(file, 'utf8')).split('\r\n').length, 4);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const failed = await stage.call(...args, join(path, 'none', 'a.csv'));
    assert.deepEqual([failed.code, failed.out], [1, '']);
    assert.match(failed.err, /a\.csv can't be written: ENOENT/);
    assert.deepEqual((await stage.call(...args, file)).code, 0, 'over an earlier one');
  });

  it('reads times in UTC, with an offset and as an age; the range includes the day of --to', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    await fill(stage, 5);
    const spans: readonly (readonly [args: readonly string[], entries: number])[] = [
      [[], 5],
      [['--from', '2d'], 2],
      [['--from', '47h'], 1],
      [['--to', '2d'], 3],
      [['--from', '2026-01-28', '--to', '2026-01-28'], 1],
      [['--from', '2026-01-28T12:00'], 3],
      [['--from', '2026-01-28T12:00:00.001Z'], 2],
      [['--from', '2026-01-28 13:30+01:30'], 3],
      [['--to', '2026-01-28T12:00:00Z'], 2],
      [['--from', '2027-01-01'], 0],
    ];
    for (const [args, entries] of spans) {
      const { code, out } = await stage.call('audit', 'export', ...args);
      const lines = out === '' ? 0 : out.trimEnd().split('\n').length;
      assert.deepEqual([code, lines], [0, entries], args.join(' '));
    }
  });

  it('exits with 2 and prints its usage if its arguments are wrong', async () => {
    const wrong: readonly (readonly [args: readonly string[], why: RegExp])[] = [
      [['audit', 'export', '--from', '2026-02-30'], /--from must be a day/],
      [['audit', 'export', '--to', 'yesterday'], /--to must be a day.*how long ago \(7d, 12h\)/],
      [['audit', 'export', '--from', '2026-01-01T25:00'], /--from must be a day/],
      [['audit', 'export', '--from', '1d', '--to', '2d'], /--from must be before --to/],
      [['audit', 'export', '--format', 'xml'], /csv or jsonl, not “xml”/],
      [['audit', 'export', 'all'], /all/],
      [['audit', 'verify', '--jsn'], /--jsn/],
      [['audit'], /There is no command “audit”/],
    ];
    for (const [args, why] of wrong) {
      const { code, err, out } = await callIn({ DATA_DIR: '/nowhere' }, args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, why);
      assert.match(err, /Usage:/);
    }
  });

  it('says which audit it can’t read and what to do, and exits with 1', async (t) => {
    const { path, remove } = await makeTempDir();
    t.after(remove);
    const file = join(path, 'countersign.db');
    const verify = (env: Readonly<Record<string, string>>) => callIn(env, ['audit', 'verify']);
    const none = await verify({ DATA_DIR: path });
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(none.err, /no records: .*countersign\.db does not exist\. Set DATA_DIR/);
    await writeFile(file, 'not a database, but long enough to be taken for one'.repeat(9));
    assert.match((await verify({ DATA_DIR: path })).err, /damaged, or it is not a database/);
    await writeFile(file, '');
    assert.match(
      (await verify({ DATA_DIR: path })).err,
      /countersign\.db is empty\. If it is a copy.*make copies with/,
    );
    const db = new Database(file);
    db.exec('CREATE TABLE notes (text TEXT)');
    db.pragma('user_version = 100');
    assert.match(
      (await verify({ DATA_DIR: path })).err,
      /countersign\.db is not a Countersign database, or it is damaged: no such table: records\. Set DATA_DIR.*\n$/,
    );
    db.pragma('user_version = 18');
    assert.match(
      (await verify({ DATA_DIR: path })).err,
      /from before its first release: its version is 18.*Nothing was changed\. Set another DATA_DIR/,
    );
    db.pragma('user_version = 999');
    db.close();
    assert.match((await verify({ DATA_DIR: path })).err, /written by a newer Countersign.*is 999/);
    const silent = await verify({ REDIS_URL: 'redis://127.0.0.1:1' });
    assert.match(silent.err, /Redis of REDIS_URL can't be reached: .*Check the address/);
    assert.match((await verify({ REDIS_URL: 'http://x' })).err, /REDIS_URL must be the address/);
    const stage = await openAuditStage(t, 'Redis');
    const other = await verify({ ...stage.env, REDIS_PREFIX: 'other' });
    assert.match(other.err, /nothing under the prefix “other”\. Check REDIS_URL and REDIS_PREFIX/);
  });

  it('exits without an error when its reader closes the pipe', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    const many = Array.from({ length: 3_000 }, () => draftAt(NOW));
    await stage.store.audit.append(many);
    const child = spawn(process.execPath, [PROGRAM, 'audit', 'export'], {
      env: { PATH, HOME, ...stage.env },
      cwd: stage.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.deepEqual([code, err], [0, '']);
  });
});
