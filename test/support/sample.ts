/**
 * Which part of a long suite this test run does: a different one each day. `SAMPLE=all` runs
 * everything, `SAMPLE=N` repeats the part of day N.
 */
const { SAMPLE = String(Math.floor(Date.now() / 86_400_000)) } = process.env;

if (!/^(?:all|\d+)$/.test(SAMPLE)) {
  throw new Error(`SAMPLE is “all” or the number of a day, and not “${SAMPLE}”.`);
}
export const isWhole = SAMPLE === 'all';
/** The number of the day; 0 for everything. */
export const sample = isWhole ? 0 : Number(SAMPLE);
/** For test titles, so that a failure can be repeated. */
export const sampleName = `SAMPLE=${SAMPLE}`;

/** How many random cases of a property are run, different ones in each run: a quarter, unless all. */
export const randomCases = (all: number): number => (isWhole ? all : Math.ceil(all / 4));

/** Which of these run today: one, and tomorrow the next, unless all. A different `turn` selects a different one. */
export function inTurn<T>(all: readonly T[], turn = 0): readonly T[] {
  return isWhole ? all : all.filter((_each, index) => index === (sample + turn) % all.length);
}
