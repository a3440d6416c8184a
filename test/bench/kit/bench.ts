/** The parts of a row of the table, and how its numbers are measured. */
import type { StoreKind } from './bench-store.ts';

/** How much is measured: `full` for the real numbers, `quick` to check that every row still works. */
export interface Scale {
  readonly isQuick: boolean;
  /** How often each side is measured; the median counts. */
  readonly rounds: number;
}

export const FULL: Scale = { isQuick: false, rounds: 5 };
export const QUICK: Scale = { isQuick: true, rounds: 1 };

/** One line of the table. An undefined baseline means a plain limit. */
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
  /** The maximum of our number: a multiple of the baseline, or a plain limit in the unit. */
  readonly goal: number;
  readonly against: string;
}

/** The result of a probe. */
export type Numbers = Readonly<Record<string, number>>;

/** Where a probe measures. */
export interface Site {
  readonly store: StoreKind;
  /** Its own empty Redis, if the store needs one. */
  readonly redisUrl: string;
  /** The same Redis, behind a connection with a round trip of 2 ms. */
  readonly slowRedisUrl: string;
  readonly scale: Scale;
}

/** One row: the probe measures in its own process on each store, and its numbers make lines of the table. */
export interface Bench {
  readonly stores: readonly StoreKind[];
  probe(site: Site): Promise<Numbers>;
  lines(numbers: Numbers, store: StoreKind): readonly Line[];
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns a quantile of the values, interpolated between the two nearest ones. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('Nothing was measured.');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** Measures all sides in turn, round after round, and returns the median of each: noise of the machine affects all of them. */
export async function interleave<Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<number>>>,
): Promise<Record<Side, number>> {
  const names = Object.keys(sides) as Side[];
  const found = new Map<Side, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // The second side finds the machine as the first one left it.
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
