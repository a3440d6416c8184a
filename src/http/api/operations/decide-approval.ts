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
import { type ApiCaller, type ApiContext, createOperation } from '../operation.ts';
import { DAMAGED_RECORD_DETAIL, notFoundProblem, problemResponse } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, Approve, Reject } from '../schemas.ts';

const MISPLACED =
  'contains the placeholder of a hidden secret, which only works in its original place; write the value itself';

type Decision = DecisionCommand['decision'];

/** Creates the operations by which people decide. */
export function createDecideApproval(
  { desk, hide, store }: ApiDeps,
  { opened, viewFor }: Pick<ApprovalVisibility, 'opened' | 'viewFor'>,
) {
  async function decide(call: Call, by: Person, decision: Decision): Promise<DecisionOutcome> {
    const { attempt, id: callId } = call;
    return await desk.decide({ callId, attempt, digest: shortDigest(call.digest), by, decision });
  }

  async function edit(
    call: Call,
    by: Person,
    modified: NonNullable<z.output<typeof Approve>['modifiedArguments']>,
  ): Promise<DecisionOutcome> {
    const { misplaced, ...restored } = hide.restore(call, modified);
    if (misplaced.length === 0) {
      const keepsUnseen = restored.keepsUnseen && !hasOpened(call, by);
      return await decide(call, by, { kind: 'edit', ...restored, keepsUnseen });
    }
    const problems = misplaced.map((path) => ({ path: [...path], message: MISPLACED }));
    return { kind: 'invalid', call, problems };
  }

  /** If the route requires a reason, an edit with a reason also approves the edited call. */
  async function addReason(outcome: DecisionOutcome, by: Person, reason: string | undefined) {
    if (outcome.kind !== 'recorded' || reason === undefined) return outcome;
    const { call } = outcome;
    const isAsked =
      rulingRouteOf(call).requiresReason && call.editedBy && isSamePerson(call.editedBy, by);
    if (!isAsked || call.votes.length > 0) return outcome;
    const approved = await decide(call, by, { kind: 'approve', reason });
    return approved.kind === 'decided' || approved.kind === 'recorded' ? approved : outcome;
  }

  function toResponse(c: ApiContext, caller: ApiCaller, outcome: DecisionOutcome): Response {
    return isDone(outcome)
      ? c.json(toApproval(outcome.call, viewFor(caller, outcome.call)), 200)
      : rejectDecision(c, outcome);
  }

  async function answer(
    c: ApiContext,
    caller: ApiCaller,
    id: string,
    digest: string | undefined,
    act: (call: Call, by: Person) => Promise<DecisionOutcome>,
  ): Promise<Response> {
    if (caller.kind === 'key') return peopleOnlyProblem(c);
    const call = await store.ledger.get(id);
    if (!call) return notFoundProblem(c);
    const unseen = explainUnseen(call, digest);
    if (unseen !== undefined) return problemResponse(c, 409, unseen);
    return toResponse(c, caller, await act(call, caller.person));
  }

  const approve = createOperation(
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
    ({ body, c, id, caller }) =>
      answer(c, caller, id, body.digest, async (call, by) => {
        const { modifiedArguments: modified, reason } = body;
        if (modified) return await addReason(await edit(call, by, modified), by, reason);
        return await decide(call, by, { kind: 'approve', ...(reason !== undefined && { reason }) });
      }),
  );

  const reject = createOperation(
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
    ({ body, c, id, caller }) =>
      answer(c, caller, id, body.digest, (call, by) => {
        const text = body.reason?.trim() ?? '';
        return decide(call, by, text === '' ? { kind: 'ignore' } : { kind: 'reply', text });
      }),
  );

  const open = createOperation(
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
        ? c.json(toApproval(seen.call, opened), 200)
        : toResponse(c, caller, seen);
    },
  );

  return [approve, reject, open];
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
