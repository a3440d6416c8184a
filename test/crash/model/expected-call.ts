/** The types of the model and the rules of the design for them; none is shared with `src/`. */
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import type { LabToolName } from './plans.ts';

export const GUEST = 'U8';

export interface ExpectedCall {
  /** Message of the agent and id within it: the same on every store. */
  readonly key: string;
  readonly thread: number;
  readonly turn: string;
  readonly tool: LabToolName;
  readonly requester: string;
  readonly batch: number;
  attempt: number;
  status: CallStatus;
  /** Whether people are asked: calls that ran unasked are, once their outcome is unknown. */
  isAsked: boolean;
  note: string;
  votes: string[];
  outcome: string | undefined;
  isTampered: boolean;
  /** As stored, for the order in which calls expire. */
  deadlineAt: number | undefined;
  /** The start of a run; undefined if its process is dead. */
  runsSince: number | undefined;
}

export interface ExpectedMessage {
  readonly id: string;
  readonly thread: number;
  readonly author: string;
  readonly text: string;
  state: 'waiting' | 'current' | 'turn' | 'reply' | 'answered';
  isStopped: boolean;
  /** Whether the agent has given its final answer. */
  hasAnswer: boolean;
}

export type ClickKind = 'approve' | 'edit' | 'reply' | 'ignore';
export type Finding = 'ran' | 'rerun' | 'leave';

/** Tools that may run again with the same key. */
export const IDEMPOTENT: ReadonlySet<LabToolName> = new Set(['send', 'look']);
const ENDED: ReadonlySet<CallStatus> = new Set([
  'succeeded',
  'failed',
  'replied',
  'ignored',
  'expired',
  'withdrawn',
  'refused',
]);
const TOOL_MS = 60_000;
/** The deadline for people. */
export const HOUR_MS = 3_600_000;

/** How many times each attempt may have taken effect. */
export interface Bounds {
  min: number;
  max: number;
}

/** Returns whether the design lets somebody decide a call, and whether their approval counts. */
export function mayDecide(call: Pick<ExpectedCall, 'tool' | 'requester'>, user: string): boolean {
  switch (call.tool) {
    case 'guard':
      return user === call.requester || user === 'U2';
    case 'pair':
      return user === 'U2' || user === 'U3';
    default:
      return user === call.requester;
  }
}

/** Returns whether the approval of a person counts for a call. */
export function mayApprove(call: Pick<ExpectedCall, 'tool' | 'requester'>, user: string): boolean {
  if (call.tool === 'guard' && user === call.requester) return false;
  return mayDecide(call, user);
}

/** How many approvals a call of this tool needs. */
export function quorumOf(tool: string): number {
  if (tool === 'look') return 0;
  return tool === 'pair' ? 2 : 1;
}

/** When time next changes a call; never for most. */
export function nextEventOf(call: ExpectedCall): number {
  if (call.status === 'running' && call.runsSince !== undefined) return call.runsSince + TOOL_MS;
  const waits = call.status === 'pending' || call.status === 'approved';
  const isUntold = call.status === 'unknown' && call.outcome === undefined;
  return waits || isUntold ? (call.deadlineAt ?? Infinity) : Infinity;
}

/** Ends a call, with the kind of its tool result. */
export function endCall(call: ExpectedCall, status: CallStatus, outcome: string): void {
  call.status = status;
  call.outcome = outcome;
  call.runsSince = undefined;
}

/** Names an attempt of a call. */
export function attemptOf({
  key,
  attempt,
}: {
  readonly key: string;
  readonly attempt: number;
}): string {
  return `${key}#${attempt}`;
}

/** Returns whether a status is final. */
export function isEnded(status: CallStatus): boolean {
  return ENDED.has(status);
}

/** Returns whether a call is finished; an unknown one is if its outcome has been reported. */
export function isOver({ status, outcome }: Pick<Call, 'status' | 'outcome'>): boolean {
  return isEnded(status) || (status === 'unknown' && outcome !== undefined);
}
