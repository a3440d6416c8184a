import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { drain } from './model/actions.ts';
import { labCommands } from './model/commands.ts';
import { checkInvariants } from './model/invariants.ts';
import { type LabBackend, sqliteBackend, startRedisBackend } from './model/lab-backend.ts';
import { openSide, type Side } from './model/side.ts';
import { summarize } from './model/summary.ts';

/** How many sequences; the nightly run takes more. */
const SEQUENCES = Number(process.env.SEQUENCES ?? 1_000);
/** Where the sequences begin; a failure tells seed and path. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
/** The smallest sequence that fails takes a while to find: not where the first one is enough. */
const endOnFailure = process.env.SHRINK === '0';
/** So many worlds at once: each waits for its store most of the time. */
const LANES = 6;

describe('the desk does what the model says', () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>>;
  before(async () => {
    redis = await startRedisBackend();
  });
  after(() => redis.stop());

  it(`in ${SEQUENCES} sequences of messages, clicks, time, deaths and faults, on SQLite and on Redis, with the same end`, async () => {
    const backends = [sqliteBackend, redis.backend];
    const lanes = Array.from({ length: LANES }, (_, lane) => runLane(backends, lane));
    const ends = await Promise.allSettled(lanes);
    let compared = 0;
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      compared += end.value;
    }
    assert.ok(compared > SEQUENCES * 0.8, `Only ${compared} ends could be compared.`);
  });
});

/** Runs one share of the sequences; answers in how many of them both ends could be compared. */
async function runLane(backends: readonly LabBackend[], lane: number): Promise<number> {
  let compared = 0;
  const commands = fc.commands(labCommands(), { maxCommands: 24, size: 'max' });
  const property = fc.asyncProperty(commands, async (sequence) => {
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
  await fc.assert(property, {
    numRuns: Math.ceil(SEQUENCES / LANES),
    seed: SEED + lane,
    endOnFailure,
  });
  return compared;
}

/** Asserts that both sides have the same end; false where a fault befell them at different moments. */
async function haveSameEnd([one, other]: readonly Side[]): Promise<boolean> {
  assert.ok(one && other);
  const state = ({ expected, faults }: Side) =>
    JSON.stringify([expected.calls.map(({ key, status }) => [key, status]), faults]);
  if (state(one) !== state(other)) return false;
  assert.deepEqual(await summarize(one), await summarize(other));
  return true;
}
