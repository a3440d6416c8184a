/** Pure decision rules: from a stored call and a command to the steps to write, or to a refusal. */

import type { Call, Verdict } from '../calls/call.ts';
import { behaviourOf } from '../calls/call-origin.ts';
import { mustStillOpen } from '../calls/call-secrets.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../calls/decision.ts';
import { callDigestOf, hasOtherRoute, isStaleToken } from '../calls/digest.ts';
import type { Outcome } from '../calls/outcome.ts';
import { isIntact } from '../calls/seal.ts';
import { type CallPreview, toStoredPreview } from '../calls/stored-preview.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';
import { isSamePerson } from '../people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../policy/route.ts';
import type { SecretsOfTool } from '../secrets/secret-paths.ts';
import type { Sentence } from '../text/sentence.ts';
import type { ParsedArgs } from '../tools/tool.ts';
import type { Allowed, Permission } from './decision-permission.ts';
import { ruleExpiry, stopForgedCall } from './end-rules.ts';

/** Steps to write, the last one being the result; or an answer that changes nothing. */
export type DecisionRuling<Answer = DecisionOutcome> =
  | { readonly kind: 'steps'; readonly steps: readonly Step[] }
  | { readonly kind: 'answer'; readonly outcome: Answer };

/** An edit's arguments as the tool parsed them, with a preview of the effect. */
export interface Edited extends CallPreview {
  readonly parsed: ParsedArgs;
}

/** Maximum length of a reason, in characters. */
export const REASON_LENGTH = 300;

/** Returns the route that applies to a call; without one, the requester decides. */
export function rulingRouteOf(call: Call): Route {
  return call.route ?? REQUESTER_ROUTE;
}

/** Returns how many approvals are still missing. */
export function missingApprovalCount(call: Call): number {
  return Math.max(0, rulingRouteOf(call).quorum - call.votes.length);
}

/** Checks what applies to every decision. Returns an answer or steps if it may not continue. */
export function checkDecidable(
  call: Call,
  check: DecisionCheck,
  now: number,
  permission: Permission,
): DecisionRuling | Allowed {
  if (permission.kind === 'nobody') return notAllowed(call, permission.why);
  if (call.status === 'proposed') return answer({ kind: 'not-found' });
  if (call.status !== 'pending') return answer({ kind: 'already-decided', call });
  if (isStaleToken(call, check)) return answer({ kind: 'stale', call });
  if (!isIntact(call)) return { kind: 'steps', steps: [stopForgedCall(call, now)] };
  if (permission.kind === 'not-allowed') return notAllowed(call, permission.why);
  if (call.deadlineAt !== undefined && now >= call.deadlineAt) {
    return { kind: 'steps', steps: [ruleExpiry(call, now)] };
  }
  // A person who opens the call is shown the current route.
  const isApproval = check.kind === 'approve' && check.renews !== true;
  return isApproval && hasOtherRoute(call, check) ? answer({ kind: 'rerouted', call }) : permission;
}

/** Rules on a decision. Throws if an edit comes without `edited`. */
export function ruleDecision(
  call: Call,
  command: DecisionCommand,
  now: number,
  permission: Permission,
  edited: Edited | undefined,
  tool?: SecretsOfTool,
): DecisionRuling {
  const { decision, by } = command;
  const check = checkDecidable(call, { ...command, kind: decision.kind }, now, permission);
  if (check.kind !== 'allowed') return check;
  switch (decision.kind) {
    case 'approve':
      if (mustStillOpen(call, by, tool)) return answer({ kind: 'needs-opening', call });
      return ruleApproval(call, { kind: 'approve', by, at: now }, decision.reason);
    case 'edit': {
      if (!edited) throw new Error('An edit is ruled on with its parsed arguments.');
      const sawAll = decision.keepsUnseen !== true && !hasOtherRoute(call, command);
      const approves = check.approves && sawAll;
      return ruleEdit(call, { kind: 'edit', by, at: now }, edited, approves);
    }
    case 'reply':
      return ruleReply(call, { kind: 'reply', by, at: now }, decision.text);
    case 'ignore':
      return conclude(call, 'ignored', { kind: 'ignored', by }, { kind: 'ignore', by, at: now });
  }
}

/** Checks whether a person may report what happened to a call; returns an answer if not. */
export function checkSettlement(
  call: Call,
  check: Pick<DecisionCheck, 'attempt' | 'digest'>,
  permission: Permission,
): DecisionRuling | Allowed {
  if (permission.kind === 'nobody') return notAllowed(call, permission.why);
  if (call.status !== 'unknown') return answer({ kind: 'already-decided', call });
  if (isStaleToken(call, check)) return answer({ kind: 'stale', call });
  if (permission.kind === 'not-allowed') return notAllowed(call, permission.why);
  return permission;
}

/** Rules on a person's finding about a call whose outcome is unknown. */
export function ruleSettlement(
  call: Call,
  command: SettleCommand,
  now: number,
  permission: Permission,
  tool?: SecretsOfTool,
): DecisionRuling {
  const check = checkSettlement(call, command, permission);
  if (check.kind !== 'allowed') return check;
  const verdict: Verdict = { kind: 'settle', by: command.by, at: now };
  if (command.finding === 'rerun') {
    const approves = check.approves && !mustStillOpen(call, command.by, tool);
    return ruleRerun(call, verdict, approves);
  }
  const ran = command.finding === 'ran';
  const outcome: Outcome = ran
    ? { kind: 'result', text: 'A person checked: it ran. Its own result was lost.' }
    : { kind: 'error', text: 'A person checked: it did not run, and it must not be run.' };
  const status = ran ? 'succeeded' : 'failed';
  return steps(stepFrom(call, 'settle', now, { status, verdict, outcome }));
}

function ruleApproval(call: Call, verdict: Verdict, given = ''): DecisionRuling {
  const { by, at } = verdict;
  const hasApproved = call.votes.some((vote) => isSamePerson(vote.by, by));
  if (hasApproved) {
    const missing = missingApprovalCount(call);
    if (missing > 0) return answer({ kind: 'already-voted', call, missing });
    // The quorum was lowered after this person approved; only a click was missing.
    return steps(stepFrom(withoutNote(call), 'approve', at, { status: 'approved', verdict }));
  }
  const reason = given.trim();
  if (reason === '' && rulingRouteOf(call).requiresReason)
    return answer({ kind: 'needs-reason', call });
  if (reason.length > REASON_LENGTH) {
    const message = `A reason has at most ${REASON_LENGTH} characters; this has ${reason.length}.`;
    return answer({ kind: 'invalid', call, problems: [{ path: ['reason'], message }] });
  }
  const votes = [...call.votes, { by, at, ...(reason !== '' && { reason }) }];
  if (votes.length < rulingRouteOf(call).quorum) {
    return steps(stepFrom(call, 'vote', at, { status: 'pending', votes }));
  }
  return steps(stepFrom(withoutNote(call), 'approve', at, { status: 'approved', votes, verdict }));
}

function ruleEdit(
  call: Call,
  verdict: Verdict,
  { parsed, ...shown }: Edited,
  approves: boolean,
): DecisionRuling {
  if (!parsed.ok) return answer({ kind: 'invalid', call, problems: parsed.problems });
  const { by, at } = verdict;
  const { preview: _text, basis: _basis, summary: _line, ...rest } = call;
  const next = { ...rest, ...toStoredPreview(shown) };
  const bound = { ...next, args: parsed.canonical, attempt: call.attempt + 1 };
  const edited = stepFrom(next, 'edit', at, {
    status: 'pending',
    args: bound.args,
    attempt: bound.attempt,
    digest: callDigestOf(bound),
    votes: [],
    editedBy: by,
  });
  return reapproveEdited(edited, verdict, approves);
}

function ruleRerun(call: Call, verdict: Verdict, approves: boolean): DecisionRuling {
  // A rerun computes a new digest. Check first, so that tampered content cannot become valid.
  if (!isIntact(call)) return steps(stopForgedCall(call, verdict.at));
  const { outcome: _outcome, claim: _claim, ...rest } = call;
  const attempt = call.attempt + 1;
  const again = stepFrom(rest, 'rerun', verdict.at, {
    status: 'pending',
    attempt,
    digest: callDigestOf({ ...rest, attempt }),
    votes: [],
    pendingSince: verdict.at,
    deadlineAt: verdict.at + rulingRouteOf(call).deadlineMs,
  });
  return reapproveEdited(again, verdict, approves);
}

/** The person who edits or reruns also approves, if their approval counts and needs no reason. */
function reapproveEdited(made: Step, verdict: Verdict, approves: boolean): DecisionRuling {
  const route = rulingRouteOf(made.call);
  const isEnough = behaviourOf(made.call).asksFor === 'form' || route.decisions.includes('approve');
  const counts = approves && isEnough && !route.requiresReason;
  if (!counts) return steps(made);
  const vote = { by: verdict.by, at: verdict.at };
  if (route.quorum > 1) return steps({ ...made, call: { ...made.call, votes: [vote] } });
  const approved = stepFrom(withoutNote(made.call), 'approve', verdict.at, {
    status: 'approved',
    votes: [vote],
    verdict,
  });
  return steps(made, approved);
}

/** The note says why the call was pending again; approval makes it obsolete. */
function withoutNote({ note: _why, ...call }: Call): Call {
  return call;
}

function ruleReply(call: Call, verdict: Verdict, text: string): DecisionRuling {
  if (text.trim() === '') {
    const problems = [{ path: ['text'], message: 'Enter a reply for the agent.' }];
    return answer({ kind: 'invalid', call, problems });
  }
  return conclude(call, 'replied', { kind: 'reply', text, by: verdict.by }, verdict);
}

function conclude(
  call: Call,
  status: 'replied' | 'ignored',
  outcome: Outcome,
  verdict: Verdict,
): DecisionRuling {
  const cause = status === 'replied' ? 'reply' : 'ignore';
  return steps(stepFrom(call, cause, verdict.at, { status, outcome, verdict }));
}

function notAllowed(call: Call, why: Sentence): DecisionRuling {
  return answer({ kind: 'not-allowed', call, why });
}

function steps(...all: readonly Step[]): DecisionRuling {
  return { kind: 'steps', steps: all };
}

function answer(outcome: DecisionOutcome): DecisionRuling {
  return { kind: 'answer', outcome };
}
