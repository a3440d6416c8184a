import type { ApiContext } from '../operation.ts';
import { problemResponse } from '../problem.ts';

/** 403: only programs may do this. */
export function programsOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'This is for programs with a key of Countersign (csk_…). People read approvals, approve and reject.',
  );
}

/** 403: only people may decide. */
export function peopleOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'A key requests and never decides. This needs the token of a person who may decide.',
  );
}
