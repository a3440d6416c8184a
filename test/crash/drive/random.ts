/** A deterministic stream of numbers from a seed. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** An integer from 0 to below `limit`. */
  below(limit: number): number;
  chance(likelihood: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(list: readonly T[]): readonly T[];
}

/** Creates the stream of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);

  return {
    next,
    below,
    chance: (likelihood) => next() < likelihood,
    pick<T>(from: readonly T[]): T {
      const found = from[below(from.length)];
      if (found === undefined) throw new RangeError('There is nothing to pick from.');
      return found;
    },
    shuffle<T>(list: readonly T[]): readonly T[] {
      return list
        .map((value) => ({ value, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ value }) => value);
    },
  };
}
