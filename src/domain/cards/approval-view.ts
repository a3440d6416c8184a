/** A call as programs and people's front ends read it: to them it is called an approval. */
import type { Call, CallStatus } from '../calls/call.ts';
import type { CallOrigin } from '../calls/call-origin.ts';
import { rulingRouteOf } from '../calls/decision-rules.ts';
import type { Outcome } from '../calls/outcome.ts';
import { type JsonValue, readStoredJson } from '../json/json.ts';
import type { DecisionKind, Risk } from '../policy/route.ts';
import { plainSentence } from '../text/sentence.ts';
import { isChannelItself, placeOf } from '../threads/thread-key.ts';
import { callTitle } from './call-name.ts';

/** A call in JSON; what there is none of is null, and times are ISO 8601. */
export interface Approval {
  readonly id: string;
  readonly status: Exclude<CallStatus, 'proposed'>;
  /** Grows with each change. */
  readonly revision: number;
  readonly toolName: string;
  readonly arguments: JsonValue;
  /** Whether a part of it is masked that a person has to open before they can approve it. */
  readonly masked: boolean;
  /** SHA-256 of what people see, in hexadecimal digits. */
  readonly digest: string;
  /** From 1; an edit makes the next one. */
  readonly attempt: number;
  readonly edited: boolean;
  readonly requestedAt: string;
  /** Until when it waits to be decided, and then to be taken. */
  readonly decideBy: string | null;
  /** Id of the person. */
  readonly requester: string;
  readonly channel: string;
  readonly thread: { readonly channel: string; readonly ts: string } | null;
  /** Names the call in one line, in our words. */
  readonly title: string;
  /** What the program says that the call would do. */
  readonly summary: string | null;
  readonly userMessage: string | null;
  readonly description: string | null;
  readonly risk: Risk;
  readonly decisions: readonly DecisionKind[];
  readonly choices: readonly string[] | null;
  readonly approvedBy: readonly string[];
  readonly decidedBy: string | null;
  /** What a person answered instead of approving. */
  readonly reply: string | null;
  /** Why it was refused, is pending again, or can't be known. */
  readonly reason: string | null;
  readonly outcome: { readonly kind: Outcome['kind']; readonly text?: string } | null;
  readonly metadata: JsonValue;
  readonly source: { readonly kind: 'agent' | CallOrigin['by']; readonly name: string };
}

/** How a call is shown to one reader. */
export interface ApprovalReader {
  args(call: Call): JsonValue;
  text(call: Call, text: string): string;
  isMasked(call: Call): boolean;
}

/** The sight of whoever sent the arguments. */
export const SENDER_VIEW: ApprovalReader = {
  args: (call) => readStoredJson(call.args),
  text: (_call, text) => text,
  isMasked: () => false,
};

/** Makes the approval of a call, as one reader sees it. (Default: as whoever sent the arguments.) */
export function toApproval(call: Call, sight: ApprovalReader = SENDER_VIEW): Approval {
  const { outcome, outside } = call;
  const place = placeOf(call.thread);
  const say = (text: string | undefined) =>
    text === undefined || text === '' ? null : sight.text(call, text);
  return {
    id: call.id,
    // Whoever sees it before the gate has answered waits as for people.
    status: call.status === 'proposed' ? 'pending' : call.status,
    revision: call.revision,
    toolName: call.tool,
    arguments: sight.args(call),
    masked: sight.isMasked(call),
    digest: call.digest,
    attempt: call.attempt,
    edited: call.args !== call.proposedArgs,
    requestedAt: toTime(call.createdAt),
    decideBy: decideBy(call),
    requester: call.requester.user,
    channel: place.channel,
    thread: isChannelItself(place) ? null : { channel: place.channel, ts: place.root },
    title: callTitle(call),
    summary: say(outside?.summary),
    userMessage: say(call.askedLine),
    description: say(call.words),
    risk: call.risk,
    decisions: rulingRouteOf(call).decisions,
    choices: outside?.choices?.map((choice) => sight.text(call, choice)) ?? null,
    approvedBy: call.votes.map(({ by }) => by.user),
    decidedBy: call.verdict?.by.user ?? null,
    reply: outcome?.kind === 'reply' ? say(outcome.text) : null,
    reason: say(reasonTextOf(call)),
    outcome: outcome ? showOutcome(outcome, say) : null,
    metadata: sight === SENDER_VIEW ? (outside?.metadata ?? null) : null,
    source: outside
      ? { kind: outside.by, name: outside.name }
      : { kind: 'agent', name: call.agent ?? 'agent' },
  };
}

/** How long people, or whoever is to take it, have. */
function decideBy({ deadlineAt, status }: Call): string | null {
  const waits = status === 'pending' || status === 'approved';
  return waits && deadlineAt !== undefined ? toTime(deadlineAt) : null;
}

function reasonTextOf({ note, outcome }: Call): string | undefined {
  if (outcome?.kind === 'refused' || outcome?.kind === 'unknown') return outcome.reason;
  return note === undefined ? undefined : plainSentence(note);
}

function showOutcome(outcome: Outcome, say: (text: string) => string | null): Approval['outcome'] {
  const { kind } = outcome;
  switch (kind) {
    case 'result':
    case 'error':
    case 'reply':
      return { kind, text: say(outcome.text) ?? '' };
    case 'refused':
    case 'unknown':
      return { kind, text: say(outcome.reason) ?? '' };
    case 'withdrawn':
      return { kind, text: outcome.cause };
    default:
      return { kind };
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
