import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isWhole } from '../support/sample.ts';
import { type LabBackend, sqliteBackend, startRedisBackend } from './lab/lab-backend.ts';
import { drain } from './model/actions.ts';
import { labCommands } from './model/commands.ts';
import { checkInvariants } from './model/invariants.ts';
import { openSide, type Side } from './model/side.ts';
import { summarize } from './model/summary.ts';

/** The number of sequences of random actions. */
const SEQUENCES = Number(process.env.SEQUENCES ?? (isWhole ? 600 : 30));
/** The seed of the sequences; a failure prints seed and path. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
/** STORES=sqlite skips Redis, for bugs that are planted in one store only. */
const isSqliteOnly = process.env.STORES === 'sqlite';
const PLACES = isSqliteOnly ? 'on SQLite' : 'on SQLite and on Redis, with the same end';
/** SHRINK=0 skips the search for the smallest failing sequence, which takes a while. */
const endOnFailure = process.env.SHRINK === '0';
/** The number of concurrent worlds: each waits for its store most of the time. */
const LANES = 6;

describe('the desk behaves like the model', () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>> | undefined;
  before(async () => {
    if (!isSqliteOnly) redis = await startRedisBackend();
  });
  after(() => redis?.stop());

  it(`in ${SEQUENCES} random sequences of messages, clicks, time, crashes and faults, ${PLACES}`, async () => {
    const backends = [sqliteBackend, ...(redis ? [redis.backend] : [])];
    const failed = new AbortController();
    const lanes = Array.from({ length: LANES }, (_, lane) => runLane(backends, lane, failed));
    const ends = await Promise.allSettled(lanes);
    let compared = 0;
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      compared += end.value;
    }
    assert.ok(
      isSqliteOnly || compared > SEQUENCES * 0.8,
      `Only ${compared} ends could be compared.`,
    );
  });
});

/** Runs one share of the sequences; returns in how many of them both ends could be compared. */
async function runLane(
  backends: readonly LabBackend[],
  lane: number,
  failed: AbortController,
): Promise<number> {
  let compared = 0;
  const commands = fc.commands(labCommands(), { maxCommands: 24, size: 'max' });
  const property = fc.asyncProperty(commands, async (sequence) => {
    if (failed.signal.aborted) return;
    const sides = await Promise.all(backends.map(openSide));
    try {
      const model = sides[0]?.expected;
      assert.ok(model);
      await fc.asyncModelRun(() => ({ model, real: sides }), sequence);
      await Promise.all(sides.map(drain));
      await Promise.all(sides.map(checkInvariants));
      if (await haveSameEnd(sides)) compared += 1;
    } finally {
      await Promise.all(sides.map(({ world }) => world.close()));
    }
  });
  const numRuns = Math.ceil(SEQUENCES / LANES);
  const run = await fc.check(property, { numRuns, seed: SEED + lane, endOnFailure });
  if (!run.failed) return compared;
  failed.abort();
  // The last line names the broken invariant.
  const why =
    run.errorInstance instanceof Error ? run.errorInstance.message : 'It was interrupted.';
  throw new Error(`${fc.defaultReportMessage(run)}\n${why}`, { cause: run.errorInstance });
}

/** Asserts that both sides have the same end; false if a fault hit them at different moments. */
async function haveSameEnd([one, other]: readonly Side[]): Promise<boolean> {
  if (!one || !other) return false;
  const state = ({ excused, expected, faults }: Side) =>
    JSON.stringify([
      expected.calls.map(({ key, status }) => [key, status]),
      faults,
      // A process suspended before a tool or before a post may repeat it when it resumes.
      [excused.has('tool.run'), excused.has('chat.postOutboxMessage')],
    ]);
  if (state(one) !== state(other)) return false;
  assert.deepEqual(await summarize(one), await summarize(other));
  return true;
}
