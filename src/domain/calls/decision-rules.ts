/** Decisions as pure functions: from the stored call and a person's wish to the steps to be written, or the answer why not. */

import type { Allowed, Permission } from '../people/decision-permission.ts';
import { isSamePerson } from '../people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../policy/route.ts';
import { mustStillOpen } from '../secrets/call-secrets.ts';
import type { SecretsOfTool } from '../secrets/secret-paths.ts';
import type { Sentence } from '../text/sentence.ts';
import type { ParsedArgs } from '../tools/tool.ts';
import { type Call, isTerminal, type Verdict } from './call.ts';
import { isServerQuestion } from './call-origin.ts';
import type { DecisionCheck, DecisionCommand, DecisionOutcome, SettleCommand } from './decision.ts';
import { callDigestOf, hasOtherRoute, isStaleToken } from './digest.ts';
import type { Outcome } from './outcome.ts';
import { isIntact } from './seal.ts';
import { type CallPreview, toStoredPreview } from './stored-preview.ts';
import { type Step, stepFrom } from './transitions.ts';

/** Steps to be written, whose last call is the news; or an answer that changes nothing. */
export type DecisionRuling<Answer = DecisionOutcome> =
  | { readonly kind: 'steps'; readonly steps: readonly Step[] }
  | { readonly kind: 'answer'; readonly outcome: Answer };

/** An edit's arguments as the tool read them, with the preview of their effect. */
export interface Edited extends CallPreview {
  readonly parsed: ParsedArgs;
}

/** The most characters of a reason. */
export const REASON_LENGTH = 300;

/** Returns the route that rules a call; calls that ran unasked fall to their requester. */
export function rulingRouteOf(call: Call): Route {
  return call.route ?? REQUESTER_ROUTE;
}

/** How many approvals are still missing. */
export function missingApprovalCount(call: Call): number {
  return Math.max(0, rulingRouteOf(call).quorum - call.votes.length);
}

/** Checks what every decision must pass; an answer, or steps, when it may not go on. */
export function checkDecisionLook(
  call: Call,
  look: DecisionCheck,
  now: number,
  permission: Permission,
): DecisionRuling | Allowed {
  if (permission.kind === 'nobody') return notAllowed(call, permission.why);
  if (call.status === 'proposed') return answer({ kind: 'not-found' });
  if (call.status !== 'pending') return answer({ kind: 'already-decided', call });
  if (isStaleToken(call, look)) return answer({ kind: 'stale', call });
  if (!isIntact(call)) return { kind: 'steps', steps: [stopForgedCall(call, now)] };
  if (permission.kind === 'not-allowed') return notAllowed(call, permission.why);
  if (call.deadlineAt !== undefined && now >= call.deadlineAt) {
    return { kind: 'steps', steps: [ruleExpiry(call, now)] };
  }
  // Whoever opens it is shown the route of now.
  const isPress = look.kind === 'approve' && look.renews !== true;
  return isPress && hasOtherRoute(call, look) ? answer({ kind: 'rerouted', call }) : permission;
}

/** Rules on a decision; `edited` is needed for edits. */
export function ruleDecision(
  call: Call,
  command: DecisionCommand,
  now: number,
  permission: Permission,
  edited: Edited | undefined,
  tool?: SecretsOfTool,
): DecisionRuling {
  const { decision, by } = command;
  const look = checkDecisionLook(call, { ...command, kind: decision.kind }, now, permission);
  if (look.kind !== 'allowed') return look;
  switch (decision.kind) {
    case 'approve':
      if (mustStillOpen(call, by, tool)) return answer({ kind: 'needs-opening', call });
      return ruleApproval(call, { kind: 'approve', by, at: now }, decision.reason);
    case 'edit': {
      if (!edited) throw new Error('An edit is ruled on with its parsed arguments.');
      const sawAll = decision.keepsUnseen !== true && !hasOtherRoute(call, command);
      const approves = look.approves && sawAll;
      return ruleEdit(call, { kind: 'edit', by, at: now }, edited, approves);
    }
    case 'reply':
      return ruleReply(call, { kind: 'reply', by, at: now }, decision.text);
    case 'ignore':
      return conclude(call, 'ignored', { kind: 'ignored', by }, { kind: 'ignore', by, at: now });
  }
}

/** Checks what must hold before a person says what happened to a call; an answer when it may not go on. */
export function checkSettlement(
  call: Call,
  look: Pick<DecisionCheck, 'attempt' | 'digest'>,
  permission: Permission,
): DecisionRuling | Allowed {
  if (permission.kind === 'nobody') return notAllowed(call, permission.why);
  if (call.status !== 'unknown') return answer({ kind: 'already-decided', call });
  if (isStaleToken(call, look)) return answer({ kind: 'stale', call });
  if (permission.kind === 'not-allowed') return notAllowed(call, permission.why);
  return permission;
}

/** Rules on what a person found out about a call of which it is unknown whether it ran. */
export function ruleSettlement(
  call: Call,
  command: SettleCommand,
  now: number,
  permission: Permission,
  tool?: SecretsOfTool,
): DecisionRuling {
  const look = checkSettlement(call, command, permission);
  if (look.kind !== 'allowed') return look;
  const verdict: Verdict = { kind: 'settle', by: command.by, at: now };
  if (command.finding === 'rerun') {
    const approves = look.approves && !mustStillOpen(call, command.by, tool);
    return ruleRerun(call, verdict, approves);
  }
  const ran = command.finding === 'ran';
  const outcome: Outcome = ran
    ? { kind: 'result', text: 'A person checked: it ran. Its own result was lost.' }
    : { kind: 'error', text: 'A person checked: it did not run, and it is not to be run.' };
  const status = ran ? 'succeeded' : 'failed';
  return steps(stepFrom(call, 'settle', now, { status, verdict, outcome }));
}

/** Tells whether a call waits that should have been decided, or run, by now. */
export function isOverdue({ deadlineAt, status }: Call, now: number): boolean {
  const waits = status === 'pending' || status === 'approved';
  return waits && deadlineAt !== undefined && now >= deadlineAt;
}

/** Expires a pending or approved call, or tells the agent of an unknown one that it stays unknown. */
export function ruleExpiry(call: Call, now: number): Step {
  if (call.status === 'unknown') {
    const reason = 'it was cut off while it ran, and nobody has said since what happened.';
    return stepFrom(call, 'expire', now, {
      status: 'unknown',
      outcome: { kind: 'unknown', reason },
    });
  }
  return stepFrom(call, 'expire', now, { status: 'expired', outcome: { kind: 'expired' } });
}

/** Stops a call whose stored arguments are not those whose digest was shown; `mayHaveRun` tells whether it had begun before. */
export function stopForgedCall(
  call: Call,
  now: number,
  mayHaveRun = call.status === 'unknown',
): Step {
  const end = mayHaveRun ? 'It was not run again.' : 'Nothing was run.';
  const note = `integrity_error: the stored arguments are not those that were shown. ${end}`;
  const why = 'its stored arguments had been changed. People have been told.';
  const text = mayHaveRun
    ? `It is not known whether this ran; it was not run again, since ${why}`
    : `Not run: ${why}`;
  const outcome: Outcome = { kind: 'error', text };
  return stepFrom(call, 'integrity', now, { status: 'failed', note, outcome });
}

/** Withdraws a call that has not begun to run, or whose work is a child thread; undefined when it is too late for that. */
export function withdrawCall(
  call: Call,
  cause: Extract<Outcome, { kind: 'withdrawn' }>['cause'],
  now: number,
): Step | undefined {
  const isRun = call.status === 'running' && call.child === undefined;
  if (isTerminal(call) || isRun || call.status === 'unknown') return undefined;
  return stepFrom(call, 'withdraw', now, {
    status: 'withdrawn',
    outcome: { kind: 'withdrawn', cause },
  });
}

/** Takes back a call that its graph was to be given with others, before it was; undefined when it has ended. */
export function withdrawUndelivered(
  call: Call,
  cause: Extract<Outcome, { kind: 'withdrawn' }>['cause'],
  now: number,
): Step | undefined {
  if (isTerminal(call)) return undefined;
  return stepFrom(call, 'withdraw', now, {
    status: 'withdrawn',
    note: 'Withdrawn before it was handed over: nothing was run.',
    outcome: { kind: 'withdrawn', cause },
  });
}

function ruleApproval(call: Call, verdict: Verdict, given = ''): DecisionRuling {
  const { by, at } = verdict;
  const hasApproved = call.votes.some((vote) => isSamePerson(vote.by, by));
  if (hasApproved) {
    const missing = missingApprovalCount(call);
    if (missing > 0) return answer({ kind: 'already-voted', call, missing });
    // Its route asks for fewer than there are by now: the press is all that it lacks.
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
  // A new attempt is hashed anew: what was changed since must not become what was shown.
  if (!isIntact(call)) return steps(stopForgedCall(call, verdict.at));
  const { outcome: _told, claim: _dead, ...rest } = call;
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

/** The press that made an attempt is its maker's approval, where that counts and needs no words. */
function reapproveEdited(made: Step, verdict: Verdict, approves: boolean): DecisionRuling {
  const route = rulingRouteOf(made.call);
  const isEnough = isServerQuestion(made.call) || route.decisions.includes('approve');
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

/** Why it was pending again is over once it is approved. */
function withoutNote({ note: _why, ...call }: Call): Call {
  return call;
}

function ruleReply(call: Call, verdict: Verdict, text: string): DecisionRuling {
  if (text.trim() === '') {
    const problems = [{ path: ['text'], message: 'Write what the agent is to be told.' }];
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
