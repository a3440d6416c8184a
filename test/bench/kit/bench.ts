/** What a row of the table is made of, and how its numbers are taken. */
import type { StoreKind } from './bench-store.ts';

/** How much is measured: `full` for numbers that count, `quick` to see that every row still works. */
export interface Scale {
  readonly isQuick: boolean;
  /** How often each side is measured; the median of them counts. */
  readonly rounds: number;
}

export const FULL: Scale = { isQuick: false, rounds: 5 };
export const QUICK: Scale = { isQuick: true, rounds: 1 };

/** One line of the table. A baseline of undefined stands for a plain limit. */
export interface Line {
  readonly what: string;
  readonly store: string;
  readonly ours: number;
  readonly baseline: number | undefined;
  readonly unit:
    | 'ms'
    | 's'
    | 'MB'
    | 'KB'
    | 'commands'
    | 'statements'
    | 'transactions'
    | 'waits'
    | 'calls';
  /** The most that our number may be: a multiple of the baseline, or a plain limit in the unit. */
  readonly goal: number;
  readonly against: string;
}

/** What was measured by a probe. */
export type Numbers = Readonly<Record<string, number>>;

/** Where a probe measures. */
export interface Site {
  readonly store: StoreKind;
  /** An empty Redis of its own, where the store needs one. */
  readonly redisUrl: string;
  /** The same Redis, behind a line whose round trip takes 2 ms. */
  readonly slowRedisUrl: string;
  readonly scale: Scale;
}

/** One row: the probe measures in a process of its own on each store, and its numbers make lines of the table. */
export interface Bench {
  readonly stores: readonly StoreKind[];
  probe(site: Site): Promise<Numbers>;
  lines(numbers: Numbers, store: StoreKind): readonly Line[];
}

/** Returns the middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns what so much of the values stays below, between the two nearest of them. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('Nothing was measured.');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** Measures all sides in turn, round after round, and returns the median of each: what slows the machine down slows all of them. */
export async function interleave<Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<number>>>,
): Promise<Record<Side, number>> {
  const names = Object.keys(sides) as Side[];
  const found = new Map<Side, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Whoever comes second finds the machine as the first one left it.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      found.get(name)?.push(await sides[name]());
    }
  }
  const medians = names.map((name) => [name, median(found.get(name) ?? [])]);
  return Object.fromEntries(medians) as Record<Side, number>;
}

/** Returns how long something takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
