/** Rechecks just before an approved call runs whether it still may. */

import type { Call, Vote } from '../calls/call.ts';
import { behaviourOf, effectiveRequester } from '../calls/call-origin.ts';
import { callDigestOf } from '../calls/digest.ts';
import type { Outcome } from '../calls/outcome.ts';
import { isIntact } from '../calls/seal.ts';
import { type CallPreview, toStoredPreview, UNSEEN_BASIS } from '../calls/stored-preview.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';
import type { WorkspaceMembership } from '../people/profile.ts';
import { MEMBERSHIP_LABELS } from '../people/sender-policy.ts';
import { type GateAnswer, REQUESTER_ROUTE, type Route } from '../policy/route.ts';
import { joinSentences, type Sentence, sentence } from '../text/sentence.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { ParsedArgs, Preview } from '../tools/tool.ts';
import { checkDecisionPermission, type KnownGroups } from './decision-permission.ts';
import { ruleExpiry, stopForgedCall } from './end-rules.ts';
import { reachedRouteOf } from './reminder-schedule.ts';

/** The facts a worker has when it wants to run a call. */
export interface ClaimFacts {
  readonly now: number;
  readonly fence: number;
  /** The policy's current answer. */
  readonly gate: GateAnswer;
  /** The stored arguments, parsed by the current tool; undefined if the tool is gone. */
  readonly parsed: ParsedArgs | undefined;
  /** The child thread to start, if the tool delegates. */
  readonly child?: ThreadKey | undefined;
  /** The tool's current preview; undefined if it is not needed. */
  readonly preview?: Preview | undefined;
  /** The summary that belongs to `preview`. */
  readonly summary?: string | undefined;
  /** The approvers' current membership; undefined if it could not be looked up. */
  readonly voters: KnownApprovers | undefined;
}

/** The approvers' membership and groups, looked up at the claim. */
export interface KnownApprovers {
  /** By user id. */
  readonly memberships: ReadonlyMap<string, WorkspaceMembership>;
  readonly groups: KnownGroups;
}

/** Returns the claim, or the step that prevents it. */
export function ruleClaim(call: Call, facts: ClaimFacts): Step {
  const { now } = facts;
  if (!isIntact(call)) return stopForgedCall(call, now);
  if (call.deadlineAt !== undefined && now >= call.deadlineAt) return ruleExpiry(call, now);
  const obstacle = findObstacle(call, facts);
  if (obstacle) return obstacle;
  return stepFrom(call, 'claim', now, {
    status: 'running',
    claim: { fence: facts.fence, at: now },
    ...(facts.child && { child: facts.child }),
  });
}

/** Checks tool, policy and preview; undefined if nothing prevents the run. */
function findObstacle(call: Call, facts: ClaimFacts): Step | undefined {
  const { now, gate, parsed } = facts;
  if (!parsed) return refuseCall(call, now, describeMissingTool(call));
  if (!parsed.ok || parsed.canonical !== call.args) {
    return refuseCall(
      call,
      now,
      `The arguments no longer fit the tool “${call.tool}”, which has changed.`,
    );
  }
  if (gate.kind === 'refuse') return refuseCall(call, now, gate.reason);
  if (gate.kind === 'ask') {
    const reached = reachedRouteOf(call, gate.route);
    const back = askAgain(reached === gate.route ? restartEscalation(call) : call, reached, facts);
    if (back) return back;
  }
  const { route } = call;
  return route && isOutdated(call, facts.preview) ? renewAttempt(call, route, facts) : undefined;
}

/** Explains that a tool is missing. An MCP server's tool may come back. */
export function describeMissingTool({ server, tool }: Pick<Call, 'server' | 'tool'>): string {
  if (server === undefined) return `The tool “${tool}” is no longer available.`;
  return `The tool “${tool}” is not available: the MCP server “${server}” is unreachable or no longer offers it.`;
}

/**
 * Takes over the call of a dead worker. Reruns it only if it is idempotent and sealed; otherwise
 * asks people.
 */
export function ruleRecovery(call: Call, now: number, fence: number, mayRerun = true): Step {
  if (call.idempotent && mayRerun && call.sealProblem !== 'unsealed') {
    return ruleRenewedClaim(call, now, fence);
  }
  const note = 'The process died while this ran. It may have run, in part or whole. Please check.';
  return stepFrom(call, 'recover', now, toUnknownPatch(call, now, note));
}

/** Moves the claim of a call that has certainly not started to a new hold. */
export function ruleRenewedClaim(call: Call, now: number, fence: number): Step {
  return stepFrom(call, 'recover', now, { status: 'running', claim: { fence, at: now } });
}

/** Refuses to rerun a dead worker's call. `why` is a sentence for people. */
export function rejectRerun(call: Call, why: Sentence, now: number): Step {
  const note = sentence`The process died while this ran. It was not run again: ${why} It may have run, in part or whole. Please check.`;
  return stepFrom(call, 'recover', now, toUnknownPatch(call, now, note));
}

/**
 * Gives up on a run that ignores its stop, or whose caller never reports. Only people can say
 * whether it ran.
 */
export function abandonRun(call: Call, cause: 'stop' | 'deadline' | 'silence', now: number): Step {
  return stepFrom(call, 'abandon', now, toUnknownPatch(call, now, ABANDONED[cause]));
}

const STILL_RUNNING =
  'but the tool did not stop. It may still be running, or have run in part or whole. Please check.';
const ABANDONED = {
  stop: `A person stopped this, ${STILL_RUNNING}`,
  deadline: `This took too long and was told to stop, ${STILL_RUNNING}`,
  silence:
    'The caller took this call and has not reported a result. It may have run, in part or whole. Please check.',
} as const;

/** Marks a call whose tool can't tell whether it ran. `why` is a sentence for people. */
export function markOutcomeUnknown(call: Call, why: string, now: number): Step {
  const note = `${why} It may have run, in part or whole. Please check.`;
  return stepFrom(call, 'abandon', now, toUnknownPatch(call, now, note));
}

function toUnknownPatch(call: Call, now: number, note: Sentence) {
  const route = call.route ?? REQUESTER_ROUTE;
  return { status: 'unknown', route, deadlineAt: now + route.deadlineMs, note } as const;
}

/** Records the end of a run. */
export function recordRunEnd(
  call: Call,
  outcome: Extract<Outcome, { kind: 'result' | 'error' }>,
  now: number,
): Step {
  return stepFrom(call, 'finish', now, {
    status: outcome.kind === 'result' ? 'succeeded' : 'failed',
    outcome,
  });
}

/** An external call that needs no decision has this long to be taken. */
function takeDeadlineOf(call: Call, now: number): { readonly deadlineAt?: number } {
  if (behaviourOf(call).runBy !== 'caller') return {};
  return { deadlineAt: now + (call.outside?.deadlineMs ?? REQUESTER_ROUTE.deadlineMs) };
}

/** Applies the gate's answer to a proposed call. */
export function ruleGateAnswer(call: Call, gate: GateAnswer, now: number): Step {
  switch (gate.kind) {
    case 'run':
      return stepFrom(call, 'gate', now, { status: 'approved', ...takeDeadlineOf(call, now) });
    case 'ask':
      return stepFrom(call, 'gate', now, {
        status: 'pending',
        route: gate.route,
        pendingSince: now,
        deadlineAt: now + gate.route.deadlineMs,
      });
    case 'refuse':
      return stepFrom(call, 'gate', now, {
        status: 'refused',
        note: gate.reason,
        outcome: { kind: 'refused', reason: gate.reason },
      });
  }
}

/** A late preview, or one without a basis, proves nothing; the run checks again. */
function isOutdated(call: Call, preview: Preview | undefined): boolean {
  const basis = preview?.basis;
  return basis !== undefined && basis !== UNSEEN_BASIS && basis !== call.basis;
}

/** Renews a pending call if its preview's source has changed; undefined if not. */
export function rulePreviewRenewal(call: Call, shown: CallPreview, now: number): Step | undefined {
  const { route } = call;
  if (!isIntact(call) || !route || !isOutdated(call, shown.preview)) return undefined;
  return renewAttempt(call, route, { now, ...shown });
}

/** Back to pending, because the effect has changed. The new digest invalidates old buttons. */
function renewAttempt(
  call: Call,
  route: Route,
  { now, preview, summary }: Pick<ClaimFacts, 'now' | 'preview' | 'summary'>,
): Step {
  const { verdict: _old, preview: _text, basis: _basis, summary: _line, ...rest } = call;
  const shown = { ...rest, ...toStoredPreview({ preview, summary }), renewedAt: now };
  return stepFrom(shown, 'recheck', now, {
    status: 'pending',
    digest: callDigestOf(shown),
    votes: [],
    note: 'The preview has changed since it was shown. Nothing was run. Please review it again.',
    deadlineAt: call.deadlineAt ?? now + route.deadlineMs,
  });
}

/** Back to pending if too few approvals still count, or the approvers are unknown. */
function askAgain(call: Call, route: Route, { voters, now }: ClaimFacts): Step | undefined {
  // People who have approved could not click again, so drop all approvals.
  if (!voters && call.votes.length > 0) return returnToPending(call, route, now, [], UNCLEAR);
  const checkedVotes = call.votes.map((vote) => ({
    vote,
    lost: explainLostApproval(call, route, vote, voters),
  }));
  const votes = checkedVotes.filter(({ lost }) => lost === undefined).map(({ vote }) => vote);
  if (votes.length >= route.quorum) return undefined;
  const lost = checkedVotes.flatMap(({ vote, lost: why }) =>
    why === undefined ? [] : [sentence`${{ person: vote.by.user }} (${why})`],
  );
  return returnToPending(call, route, now, votes, describeReopened(call, route, lost));
}

/** The call is back on the policy's own route, so its escalation starts over. */
export function restartEscalation({ escalatedFrom: _old, ...call }: Call): Call {
  return call;
}

const UNCLEAR =
  'Slack could not confirm the approvers when this was about to run. Nothing was run. Please approve it again.';

function returnToPending(
  call: Call,
  route: Route,
  now: number,
  votes: readonly Vote[],
  note: Sentence,
): Step {
  const { verdict: _old, remindedAt: _reminded, ...rest } = call;
  return stepFrom(rest, 'recheck', now, {
    status: 'pending',
    route,
    votes,
    note,
    pendingSince: now,
    deadlineAt: call.deadlineAt ?? now + route.deadlineMs,
  });
}

/** Explains why an approval no longer counts; undefined if it does. */
export function explainLostApproval(
  call: Call,
  route: Route,
  { by, reason }: Vote,
  voters: KnownApprovers | undefined,
): string | undefined {
  if (route.requiresReason && reason === undefined) return 'approvals now need a reason';
  const standing = voters?.memberships.get(by.user) ?? 'gone';
  const groups = voters?.groups ?? new Map();
  const permission = checkDecisionPermission(route, effectiveRequester(call, by), by, 'approve', {
    standing,
    groups,
  });
  if (permission.kind === 'nobody') return MEMBERSHIP_LABELS[standing];
  return permission.kind === 'allowed' && permission.approves
    ? undefined
    : 'no longer an approver of this call';
}

function describeReopened(call: Call, route: Route, lost: readonly Sentence[]): Sentence {
  if (call.sealProblem === 'unsealed') {
    return 'The earlier approvals can no longer be verified. Nothing was run. Please review it again.';
  }
  if (call.votes.length === 0) return 'The policy has changed: this now needs an approval.';
  if (lost.length === 0) {
    return `The policy has changed: this now needs ${route.quorum} approvals. Nothing was run.`;
  }
  return sentence`An approval no longer counts: ${joinSentences(lost, ', ')}. Nothing was run.`;
}

/** Ends a call that the policy refuses or the current tool does not accept. */
export function refuseCall(call: Call, now: number, reason: string): Step {
  return stepFrom(call, 'refuse', now, {
    status: 'refused',
    note: reason,
    outcome: { kind: 'refused', reason },
  });
}
