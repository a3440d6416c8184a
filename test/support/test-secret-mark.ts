import { createSeal } from '../../src/domain/calls/seal.ts';
import { createSecretMark } from '../../src/domain/secrets/secret-mark.ts';

/** The installation key of tests: always the same. */
const KEY = new Uint8Array(32).fill(7);

/** The marks of secrets in tests. */
export const TEST_MARK = createSecretMark(KEY);

/** The seals of calls in tests. */
export const TEST_SEAL = createSeal(KEY);
