import type { ApiContext } from '../operation.ts';
import { problem } from '../problem.ts';

/** Says that programs ask, and people do not. */
export function answerNotRequested(c: ApiContext) {
  return problem(
    c,
    403,
    'This is for programs with a key of Countersign (csk_…). People read approvals, approve and reject.',
  );
}

/** Says that people decide, and programs do not. */
export function answerNotDecided(c: ApiContext) {
  return problem(
    c,
    403,
    'A key requests and never decides. This needs the token of a person who may decide.',
  );
}
