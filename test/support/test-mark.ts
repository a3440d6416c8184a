import { createSecretMark } from '../../src/domain/secret-mark.ts';

/** The marks of secrets in tests: always under the same key. */
export const TEST_MARK = createSecretMark(new Uint8Array(32).fill(7));
