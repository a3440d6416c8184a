import type { Call } from '../../domain/call.ts';
import { routeOf } from '../../domain/decide.ts';
import { type JsonValue, readStoredJson } from '../../domain/json.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { plainSentence } from '../../domain/sentence.ts';
import { isChannelItself, placeOf } from '../../domain/thread-key.ts';
import type { ApprovalBody } from './schemas.ts';

/** How a call is shown to one reader. */
export interface Sight {
  args(call: Call): JsonValue;
  text(call: Call, text: string): string;
}

/** The sight of whoever sent the arguments. */
export const WHOLE: Sight = {
  args: (call) => readStoredJson(call.args),
  text: (_call, text) => text,
};

/** Writes a call as it is sent. */
export function showApproval(call: Call, sight: Sight): ApprovalBody {
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
    digest: call.digest,
    attempt: call.attempt,
    edited: call.args !== call.proposedArgs,
    requestedAt: toTime(call.createdAt),
    decideBy: decideBy(call),
    requester: call.requester.user,
    channel: place.channel,
    thread: isChannelItself(place) ? null : { channel: place.channel, ts: place.root },
    userMessage: say(call.askedLine),
    description: say(call.words),
    risk: call.risk,
    decisions: [...routeOf(call).decisions],
    approvedBy: call.votes.map(({ by }) => by.user),
    decidedBy: call.verdict?.by.user ?? null,
    reply: outcome?.kind === 'reply' ? say(outcome.text) : null,
    reason: say(whyOf(call)),
    outcome: outcome ? showOutcome(outcome, say) : null,
    metadata: sight === WHOLE ? (outside?.metadata ?? null) : null,
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

function whyOf({ note, outcome }: Call): string | undefined {
  if (outcome?.kind === 'refused' || outcome?.kind === 'unknown') return outcome.reason;
  return note === undefined ? undefined : plainSentence(note);
}

function showOutcome(
  outcome: Outcome,
  say: (text: string) => string | null,
): { kind: string; text?: string } {
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
