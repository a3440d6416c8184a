/**
 * Which part of a long proof this run of the tests does: another one each day. `SAMPLE=all` does the
 * whole, `SAMPLE=N` the part of day N again.
 */
const { SAMPLE = String(Math.floor(Date.now() / 86_400_000)) } = process.env;

if (!/^(?:all|\d+)$/.test(SAMPLE)) {
  throw new Error(`SAMPLE is “all” or the number of a day, and not “${SAMPLE}”.`);
}
export const isWhole = SAMPLE === 'all';
/** The day's number; 0 for the whole. */
export const sample = isWhole ? 0 : Number(SAMPLE);
/** For the titles of tests, so that a failure can be repeated. */
export const sampleName = `SAMPLE=${SAMPLE}`;

/** How many of the random cases of a property are tried, other ones in each run: a quarter, unless all. */
export const randomCases = (all: number): number => (isWhole ? all : Math.ceil(all / 4));

/** Which of these have their turn today: one, and tomorrow the next, unless all. With another `turn` it is another one. */
export function inTurn<T>(all: readonly T[], turn = 0): readonly T[] {
  return isWhole ? all : all.filter((_each, index) => index === (sample + turn) % all.length);
}
