import type { ApiContext } from '../operation.ts';
import { problemResponse } from '../problem.ts';

/** 403: only programs may do this. */
export function programsOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'Only programs with a Countersign API key (csk_…) can do this. People can read, approve and reject.',
  );
}

/** 403: only people may decide. */
export function peopleOnlyProblem(c: ApiContext) {
  return problemResponse(
    c,
    403,
    'API keys can request but never decide. Send the token of a person who may decide.',
  );
}
