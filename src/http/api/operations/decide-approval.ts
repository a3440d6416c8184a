import type { z } from 'zod';
import type { Call } from '../../../domain/calls/call.ts';
import { hasOpened } from '../../../domain/calls/call-secrets.ts';
import type { DecisionCommand, DecisionOutcome } from '../../../domain/calls/decision.ts';
import { shortDigest } from '../../../domain/calls/digest.ts';
import { toApproval } from '../../../domain/cards/approval-view.ts';
import { isSamePerson, type Person } from '../../../domain/people/person.ts';
import { rulingRouteOf } from '../../../domain/rules/decision-rules.ts';
import { plainSentence } from '../../../domain/text/sentence.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApprovalVisibility } from '../auth/approval-visibility.ts';
import { peopleOnlyProblem } from '../auth/key-only.ts';
import {
  type ApiCaller,
  type ApiContext,
  createOperation,
  type Operation,
  type OperationRequest,
} from '../operation.ts';
import { DAMAGED_RECORD_DETAIL, notFoundProblem, problemResponse } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, Approve, Reject } from '../schemas.ts';

const MISPLACED =
  'contains the placeholder of a hidden secret, which only works in its original place; write the value itself';

type Views = Pick<ApprovalVisibility, 'opened' | 'viewFor'>;

/** Creates the operations by which people decide. */
export function createDecideApproval(deps: ApiDeps, views: Views): readonly Operation[] {
  return [createApprove(deps, views), createReject(deps, views), createOpen(deps, views)];
}

function createApprove(deps: ApiDeps, views: Views) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/approve',
      operationId: 'approve',
      summary: 'Approves as the user of the token; with modified arguments, edits and approves',
      answers: {
        200: jsonResponse(Approval, 'The approval counts.'),
        ...problemResponses(403, 404, 409, 422),
      },
    },
    { body: Approve },
    (request) =>
      answer(deps, views, request, async (call, by) => {
        const { modifiedArguments: modified, reason } = request.body;
        if (modified) return await editAndApprove(deps, call, by, { modified, reason });
        const decision = { kind: 'approve', ...(reason !== undefined && { reason }) } as const;
        return await decide(deps, call, by, decision);
      }),
  );
}

function createReject(deps: ApiDeps, views: Views) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/reject',
      operationId: 'reject',
      summary: 'Rejects as the user of the token: with a reason as a reply, without one as ignored',
      answers: {
        200: jsonResponse(Approval, 'It is rejected.'),
        ...problemResponses(403, 404, 409, 422),
      },
    },
    { body: Reject },
    (request) =>
      answer(deps, views, request, (call, by) => {
        const text = request.body.reason?.trim() ?? '';
        return decide(deps, call, by, text === '' ? { kind: 'ignore' } : { kind: 'reply', text });
      }),
  );
}

function createOpen({ desk, store }: ApiDeps, views: Views) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals/:id/open',
      operationId: 'openApproval',
      summary:
        'Shows the masked parts of an approval to a person who may decide it, and logs that they saw them',
      answers: {
        200: jsonResponse(Approval, 'The call as it would run.'),
        ...problemResponses(403, 404, 409),
      },
    },
    {},
    async ({ c, id, caller }) => {
      if (caller.kind === 'key') return peopleOnlyProblem(c);
      const call = await store.ledger.get(id);
      if (!call) return notFoundProblem(c);
      const { attempt, digest } = call;
      const by = caller.person;
      const seen = await desk.open({ callId: id, attempt, digest: shortDigest(digest), by });
      return seen.kind === 'open'
        ? c.json(toApproval(seen.call, views.opened), 200)
        : toResponse(c, views, caller, seen);
    },
  );
}

type DecisionRequest = Pick<
  OperationRequest<unknown, unknown, { readonly digest?: string | undefined }>,
  'c' | 'caller' | 'id' | 'body'
>;

/** Decides if the caller is a person who saw the current call. */
async function answer(
  { store }: ApiDeps,
  views: Views,
  { c, caller, id, body: { digest } }: DecisionRequest,
  act: (call: Call, by: Person) => Promise<DecisionOutcome>,
): Promise<Response> {
  if (caller.kind === 'key') return peopleOnlyProblem(c);
  const call = await store.ledger.get(id);
  if (!call) return notFoundProblem(c);
  const unseen = explainUnseen(call, digest);
  if (unseen !== undefined) return problemResponse(c, 409, unseen);
  return toResponse(c, views, caller, await act(call, caller.person));
}

async function decide(
  { desk }: ApiDeps,
  call: Call,
  by: Person,
  decision: DecisionCommand['decision'],
): Promise<DecisionOutcome> {
  const { attempt, id: callId } = call;
  return await desk.decide({ callId, attempt, digest: shortDigest(call.digest), by, decision });
}

interface Edit {
  readonly modified: NonNullable<z.output<typeof Approve>['modifiedArguments']>;
  readonly reason: string | undefined;
}

/** If the route requires a reason, an edit with a reason also approves the edited call. */
async function editAndApprove(
  deps: ApiDeps,
  call: Call,
  by: Person,
  { modified, reason }: Edit,
): Promise<DecisionOutcome> {
  const outcome = await edit(deps, call, by, modified);
  if (outcome.kind !== 'recorded' || reason === undefined) return outcome;
  const { call: edited } = outcome;
  const isAsked =
    rulingRouteOf(edited).requiresReason && edited.editedBy && isSamePerson(edited.editedBy, by);
  if (!isAsked || edited.votes.length > 0) return outcome;
  const approved = await decide(deps, edited, by, { kind: 'approve', reason });
  return approved.kind === 'decided' || approved.kind === 'recorded' ? approved : outcome;
}

async function edit(
  deps: ApiDeps,
  call: Call,
  by: Person,
  modified: Edit['modified'],
): Promise<DecisionOutcome> {
  const { misplaced, ...restored } = deps.hide.restore(call, modified);
  if (misplaced.length === 0) {
    const keepsUnseen = restored.keepsUnseen && !hasOpened(call, by);
    return await decide(deps, call, by, { kind: 'edit', ...restored, keepsUnseen });
  }
  const problems = misplaced.map((path) => ({ path: [...path], message: MISPLACED }));
  return { kind: 'invalid', call, problems };
}

function toResponse(
  c: ApiContext,
  { viewFor }: Views,
  caller: ApiCaller,
  outcome: DecisionOutcome,
): Response {
  return isDone(outcome)
    ? c.json(toApproval(outcome.call, viewFor(caller, outcome.call)), 200)
    : rejectDecision(c, outcome);
}

/** A decision covers only what the person saw. Once the call has changed, the decision must name the digest. */
function explainUnseen(call: Call, digest: string | undefined): string | undefined {
  if (digest !== undefined && digest !== call.digest) {
    return 'The approval has changed since you saw it: its digest is different now. Read it again, then decide.';
  }
  const hasChanged = call.attempt > 1 || call.renewedAt !== undefined;
  if (digest === undefined && hasChanged && call.status === 'pending') {
    return 'It was edited or shown again since the request. Send the digest that you saw with the decision.';
  }
  return undefined;
}

type Done = Extract<DecisionOutcome, { kind: 'decided' | 'recorded' | 'already-voted' }>;
type Refused = Exclude<DecisionOutcome, Done>;

function isDone(outcome: DecisionOutcome): outcome is Done {
  return ['decided', 'recorded', 'already-voted'].includes(outcome.kind);
}

function rejectDecision(c: ApiContext, outcome: Refused): Response {
  switch (outcome.kind) {
    case 'already-decided': {
      const { status, verdict } = outcome.call;
      const by = verdict ? `, by ${verdict.by.user}` : '';
      return problemResponse(c, 409, `It is too late to decide: it is ${status}${by}.`);
    }
    case 'stale':
      return problemResponse(c, 409, 'It has just changed. Read it again, then decide.');
    case 'rerouted':
      return problemResponse(c, 409, 'Its route has just changed. Read it again, then decide.');
    case 'not-allowed':
      return problemResponse(c, 403, plainSentence(outcome.why));
    case 'needs-reason':
      return problemResponse(c, 422, 'Approving this needs a reason: send one.');
    case 'needs-opening':
      return problemResponse(
        c,
        409,
        'A part of this is masked, and you have not seen it. Open it with POST …/open, then approve.',
      );
    case 'invalid': {
      const [first] = outcome.problems;
      const why = first ? ` ${first.path.join('.')}: ${first.message}` : '';
      return problemResponse(c, 422, `It can’t be decided like this.${why}`, {
        errors: outcome.problems,
      });
    }
    case 'not-found':
      return notFoundProblem(c);
    case 'damaged':
      return problemResponse(c, 500, DAMAGED_RECORD_DETAIL);
  }
}
