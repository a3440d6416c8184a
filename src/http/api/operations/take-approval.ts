import { z } from 'zod';
import type { Call } from '../../../domain/calls/call.ts';
import { SENDER_VIEW, toApproval } from '../../../domain/cards/approval-view.ts';
import { mayRequest } from '../../../domain/people/api-key.ts';
import type { ApiDeps } from '../api-deps.ts';
import { programsOnlyProblem } from '../auth/key-only.ts';
import { type ApiCaller, type ApiContext, createOperation } from '../operation.ts';
import { notFoundProblem, problemResponse, RETRY_AFTER_S } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, Consume, Consumed, Report } from '../schemas.ts';

/** Creates the operations of a program on its own calls: consume, report the outcome, cancel. */
export function createTakeApproval({ outside, tokens }: ApiDeps) {
  /** The key that may do this, or the response that says why not. */
  function checkCaller(c: ApiContext, caller: ApiCaller) {
    if (caller.kind === 'person') return { refusal: programsOnlyProblem(c) };
    if (mayRequest(caller.key)) return { taker: { key: caller.key.id } };
    const why = 'This key only reads. A key with the scope request may do this with its own calls.';
    return { refusal: problemResponse(c, 403, why) };
  }

  const consume = createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/consume',
      operationId: 'consumeApproval',
      summary: 'Takes an approved call to run it, once',
      answers: {
        200: jsonResponse(Consumed, 'It is yours to run, with these arguments and no others.'),
        ...problemResponses(403, 404, 409, 410),
      },
    },
    { body: Consume, needsBody: true },
    async ({ body, c, id, caller }) => {
      const { refusal, taker } = checkCaller(c, caller);
      if (!taker) return refusal;
      const taken = await outside.take(id, taker, body.digest);
      switch (taken.kind) {
        case 'taken': {
          const token = await tokens.sign(taken.call);
          return c.json({ token, approval: toApproval(taken.call, SENDER_VIEW) }, 200);
        }
        case 'not-approved':
          return taken.call.status === 'expired'
            ? problemResponse(c, 410, 'It expired before it was consumed. Ask for it anew.')
            : problemResponse(c, 409, describeNotApproved(taken.call));
        case 'other-digest':
          return problemResponse(
            c,
            409,
            'What was approved has another digest. Read the approval, and run the arguments that stand there with the digest that stands there; people may have edited them.',
          );
        case 'held':
          return problemResponse(
            c,
            409,
            'It is approved, and held: Countersign is paused, or can’t tell right now whether it may still run. Nothing was consumed; try again in a moment.',
            { retryAfter: RETRY_AFTER_S },
          );
        case 'not-found':
          return notFoundProblem(c);
      }
    },
  );

  const report = createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/report',
      operationId: 'reportOutcome',
      summary: 'Says what came of a call that was consumed',
      answers: {
        200: jsonResponse(Approval, 'Its card says so.'),
        ...problemResponses(403, 404, 409),
      },
    },
    { body: Report, needsBody: true },
    async ({ body, c, id, caller }) => {
      const { refusal, taker } = checkCaller(c, caller);
      if (!taker) return refusal;
      const { status, text = '' } = body.outcome;
      const kind = status === 'succeeded' ? 'result' : 'error';
      const reported = await outside.report(id, taker, { kind, text });
      if (reported.kind === 'not-found') return notFoundProblem(c);
      if (reported.kind === 'ended') return c.json(toApproval(reported.call, SENDER_VIEW), 200);
      const why =
        reported.call.status === 'unknown'
          ? 'The report came too late: people have been asked whether it ran.'
          : `An outcome is reported of a call that was consumed and has not ended. This one is ${reported.call.status}.`;
      return problemResponse(c, 409, why);
    },
  );

  const cancel = createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/cancel',
      operationId: 'cancelApproval',
      summary: 'Takes back a call that was not consumed',
      answers: {
        200: jsonResponse(Approval, 'It is withdrawn.'),
        ...problemResponses(403, 404, 409),
      },
    },
    { body: z.strictObject({}) },
    async ({ c, id, caller }) => {
      const { refusal, taker } = checkCaller(c, caller);
      if (!taker) return refusal;
      const ended = await outside.cancel(id, taker);
      if (ended.kind === 'not-found') return notFoundProblem(c);
      if (ended.kind === 'ended') return c.json(toApproval(ended.call, SENDER_VIEW), 200);
      return problemResponse(c, 409, `It is too late to cancel it: it is ${ended.call.status}.`);
    },
  );

  return [cancel, consume, report];
}

function describeNotApproved({ status }: Call): string {
  switch (status) {
    case 'proposed':
    case 'pending':
      return 'It is not approved: it waits for people. Read it with ?wait=30 until it is.';
    case 'running':
    case 'succeeded':
    case 'failed':
    case 'unknown':
      return `It was consumed before, and can be only once: it is ${status}. Ask for it anew to run it again.`;
    default:
      return `It was not approved: it is ${status}. Do not run it.`;
  }
}
