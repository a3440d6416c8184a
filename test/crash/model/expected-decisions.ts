/** The effect of a click, as the design defines it. */
import type { DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import {
  type ClickKind,
  type ExpectedCall,
  type ExpectedMessage,
  endCall,
  type Finding,
  GUEST,
  HOUR_MS,
  mayApprove,
  mayDecide,
  quorumOf,
} from './expected-call.ts';

type Answer = DecisionOutcome['kind'];

/** A click or message of a person on the attempt that they see. */
interface Press<What> {
  readonly what: What;
  readonly by: string;
  /** Whether they see the newest attempt. */
  readonly isCurrent: boolean;
}

/** Applies a click to a call; returns the response to the person. */
export function expectClick(
  call: ExpectedCall,
  { what, by, isCurrent }: Press<ClickKind>,
  isPaused: boolean,
  note: string,
): Answer {
  if (by === GUEST) return 'not-allowed';
  if (call.status !== 'pending') return 'already-decided';
  if (!isCurrent) return 'stale';
  if (call.isTampered) return breakIntegrity(call);
  const isAllowed = what === 'approve' ? mayApprove(call, by) : mayDecide(call, by);
  if (!isAllowed) return 'not-allowed';
  if (isPaused && (what === 'approve' || what === 'edit')) return 'not-allowed';
  return decide(call, what, by, note);
}

function decide(call: ExpectedCall, kind: ClickKind, by: string, note: string): Answer {
  switch (kind) {
    case 'approve':
      if (call.votes.includes(by)) return 'already-voted';
      return vote(call, by);
    case 'edit':
      call.attempt += 1;
      call.note = note;
      call.votes = [];
      return mayApprove(call, by) ? vote(call, by) : 'recorded';
    case 'reply':
      endCall(call, 'replied', 'reply');
      return 'decided';
    case 'ignore':
      endCall(call, 'ignored', 'ignored');
      return 'decided';
  }
}

function vote(call: ExpectedCall, by: string): Answer {
  call.votes.push(by);
  if (call.votes.length < quorumOf(call.tool)) return 'recorded';
  call.status = 'approved';
  return 'decided';
}

/** Applies the finding of a person to a call with an unknown outcome; returns the response to them. */
export function expectFinding(
  call: ExpectedCall,
  { what, by, isCurrent }: Press<Finding>,
  isPaused: boolean,
  now: number,
): Answer {
  if (by === GUEST) return 'not-allowed';
  if (what === 'rerun' && call.status === 'unknown' && isPaused) return 'not-allowed';
  if (call.status !== 'unknown') return 'already-decided';
  if (!isCurrent) return 'stale';
  if (!mayApprove(call, by)) return 'not-allowed';
  if (what !== 'rerun') {
    if (what === 'ran') endCall(call, 'succeeded', 'result');
    else endCall(call, 'failed', 'error');
    return 'decided';
  }
  if (call.isTampered) return breakIntegrity(call);
  call.attempt += 1;
  call.votes = [];
  call.outcome = undefined;
  call.status = 'pending';
  call.deadlineAt = now + HOUR_MS;
  return vote(call, by);
}

function breakIntegrity(call: ExpectedCall): Answer {
  endCall(call, 'failed', 'error');
  return 'already-decided';
}

/** Applies a stop to a turn; returns the response to the person. */
export function expectStop(message: ExpectedMessage, by: string): string {
  if (by === GUEST) return 'not-allowed';
  if (message.state !== 'current') return 'nothing';
  if (message.isStopped) return 'already-stopped';
  message.isStopped = true;
  return 'stopped';
}
