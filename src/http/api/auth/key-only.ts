import type { ApiContext } from '../operation.ts';
import { problemResponse } from '../problem.ts';

/** Says that programs ask, and people do not. */
export function programsOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'This is for programs with a key of Countersign (csk_…). People read approvals, approve and reject.',
  );
}

/** Says that people decide, and programs do not. */
export function peopleOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'A key requests and never decides. This needs the token of a person who may decide.',
  );
}
