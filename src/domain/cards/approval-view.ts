/** A call as the API shows it, where it is called an approval. */
import type { Call, CallStatus } from '../calls/call.ts';
import type { CallOrigin } from '../calls/call-origin.ts';
import type { Outcome } from '../calls/outcome.ts';
import { type JsonValue, readStoredJson } from '../json/json.ts';
import type { DecisionKind, Risk } from '../policy/route.ts';
import { rulingRouteOf } from '../rules/decision-rules.ts';
import { plainSentence } from '../text/sentence.ts';
import { isChannelItself, placeOf } from '../threads/thread-key.ts';
import { callTitle } from './call-name.ts';

/** A call in JSON. Missing values are null; times are ISO 8601. */
export interface Approval {
  readonly id: string;
  readonly status: Exclude<CallStatus, 'proposed'>;
  /** Grows with each change. */
  readonly revision: number;
  readonly toolName: string;
  readonly arguments: JsonValue;
  /** Whether parts are masked, so that a person has to open it before approving. */
  readonly masked: boolean;
  /** SHA-256 of what people see, in hex. */
  readonly digest: string;
  /** Starts at 1; each edit adds one. */
  readonly attempt: number;
  readonly edited: boolean;
  readonly requestedAt: string;
  /** Deadline for the decision, and then for taking the call. */
  readonly decideBy: string | null;
  /** User id. */
  readonly requester: string;
  readonly channel: string;
  readonly thread: { readonly channel: string; readonly ts: string } | null;
  /** One-line name, in our own words. */
  readonly title: string;
  /** The caller's own description of the call. */
  readonly summary: string | null;
  readonly userMessage: string | null;
  readonly description: string | null;
  readonly risk: Risk;
  readonly decisions: readonly DecisionKind[];
  readonly choices: readonly string[] | null;
  readonly approvedBy: readonly string[];
  readonly decidedBy: string | null;
  /** The reply that a person gave instead of approving. */
  readonly reply: string | null;
  /** Why it was refused, is pending again, or has an unknown outcome. */
  readonly reason: string | null;
  readonly outcome: { readonly kind: Outcome['kind']; readonly text?: string } | null;
  readonly metadata: JsonValue;
  readonly source: { readonly kind: 'agent' | CallOrigin['by']; readonly name: string };
}

/** How one reader sees a call. */
export interface ApprovalReader {
  args(call: Call): JsonValue;
  text(call: Call, text: string): string;
  isMasked(call: Call): boolean;
}

/** The view of the caller that sent the arguments: nothing is masked. */
export const SENDER_VIEW: ApprovalReader = {
  args: (call) => readStoredJson(call.args),
  text: (_call, text) => text,
  isMasked: () => false,
};

/** Converts a call to an approval as one reader sees it. (Default: as the caller sees it.) */
export function toApproval(call: Call, reader: ApprovalReader = SENDER_VIEW): Approval {
  const { outcome, outside } = call;
  const place = placeOf(call.thread);
  const showText = (text: string | undefined) =>
    text === undefined || text === '' ? null : reader.text(call, text);
  return {
    id: call.id,
    // `proposed` is internal; to readers it looks pending.
    status: call.status === 'proposed' ? 'pending' : call.status,
    revision: call.revision,
    toolName: call.tool,
    arguments: reader.args(call),
    masked: reader.isMasked(call),
    digest: call.digest,
    attempt: call.attempt,
    edited: call.args !== call.proposedArgs,
    requestedAt: toTime(call.createdAt),
    decideBy: decideBy(call),
    requester: call.requester.user,
    channel: place.channel,
    thread: isChannelItself(place) ? null : { channel: place.channel, ts: place.root },
    title: callTitle(call),
    summary: showText(outside?.summary),
    userMessage: showText(call.askedLine),
    description: showText(call.words),
    risk: call.risk,
    decisions: rulingRouteOf(call).decisions,
    choices: outside?.choices?.map((choice) => reader.text(call, choice)) ?? null,
    approvedBy: call.votes.map(({ by }) => by.user),
    decidedBy: call.verdict?.by.user ?? null,
    reply: outcome?.kind === 'reply' ? showText(outcome.text) : null,
    reason: showText(reasonTextOf(call)),
    outcome: outcome ? showOutcome(outcome, showText) : null,
    metadata: reader === SENDER_VIEW ? (outside?.metadata ?? null) : null,
    source: outside
      ? { kind: outside.by, name: outside.name }
      : { kind: 'agent', name: call.agent ?? 'agent' },
  };
}

/** The deadline for the decision, or for taking the call. */
function decideBy({ deadlineAt, status }: Call): string | null {
  const waits = status === 'pending' || status === 'approved';
  return waits && deadlineAt !== undefined ? toTime(deadlineAt) : null;
}

function reasonTextOf({ note, outcome }: Call): string | undefined {
  if (outcome?.kind === 'refused' || outcome?.kind === 'unknown') return outcome.reason;
  return note === undefined ? undefined : plainSentence(note);
}

function showOutcome(
  outcome: Outcome,
  showText: (text: string) => string | null,
): Approval['outcome'] {
  const { kind } = outcome;
  switch (kind) {
    case 'result':
    case 'error':
    case 'reply':
      return { kind, text: showText(outcome.text) ?? '' };
    case 'refused':
    case 'unknown':
      return { kind, text: showText(outcome.reason) ?? '' };
    case 'withdrawn':
      return { kind, text: outcome.cause };
    default:
      return { kind };
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
