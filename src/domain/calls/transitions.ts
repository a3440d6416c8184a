/** The life of a call as a table. Stores reject every other edge. */

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
  // A person opened the masked parts of the call.
  ['pending', 'pending', 'open'],
  // Nobody has decided yet: approvers are reminded, or the call moves to others.
  ['pending', 'pending', 'remind'],
  ['pending', 'pending', 'escalate'],
  // The route changed, or the members of one of its groups did. This approves nothing.
  ['pending', 'pending', 'reroute'],
  ['pending', 'approved', 'approve'],
  // The preview's source has changed since it was shown.
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
  // A person asked for a rerun, but the stored content is not what was shown.
  ['unknown', 'failed', 'integrity'],
  ['running', 'unknown', 'recover'],
  // The tool keeps running after a stop or its deadline.
  ['running', 'unknown', 'abandon'],
  // An idempotent call of a dead worker reruns with the same key: same status, new claim.
  ['running', 'running', 'recover'],
  // Only delegates (their work is a child thread), and calls that never reached their graph.
  ['running', 'withdrawn', 'withdraw'],
  // At the deadline or a stop the agent is told "unknown"; people can still settle the card.
  ['unknown', 'unknown', 'expire'],
  ['unknown', 'pending', 'rerun'],
  ['unknown', 'unknown', 'open'],
  ['unknown', 'succeeded', 'settle'],
  ['unknown', 'failed', 'settle'],
];

/** One step along an edge, with the resulting call. */
export interface Step {
  readonly cause: TransitionCause;
  readonly call: Call;
  /** Extra facts for the audit, e.g. the policy rule. Never argument values. */
  readonly detail?: { readonly [key: string]: JsonValue };
}

/** Returns whether the table has this edge. */
export function isTransition(
  from: CallStatus | null,
  to: CallStatus,
  cause: TransitionCause,
): boolean {
  return TRANSITIONS.some(([f, t, c]) => f === from && t === to && c === cause);
}

/** Throws if a step is not an edge of the table, or breaks the revision or attempt count. */
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

/** Builds the step that replaces `before`, setting revision and time. */
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
