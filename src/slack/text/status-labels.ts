/** The status of a call in a few words. */
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';

/** Labels for calls that the app itself runs. */
export const STATUS_LABELS: Readonly<Record<CallStatus, string>> = {
  proposed: 'Being checked',
  pending: 'Waiting for a decision',
  approved: 'Approved, about to run',
  running: 'Running',
  succeeded: 'Done',
  failed: 'Failed',
  unknown: 'This may have run',
  replied: 'Answered with a reply',
  ignored: 'Ignored',
  expired: 'Expired: nobody decided in time',
  withdrawn: 'Withdrawn',
  refused: 'Refused by the policy',
};

const QUESTION_LABELS: Partial<typeof STATUS_LABELS> = {
  pending: 'Waiting for an answer',
  replied: 'Answered',
  expired: 'Expired: nobody answered in time',
};

/** Labels for questions from MCP servers. */
const SERVER_QUESTION_STATES: Readonly<Record<CallStatus, string>> = {
  proposed: 'Being checked',
  pending: 'Waiting for an answer',
  approved: 'Answered',
  running: 'Answered',
  succeeded: 'Answered',
  failed: 'Not answered',
  unknown: 'Not answered',
  replied: 'Not answered',
  ignored: 'Declined',
  expired: 'Expired: nobody answered in time',
  withdrawn: 'Withdrawn: the answer is no longer needed',
  refused: 'Not answered',
};

/** Labels for calls that a program runs itself. */
const TAKEN_LABELS: Partial<typeof STATUS_LABELS> = {
  approved: 'Approved, waiting for pickup',
  running: 'Picked up, waiting for the result',
};

/** Describes a call's status for its card and notification. */
export function describeStatus(call: Call): string {
  const { status } = call;
  if (behaviourOf(call).asksFor === 'form') return SERVER_QUESTION_STATES[status];
  if (behaviourOf(call).asksFor === 'text') return QUESTION_LABELS[status] ?? STATUS_LABELS[status];
  if (endsWhenTaken(call))
    return behaviourOf(call).runBy === 'caller' ? 'Picked up' : 'Handed over';
  if (behaviourOf(call).runBy !== 'caller') return STATUS_LABELS[status];
  if (wasNeverTaken(call)) return 'Expired: approved, but not picked up in time';
  return TAKEN_LABELS[status] ?? STATUS_LABELS[status];
}

/** Tells whether a call was taken by a program or graph that never reports results. */
export function endsWhenTaken({ outside, status }: Call): boolean {
  return status === 'succeeded' && outside?.isSilent === true;
}

/** Tells whether a call was approved but never taken by its program. */
export function wasNeverTaken(call: Call): boolean {
  const { status, verdict } = call;
  return behaviourOf(call).runBy === 'caller' && status === 'expired' && verdict !== undefined;
}
