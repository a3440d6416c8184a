/** Whether an approved call may still run, looked at again in the moment before it does. */

import { checkDecisionPermission, type KnownGroups } from '../people/decision-permission.ts';
import { MEMBERSHIP_LABELS } from '../people/sender-policy.ts';
import { type GateAnswer, REQUESTER_ROUTE, type Route } from '../policy/route.ts';
import type { WorkspaceMembership } from '../ports/directory.ts';
import { joinSentences, type Sentence, sentence } from '../text/sentence.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { ParsedArgs, Preview } from '../tools/tool.ts';
import type { Call, Vote } from './call.ts';
import { effectiveRequester, isConsumedByCaller } from './call-origin.ts';
import { ruleExpiry, stopForgedCall } from './decision-rules.ts';
import { callDigestOf } from './digest.ts';
import type { Outcome } from './outcome.ts';
import { reachedRouteOf } from './reminder-schedule.ts';
import { isIntact } from './seal.ts';
import { type CallPreview, toStoredPreview, UNSEEN_BASIS } from './stored-preview.ts';
import { type Step, stepFrom } from './transitions.ts';

/** What is known when a worker wants to run a call. */
export interface ClaimFacts {
  readonly now: number;
  readonly fence: number;
  /** The policy's answer of this moment. */
  readonly gate: GateAnswer;
  /** The stored arguments read by the tool as it is now; undefined when there is no such tool any more. */
  readonly parsed: ParsedArgs | undefined;
  /** The thread that the work is handed to, where the tool delegates it. */
  readonly child?: ThreadKey | undefined;
  /** The tool's preview of this moment; undefined where that does not matter. */
  readonly preview?: Preview | undefined;
  /** The summary that goes with it. */
  readonly summary?: string | undefined;
  /** What the workspace says now of those who approved; undefined when that can't be told. */
  readonly voters: KnownApprovers | undefined;
}

/** Those who approved a call, as the workspace tells of them in the moment of the claim. */
export interface KnownApprovers {
  /** By user id. */
  readonly standings: ReadonlyMap<string, WorkspaceMembership>;
  readonly groups: KnownGroups;
}

/** Returns the step to take: the claim, or what stands in its way. */
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

/** What the tool, the policy and the preview have to say now; undefined when nothing has changed. */
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

/** Says that a call's tool is not offered: one of a server may be again. */
export function describeMissingTool({ server, tool }: Pick<Call, 'server' | 'tool'>): string {
  if (server === undefined) return `The tool “${tool}” is no longer there.`;
  return `The tool “${tool}” is not there now: the MCP server “${server}” can’t be reached, or has it no more.`;
}

/** Takes over the call of a worker that died while it ran: runs an idempotent one again, asks people about any other, and about one without a seal. */
export function ruleRecovery(call: Call, now: number, fence: number, mayRerun = true): Step {
  if (call.idempotent && mayRerun && call.doubt !== 'unsealed') {
    return stepFrom(call, 'recover', now, { status: 'running', claim: { fence, at: now } });
  }
  const note = 'The process died while this ran. It may have run, in part or whole. Please check.';
  return stepFrom(call, 'recover', now, toUnknownPatch(call, now, note));
}

/** Leaves the call of a dead worker that would run again and may not: `why` is a sentence for people. */
export function rejectRerun(call: Call, why: Sentence, now: number): Step {
  const note = sentence`The process died while this ran, and it is not run again: ${why} It may have run, in part or whole. Please check.`;
  return stepFrom(call, 'recover', now, toUnknownPatch(call, now, note));
}

/** Leaves a call to itself whose tool goes on though it was told to end, or whose taker keeps silent: whether it runs, only people can tell. */
export function abandonRun(call: Call, cause: 'stop' | 'deadline' | 'silence', now: number): Step {
  return stepFrom(call, 'abandon', now, toUnknownPatch(call, now, ABANDONED[cause]));
}

const GOES_ON =
  'and the tool goes on all the same: it may still be at work, or have run in part or whole. Please check.';
const ABANDONED = {
  stop: `A person stopped this, ${GOES_ON}`,
  deadline: `This took too long and was told to end, ${GOES_ON}`,
  silence:
    'Whoever asked for this took it and has not said since what came of it. It may have run, in part or whole. Please check.',
} as const;

/** Leaves a call whose tool can't tell whether it ran: `why` is a sentence for people. */
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

/** Whoever may take a call without being asked has as long for it as for one that people decide. */
function takeDeadlineOf(call: Call, now: number): { readonly deadlineAt?: number } {
  if (!isConsumedByCaller(call)) return {};
  return { deadlineAt: now + (call.outside?.deadlineMs ?? REQUESTER_ROUTE.deadlineMs) };
}

/** Answers a proposed call with the gate's word. */
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

/** A preview that came too late, or from a tool that does not bind, says nothing new: the run itself looks again. */
function isOutdated(call: Call, preview: Preview | undefined): boolean {
  const basis = preview?.basis;
  return basis !== undefined && basis !== UNSEEN_BASIS && basis !== call.basis;
}

/** Shows a waiting call anew when its preview of now was made from something else; undefined when nothing has changed. */
export function rulePreviewRenewal(call: Call, shown: CallPreview, now: number): Step | undefined {
  const { route } = call;
  if (!isIntact(call) || !route || !isOutdated(call, shown.preview)) return undefined;
  return renewAttempt(call, route, { now, ...shown });
}

/** Back to pending: what people approved is not what would happen now. Old buttons die with the digest. */
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
    note: 'What this works on has changed since it was shown. Nothing was run: please look again.',
    deadlineAt: call.deadlineAt ?? now + route.deadlineMs,
  });
}

/** Back to pending when too few of those who approved may still approve, or nobody can tell. */
function askAgain(call: Call, route: Route, { voters, now }: ClaimFacts): Step | undefined {
  // Whoever has approved could not press again: all of them are asked anew.
  if (!voters && call.votes.length > 0) return returnToPending(call, route, now, [], UNCLEAR);
  const judged = call.votes.map((vote) => ({
    vote,
    lost: explainLostApproval(call, route, vote, voters),
  }));
  const votes = judged.filter(({ lost }) => lost === undefined).map(({ vote }) => vote);
  if (votes.length >= route.quorum) return undefined;
  const lost = judged.flatMap(({ vote, lost: why }) =>
    why === undefined ? [] : [sentence`${{ person: vote.by.user }} (${why})`],
  );
  return returnToPending(call, route, now, votes, describeReopened(call, route, lost));
}

/** A call that is asked on the policy's own route begins its way to others anew. */
export function restartEscalation({ escalatedFrom: _old, ...call }: Call): Call {
  return call;
}

const UNCLEAR =
  'When this was about to run, Slack did not tell who may approve it. Nothing was run: please approve it again.';

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

/** Says why an approval does not count any more; undefined when it does. */
export function explainLostApproval(
  call: Call,
  route: Route,
  { by, reason }: Vote,
  voters: KnownApprovers | undefined,
): string | undefined {
  if (route.requiresReason && reason === undefined) return 'an approval needs a reason now';
  const standing = voters?.standings.get(by.user) ?? 'gone';
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
  if (call.doubt === 'unsealed') {
    return 'Nobody can tell any more who had approved this. Nothing was run: please look again.';
  }
  if (call.votes.length === 0) return 'The policy has changed: this now needs an approval.';
  if (lost.length === 0) {
    return `The policy has changed: this now needs ${route.quorum} approvals. Nothing was run.`;
  }
  return sentence`An approval does not count any more: ${joinSentences(lost, ', ')}. Nothing was run.`;
}

/** Ends a call that the policy, or the tool of now, does not take. */
export function refuseCall(call: Call, now: number, reason: string): Step {
  return stepFrom(call, 'refuse', now, {
    status: 'refused',
    note: reason,
    outcome: { kind: 'refused', reason },
  });
}
