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
