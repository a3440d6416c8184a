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
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

describe('the desk does what the model says', () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>>;
  before(async () => {
    redis = await startRedisBackend();
  });
  after(() => redis.stop());

  it(`in ${SEQUENCES} sequences of messages, clicks, time, deaths and faults, on SQLite and on Redis, with the same end`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.commands(labCommands(), { maxCommands: 24, size: 'max' }),
        async (commands) => {
          const backends: readonly LabBackend[] = [sqliteBackend, redis.backend];
          const sides = await Promise.all(backends.map(openSide));
          try {
            const model = sides[0]?.expected;
            assert.ok(model);
            await fc.asyncModelRun(() => ({ model, real: sides }), commands);
            await Promise.all(sides.map(drain));
            await Promise.all(sides.map(checkInvariants));
            if (await haveSameEnd(sides)) compared += 1;
          } finally {
            await Promise.all(sides.map(({ world }) => world.close()));
          }
        },
      ),
      { numRuns: SEQUENCES, endOnFailure: false, ...SEED },
    );
    assert.ok(compared > SEQUENCES * 0.8, `Only ${compared} ends could be compared.`);
  });
});

/** Asserts that both sides have the same end; false where a fault befell them at different moments. */
async function haveSameEnd([one, other]: readonly Side[]): Promise<boolean> {
  assert.ok(one && other);
  const state = ({ expected, faults }: Side) =>
    JSON.stringify([expected.calls.map(({ key, status }) => [key, status]), faults]);
  if (state(one) !== state(other)) return false;
  assert.deepEqual(await summarize(one), await summarize(other));
  return true;
}
