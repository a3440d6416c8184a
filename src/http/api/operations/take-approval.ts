import { z } from 'zod';
import type { Call } from '../../../domain/calls/call.ts';
import { toApproval, WHOLE } from '../../../domain/cards/approval-view.ts';
import { mayRequest } from '../../../domain/people/api-key.ts';
import type { ApiDeps } from '../api-deps.ts';
import { answerNotRequested } from '../auth/key-only.ts';
import { type ApiContext, operation, type Visitor } from '../operation.ts';
import { notFound, problem, RETRY_S } from '../problem.ts';
import { json, problems } from '../response-schemas.ts';
import { Approval, Consume, Consumed, Report } from '../schemas.ts';

/** Makes the operations of a program on a call that it has asked for: to take it, to say what came of it, to take it back. */
export function createTakeApproval({ outside, tokens }: ApiDeps) {
  /** The key that may do this, or the answer why none. */
  function takerOf(c: ApiContext, visitor: Visitor) {
    if (visitor.kind === 'person') return { refusal: answerNotRequested(c) };
    if (mayRequest(visitor.key)) return { taker: { key: visitor.key.id } };
    const why = 'This key only reads. A key with the scope request may do this with its own calls.';
    return { refusal: problem(c, 403, why) };
  }

  const consume = operation(
    {
      method: 'post',
      path: '/api/approvals/:id/consume',
      operationId: 'consumeApproval',
      summary: 'Takes an approved call to run it, once',
      answers: {
        200: json(Consumed, 'It is yours to run, with these arguments and no others.'),
        ...problems(403, 404, 409, 410),
      },
    },
    { body: Consume, needsBody: true },
    async ({ body, c, id, visitor }) => {
      const { refusal, taker } = takerOf(c, visitor);
      if (!taker) return refusal;
      const taken = await outside.take(id, taker, body.digest);
      switch (taken.kind) {
        case 'taken': {
          const token = await tokens.sign(taken.call);
          return c.json({ token, approval: toApproval(taken.call, WHOLE) }, 200);
        }
        case 'not-approved':
          return taken.call.status === 'expired'
            ? problem(c, 410, 'It expired before it was consumed. Ask for it anew.')
            : problem(c, 409, sayNotApproved(taken.call));
        case 'other-digest':
          return problem(
            c,
            409,
            'What was approved has another digest. Read the approval, and run the arguments that stand there with the digest that stands there; people may have edited them.',
          );
        case 'held':
          return problem(
            c,
            409,
            'It is approved, and held: Countersign is paused, or can’t tell right now whether it may still run. Nothing was consumed; try again in a moment.',
            { retryAfter: RETRY_S },
          );
        case 'not-found':
          return notFound(c);
      }
    },
  );

  const report = operation(
    {
      method: 'post',
      path: '/api/approvals/:id/report',
      operationId: 'reportOutcome',
      summary: 'Says what came of a call that was consumed',
      answers: { 200: json(Approval, 'Its card says so.'), ...problems(403, 404, 409) },
    },
    { body: Report, needsBody: true },
    async ({ body, c, id, visitor }) => {
      const { refusal, taker } = takerOf(c, visitor);
      if (!taker) return refusal;
      const { status, text = '' } = body.outcome;
      const kind = status === 'succeeded' ? 'result' : 'error';
      const told = await outside.report(id, taker, { kind, text });
      if (told.kind === 'not-found') return notFound(c);
      if (told.kind === 'ended') return c.json(toApproval(told.call, WHOLE), 200);
      const why =
        told.call.status === 'unknown'
          ? 'The report came too late: people have been asked whether it ran.'
          : `An outcome is reported of a call that was consumed and has not ended. This one is ${told.call.status}.`;
      return problem(c, 409, why);
    },
  );

  const cancel = operation(
    {
      method: 'post',
      path: '/api/approvals/:id/cancel',
      operationId: 'cancelApproval',
      summary: 'Takes back a call that was not consumed',
      answers: { 200: json(Approval, 'It is withdrawn.'), ...problems(403, 404, 409) },
    },
    { body: z.strictObject({}) },
    async ({ c, id, visitor }) => {
      const { refusal, taker } = takerOf(c, visitor);
      if (!taker) return refusal;
      const ended = await outside.cancel(id, taker);
      if (ended.kind === 'not-found') return notFound(c);
      if (ended.kind === 'ended') return c.json(toApproval(ended.call, WHOLE), 200);
      return problem(c, 409, `It is too late to cancel it: it is ${ended.call.status}.`);
    },
  );

  return [cancel, consume, report];
}

function sayNotApproved({ status }: Call): string {
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
