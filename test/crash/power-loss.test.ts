/**
 * The power is cut, on SQLite. In every test run: during the commits of a store, and in
 * a part of the torture runs, with the seed of the day. CRASH_SEED and CRASH_RUNS choose another part.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Commit, Records } from '../../src/stores/records.ts';
import { databasePathIn, openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { openSqliteRecords } from '../../src/stores/sqlite/sqlite-records.ts';
import { isWhole, sample } from '../support/sample.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { assertNothingFound } from './drive/assert-nothing-found.ts';
import { losePower, TAILS } from './drive/lose-power.ts';
import { planRuns } from './drive/plan-run.ts';
import { pointsIn } from './drive/points.ts';
import { createRandom } from './drive/random.ts';
import { createKillSwitch } from './lean/kill-switch.ts';
import { SYNCED_FILES, watchDisk } from './lean/watch-disk.ts';

const { CRASH_SEED = String(sample) } = process.env;
const COLUMN = 'sqlite-power-loss';
const { CRASH_RUNS = String(Math.ceil(pointsIn(COLUMN).length / (isWhole ? 1 : 15))) } =
  process.env;
const BURSTS = isWhole ? 24 : 12;

/** Opens a store whose disk is watched; `cut` returns what a power cut at this moment would leave, once for each tail. */
async function openStore(t: TestContext) {
  const { path, remove } = await makeTempDir();
  const [dataDir, synced] = [join(path, 'data'), join(path, 'synced')];
  const watch = watchDisk(databasePathIn(dataDir), synced, createKillSwitch(undefined));
  const { close, db, file, group } = openDatabase(dataDir);
  watch.opened(db);
  t.after(async () => {
    await watch.end(close);
    await remove();
  });
  const random = createRandom(Number(CRASH_SEED));
  let images = 0;
  return {
    random,
    records: openSqliteRecords({ db, file, group }, 1_000),
    cut(): readonly string[] {
      images += 1;
      return TAILS.map((tail) => {
        const folder = join(path, `${images} ${tail}`);
        mkdirSync(folder);
        for (const end of Object.values(SYNCED_FILES)) {
          copyFileSync(`${file}${end}`, `${databasePathIn(folder)}${end}`);
        }
        losePower(folder, synced, tail, random);
        return folder;
      });
    },
  };
}

/** The n-th commit. */
function commitOf(n: number, durable: Commit['durable']): Commit {
  const newest = { key: 'of/all', document: String(n) };
  const document = 'x'.repeat(3_000);
  const entry = { partition: 'all', sort: String(n).padStart(4, '0') };
  return {
    id: `commit ${n}`,
    durable,
    records: [
      { key: `of/${n}`, replaces: 0, document, add: [entry] },
      { ...newest, replaces: n - 1 },
    ],
    audit: [String(n)],
  };
}

/** Counts the commits in an image; fails if they are not a prefix, or one is partial. */
async function countCommits(folder: string): Promise<number> {
  const { close, db, file, group } = openDatabase(folder);
  try {
    assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
    const records: Records = openSqliteRecords({ db, file, group }, 1_000);
    const audit = await records.audit(1, 1_000);
    const entries = await records.range({ partition: 'all', limit: 1_000 });
    const [newest] = await records.get(['of/all']);
    const expected = audit.map((_, i) => i + 1);
    assert.deepEqual(
      audit,
      expected.map((n) => ({ seq: n, entry: String(n) })),
    );
    assert.deepEqual(
      entries.map(({ key }) => key),
      expected.map((n) => `of/${n}`),
    );
    assert.equal(newest?.revision, audit.length);
    return audit.length;
  } finally {
    close();
  }
}

it(`a power cut during commits loses no acknowledged commit and leaves none partial (CRASH_SEED=${CRASH_SEED})`, async (t) => {
  const { cut, random, records } = await openStore(t);
  let made = 0;
  /** The newest commit that was promised, and answered. */
  let promised = 0;

  async function commit(n: number, durable: Commit['durable']): Promise<void> {
    assert.equal((await records.commit(commitOf(n, durable))).kind, 'done');
    if (durable === 'now') promised = Math.max(promised, n);
  }

  for (let burst = 0; burst < BURSTS; burst += 1) {
    const commits = Array.from({ length: 1 + random.below(4) }, () => {
      made += 1;
      return commit(made, random.chance(0.6) ? 'now' : 'later');
    });
    const least = promised;
    for (const folder of cut()) {
      const count = await countCommits(folder);
      assert.ok(count >= least && count <= made, `${count} of ${made}, ${least} were promised`);
    }
    await Promise.all(commits);
  }
});

const plans = planRuns(Number(CRASH_SEED), [COLUMN], Number(CRASH_RUNS));

it(`a power cut in each of ${plans.length} runs (CRASH_SEED=${CRASH_SEED}) loses nothing acknowledged and runs nothing twice`, {
  timeout: 600_000,
}, async () => {
  await assertNothingFound(plans);
});
