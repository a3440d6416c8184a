/** Ends a call without a decision: expiry, withdrawal, a forged record. */

import { type Call, isTerminal } from '../calls/call.ts';
import type { Outcome } from '../calls/outcome.ts';
import { type Step, stepFrom } from '../calls/transitions.ts';

/** Returns whether a pending or approved call is past its deadline. */
export function isOverdue({ deadlineAt, status }: Call, now: number): boolean {
  const waits = status === 'pending' || status === 'approved';
  return waits && deadlineAt !== undefined && now >= deadlineAt;
}

/** Expires a pending or approved call. An unknown call stays unknown; the agent is told so. */
export function ruleExpiry(call: Call, now: number): Step {
  if (call.status === 'unknown') {
    const reason = 'it was interrupted while running, and nobody has reported what happened.';
    return stepFrom(call, 'expire', now, {
      status: 'unknown',
      outcome: { kind: 'unknown', reason },
    });
  }
  return stepFrom(call, 'expire', now, { status: 'expired', outcome: { kind: 'expired' } });
}

/** Fails a call that does not match the digest shown. `mayHaveRun`: it may have started. */
export function stopForgedCall(
  call: Call,
  now: number,
  mayHaveRun = call.status === 'unknown',
): Step {
  const end = mayHaveRun ? 'It was not run again.' : 'Nothing was run.';
  const note = `integrity_error: the stored arguments differ from those that were shown. ${end}`;
  const why = 'its stored arguments had been changed. People have been told.';
  const text = mayHaveRun
    ? `It is not known whether this ran; it was not run again, since ${why}`
    : `Not run: ${why}`;
  const outcome: Outcome = { kind: 'error', text };
  return stepFrom(call, 'integrity', now, { status: 'failed', note, outcome });
}

/** Withdraws a call; undefined if it ended, is unknown, or runs (delegated calls excepted). */
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

/** Withdraws a call that has not yet reached its graph; undefined if it has ended. */
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
