/** The call's life (design §3) as a table: no other edge exists, and every store refuses one. */

import type { JsonValue } from '../json/json.ts';
import type { Call, CallStatus } from './call.ts';

export type TransitionCause =
  | 'propose'
  | 'gate'
  | 'vote'
  | 'open'
  | 'remind'
  | 'escalate'
  | 'reroute'
  | 'approve'
  | 'edit'
  | 'reply'
  | 'ignore'
  | 'expire'
  | 'withdraw'
  | 'claim'
  | 'recheck'
  | 'integrity'
  | 'refuse'
  | 'finish'
  | 'recover'
  | 'abandon'
  | 'rerun'
  | 'settle';

type Edge = readonly [from: CallStatus | null, to: CallStatus, cause: TransitionCause];

export const TRANSITIONS: readonly Edge[] = [
  [null, 'proposed', 'propose'],
  ['proposed', 'approved', 'gate'],
  ['proposed', 'pending', 'gate'],
  ['proposed', 'refused', 'gate'],
  ['proposed', 'withdrawn', 'withdraw'],
  ['pending', 'pending', 'vote'],
  ['pending', 'pending', 'edit'],
  // A person has seen what is masked until the call is opened.
  ['pending', 'pending', 'open'],
  // Nobody has decided: those who may are told once more, or others may from now on.
  ['pending', 'pending', 'remind'],
  ['pending', 'pending', 'escalate'],
  // Its route has changed, or who is in a group of it: nothing is approved by that.
  ['pending', 'pending', 'reroute'],
  ['pending', 'approved', 'approve'],
  // What it works on has changed since it was shown.
  ['pending', 'pending', 'recheck'],
  ['pending', 'replied', 'reply'],
  ['pending', 'ignored', 'ignore'],
  ['pending', 'expired', 'expire'],
  ['pending', 'withdrawn', 'withdraw'],
  ['pending', 'refused', 'refuse'],
  ['pending', 'failed', 'integrity'],
  ['approved', 'running', 'claim'],
  ['approved', 'pending', 'recheck'],
  ['approved', 'expired', 'expire'],
  ['approved', 'withdrawn', 'withdraw'],
  ['approved', 'refused', 'refuse'],
  ['approved', 'failed', 'integrity'],
  ['running', 'succeeded', 'finish'],
  ['running', 'failed', 'finish'],
  ['running', 'failed', 'integrity'],
  // Somebody wants it to run again, and what is stored is not what was shown.
  ['unknown', 'failed', 'integrity'],
  ['running', 'unknown', 'recover'],
  // Its tool goes on though it was told to end: by a stop, or at its deadline.
  ['running', 'unknown', 'abandon'],
  // An idempotent call of a dead worker runs again with the same key: a new claim on the same status.
  ['running', 'running', 'recover'],
  // Delegates only: their work is a child thread. And what a graph was to be given with others, and was not.
  ['running', 'withdrawn', 'withdraw'],
  // The route's deadline or a stop: the agent is told "unknown", the card stays settleable.
  ['unknown', 'unknown', 'expire'],
  ['unknown', 'pending', 'rerun'],
  ['unknown', 'unknown', 'open'],
  ['unknown', 'succeeded', 'settle'],
  ['unknown', 'failed', 'settle'],
];

/** One edge taken: the call as it stands after it. */
export interface Step {
  readonly cause: TransitionCause;
  readonly call: Call;
  /** What the audit remembers of it besides, e.g. the rule of the policy; never argument values. */
  readonly detail?: { readonly [key: string]: JsonValue };
}

/** Tells whether the table has this edge. */
export function isTransition(
  from: CallStatus | null,
  to: CallStatus,
  cause: TransitionCause,
): boolean {
  return TRANSITIONS.some(([f, t, c]) => f === from && t === to && c === cause);
}

/** Throws when a step is not an edge of the table, or breaks a count that only grows by one. */
export function assertStep(before: Call, step: Step): void {
  const { call, cause } = step;
  if (call.id !== before.id || call.revision !== before.revision + 1) {
    throw new Error(`Step of call ${before.id} does not follow revision ${before.revision}.`);
  }
  if (!isTransition(before.status, call.status, cause)) {
    throw new Error(`A call can't go from ${before.status} to ${call.status} by ${cause}.`);
  }
  const grows = cause === 'edit' || cause === 'rerun';
  if (call.attempt !== before.attempt + (grows ? 1 : 0)) {
    throw new Error(`The attempt of call ${before.id} changes by an edit or a rerun only.`);
  }
}

/** Makes the step that replaces `before`; the revision and the time are set here. */
export function stepFrom(
  before: Call,
  cause: TransitionCause,
  now: number,
  patch: Partial<Omit<Call, 'id' | 'revision' | 'updatedAt'>> & Pick<Call, 'status'>,
): Step {
  const call: Call = { ...before, ...patch, revision: before.revision + 1, updatedAt: now };
  const step = { cause, call };
  assertStep(before, step);
  return step;
}
