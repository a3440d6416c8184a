import { costOf, HOSTILE_WORK } from '../support/hostile/hostile-surfaces.ts';
import type { Bench, Numbers } from './kit/bench.ts';

const GOAL_MS = 50;

/** Measures how long hostile input blocks the event loop at most. */
export const hostileInput: Bench = {
  stores: ['SQLite'],

  async probe({ scale }): Promise<Numbers> {
    let worst = 0;
    for (const { what, texts, prepare } of HOSTILE_WORK) {
      for (const [name, text] of scale.isQuick ? texts.slice(0, 3) : texts) {
        const cost = costOf(prepare(text), scale.isQuick ? Number.POSITIVE_INFINITY : 0);
        if (cost > GOAL_MS) console.error(`${cost.toFixed(0)} ms: ${what}, ${name}`);
        worst = Math.max(worst, cost);
      }
    }
    return { worst };
  },

  lines: ({ worst = Number.NaN }, store) => [
    {
      what: 'the worst hostile text, event loop blocked',
      store,
      ours: worst,
      baseline: undefined,
      unit: 'ms',
      goal: GOAL_MS,
      against: 'a limit',
    },
  ],
};
