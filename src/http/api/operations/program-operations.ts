import { z } from 'zod';
import type { Call } from '../../../domain/calls/call.ts';
import { SENDER_VIEW, toApproval } from '../../../domain/cards/approval-view.ts';
import { mayRequest } from '../../../domain/people/api-key.ts';
import type { ApiDeps } from '../api-deps.ts';
import { programsOnlyProblem } from '../auth/key-only.ts';
import { type ApiCaller, type ApiContext, createOperation, type Operation } from '../operation.ts';
import { notFoundProblem, problemResponse, RETRY_AFTER_S } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, Consume, Consumed, Report } from '../schemas.ts';

type Outside = ApiDeps['outside'];

/** Creates the operations of a program on its own calls: consume, report the outcome, cancel. */
export function createProgramOperations({ outside, tokens }: ApiDeps): readonly Operation[] {
  return [createCancel(outside), createConsume(outside, tokens), createReport(outside)];
}

/** The key that may do this, or the response that says why not. */
function checkCaller(c: ApiContext, caller: ApiCaller) {
  if (caller.kind === 'person') return { refusal: programsOnlyProblem(c) };
  if (mayRequest(caller.key)) return { taker: { key: caller.key.id } };
  const why =
    'This key can only read. A key with the scope request can do this with its own calls.';
  return { refusal: problemResponse(c, 403, why) };
}

function createConsume(outside: Outside, tokens: ApiDeps['tokens']) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/consume',
      operationId: 'consumeApproval',
      summary: 'Consumes an approved call, to run it once',
      answers: {
        200: jsonResponse(Consumed, 'You may run it now, with exactly these arguments.'),
        ...problemResponses(403, 404, 409, 410),
      },
    },
    { body: Consume, needsBody: true },
    async ({ body, c, id, caller }) => {
      const { refusal, taker } = checkCaller(c, caller);
      if (!taker) return refusal;
      return await answerTaken(c, await outside.take(id, taker, body.digest), tokens);
    },
  );
}

async function answerTaken(
  c: ApiContext,
  taken: Awaited<ReturnType<Outside['take']>>,
  tokens: ApiDeps['tokens'],
): Promise<Response> {
  switch (taken.kind) {
    case 'taken': {
      const token = await tokens.sign(taken.call);
      return c.json({ token, approval: toApproval(taken.call, SENDER_VIEW) }, 200);
    }
    case 'not-approved':
      return taken.call.status === 'expired'
        ? problemResponse(c, 410, 'It expired before it was consumed. Request it again.')
        : problemResponse(c, 409, describeNotApproved(taken.call));
    case 'other-digest':
      return problemResponse(
        c,
        409,
        'The approval has a different digest; people may have edited the arguments. Read it again, and use its current digest and arguments.',
      );
    case 'held':
      return problemResponse(
        c,
        409,
        'It is approved but on hold: Countersign is paused, or can’t check right now whether it may still run. Nothing was consumed. Try again in a moment.',
        { retryAfter: RETRY_AFTER_S },
      );
    case 'not-found':
      return notFoundProblem(c);
  }
}

function createReport(outside: Outside) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/report',
      operationId: 'reportOutcome',
      summary: 'Reports the outcome of a consumed call',
      answers: {
        200: jsonResponse(Approval, 'Its card shows the outcome.'),
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
          : `Only a call that was consumed and has not ended can be reported. This one is ${reported.call.status}.`;
      return problemResponse(c, 409, why);
    },
  );
}

function createCancel(outside: Outside) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/cancel',
      operationId: 'cancelApproval',
      summary: 'Cancels a call that was not consumed',
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
}

function describeNotApproved({ status }: Call): string {
  switch (status) {
    case 'proposed':
    case 'pending':
      return 'It is not approved yet. Read it with ?wait=30 until it is.';
    case 'running':
    case 'succeeded':
    case 'failed':
    case 'unknown':
      return `It was already consumed and is ${status}. A call can be consumed only once: request it again to run it again.`;
    default:
      return `It was not approved: it is ${status}. Do not run it.`;
  }
}
