import { type Bench, median } from './kit/bench.ts';
import { openClient } from './kit/bench-store.ts';
import { openOurs, timeCycles } from './kit/cycle-sides.ts';

const BATCH = 1_000;

/** Measures whether foreign keys in the same Redis slow a cycle down. */
export const foreignKeys: Bench = {
  stores: ['Redis'],

  async probe(site) {
    const { scale, redisUrl } = site;
    const keys = scale.isQuick ? BATCH : 100_000;
    const count = scale.isQuick ? 1 : 15;
    const client = await openClient(redisUrl);
    const ours = await openOurs(site, redisUrl);
    await timeCycles(ours, scale.isQuick ? 1 : 30);
    const alone: number[] = [];
    const crowded: number[] = [];
    // In turn: noise of the machine affects both.
    for (let round = 0; round < scale.rounds; round += 1) {
      alone.push(await timeCycles(ours, count));
      for (let key = 0; key < keys; key += BATCH) {
        const names = Array.from({ length: BATCH }, (_, i) => `checkpoint:foreign:${key + i}`);
        await client.mSet(Object.fromEntries(names.map((name) => [name, 'x'.repeat(64)])));
      }
      crowded.push(await timeCycles(ours, count));
      for (let key = 0; key < keys; key += BATCH) {
        await client.unlink(
          Array.from({ length: BATCH }, (_, i) => `checkpoint:foreign:${key + i}`),
        );
      }
    }
    await ours.close();
    await client.disconnect();
    return { alone: median(alone), crowded: median(crowded) };
  },

  lines: ({ alone, crowded = Number.NaN }) => [
    {
      what: 'the same cycle with 100,000 foreign keys',
      store: 'Redis',
      ours: crowded,
      baseline: alone,
      unit: 'ms',
      goal: 1.1,
      against: 'the cycle with none',
    },
  ],
};
