/** How a call stands, in a few words of ours. */
import type { Call, CallStatus } from '../../../domain/calls/call.ts';
import { isElicitation, isQuestion, isTaken } from '../../../domain/calls/call-origin.ts';
import { ELICITATION_STATES } from '../server-question.ts';

/** A state alone, of a call of ours. */
export const STATE_WORDS: Readonly<Record<CallStatus, string>> = {
  proposed: 'Being checked',
  pending: 'Waiting for a decision',
  approved: 'Approved, about to run',
  running: 'Running',
  succeeded: 'Done',
  failed: 'Failed',
  unknown: 'It is not known whether this ran',
  replied: 'Replied instead of approving',
  ignored: 'Ignored',
  expired: 'Expired: nobody decided in time',
  withdrawn: 'Withdrawn',
  refused: 'Refused by the policy',
};

const QUESTION_WORDS: Partial<typeof STATE_WORDS> = {
  pending: 'Waiting for an answer',
  replied: 'Answered',
  expired: 'Expired: nobody answered in time',
};

/** Of what a program runs itself. */
const TAKEN_WORDS: Partial<typeof STATE_WORDS> = {
  approved: 'Approved, waits to be taken',
  running: 'Taken, its report is awaited',
};

/** Says how a call stands, for its card and for the notification. */
export function sayStatus(call: Call): string {
  const { status } = call;
  if (isElicitation(call)) return ELICITATION_STATES[status];
  if (isQuestion(call)) return QUESTION_WORDS[status] ?? STATE_WORDS[status];
  if (endsWithTaking(call)) return isTaken(call) ? 'Taken' : 'Handed over';
  if (!isTaken(call)) return STATE_WORDS[status];
  if (isLeft(call)) return 'Expired: approved, but not taken in time';
  return TAKEN_WORDS[status] ?? STATE_WORDS[status];
}

/** Tells whether a call was taken by a program or graph that does not say what came of it. */
export function endsWithTaking({ outside, status }: Call): boolean {
  return status === 'succeeded' && outside?.isSilent === true;
}

/** Tells whether a call was approved and its program never came for it. */
export function isLeft(call: Call): boolean {
  const { status, verdict } = call;
  return isTaken(call) && status === 'expired' && verdict !== undefined;
}
