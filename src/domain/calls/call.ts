import type { Person } from '../people/person.ts';
import type { DecisionKind, Risk, Route } from '../policy/route.ts';
import type { Sentence } from '../text/sentence.ts';
import type { HelperWork } from '../threads/message.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { CallOrigin } from './call-origin.ts';
import type { Outcome } from './outcome.ts';

/** Every status of a call. */
export const CALL_STATUSES = [
  'proposed',
  'pending',
  'approved',
  'running',
  'succeeded',
  'failed',
  'unknown',
  'replied',
  'ignored',
  'expired',
  'withdrawn',
  'refused',
] as const;

export type CallStatus = (typeof CALL_STATUSES)[number];

/** One person's approval of the current attempt. */
export interface Vote {
  readonly by: Person;
  readonly at: number;
  /** The approver's reason, in their own words. */
  readonly reason?: string;
}

/** A record that a person opened the masked parts of a call. */
export interface CallOpening {
  readonly by: Person;
  readonly at: number;
  /**
   * Digest of the call when it was opened. If it differs later, they have not seen the current
   * call.
   */
  readonly digest: string;
}

/** The last decision on a call, shown on its card and to people who click too late. */
export interface Verdict {
  readonly kind: DecisionKind | 'settle';
  readonly by: Person;
  readonly at: number;
}

/** A recent call that resembles a new one, and what a person decided on it. */
export interface SimilarCall {
  /** `same`: identical arguments; `similar`: same tool, and at least half of the arguments. */
  readonly likeness: 'same' | 'similar';
  readonly how: 'edit' | 'reply' | 'ignore';
  readonly by: Person;
  readonly at: number;
}

/** A worker's right to run a call. Only the holder of the fence may record the result. */
export interface CallClaim {
  readonly fence: number;
  readonly at: number;
}

/**
 * One tool call that an agent wants to make: the unit of approval. Immutable: each step makes a new
 * object with `revision` + 1. A write names the revision it replaces.
 */
export interface Call {
  /** Unguessable. */
  readonly id: string;
  readonly thread: ThreadKey;
  /** Id of the message that started the turn. */
  readonly turn: string;
  /** Id of the assistant message that contains the call. */
  readonly messageId: string;
  readonly toolCallId: string;
  /** Index in its message (from 0), and the number of calls in that message. */
  readonly position: number;
  readonly siblings: number;
  readonly tool: string;
  /** The MCP server that offers the tool. */
  readonly server?: string;
  readonly schemaHash: string;
  readonly risk: Risk;
  readonly idempotent: boolean;
  /**
   * RFC 8785 JSON of the arguments as the tool's schema parsed them: what is shown, hashed and run.
   */
  readonly args: string;
  /** The arguments of attempt 1, as the model proposed them. */
  readonly proposedArgs: string;
  /**
   * What the call would do: one line, at most 150 characters, no secrets. Made at the start of the
   * attempt from our own or the operator's tool. Third-party tools: only from arguments of a known
   * shape.
   */
  readonly summary?: string;
  /** Our own preview from the start of the attempt, e.g. a unified diff. */
  readonly preview?: string;
  /**
   * Digest of the preview's source, e.g. of the file. If it differs later, people saw an old
   * preview.
   */
  readonly basis?: string;
  /** When the preview was last renewed because its source had changed. */
  readonly renewedAt?: number;
  /**
   * Dotted paths of secret arguments from the tool's definition, kept in case the tool is removed.
   */
  readonly secrets?: readonly string[];
  /** Dotted paths of secret arguments from the policy. */
  readonly redact?: readonly string[];
  /** Who has opened the masked parts of the call. */
  readonly openings?: readonly CallOpening[];
  /** A similar recent call that a person edited, answered or ignored. */
  readonly earlier?: SimilarCall;
  readonly digest: string;
  /** Starts at 1; each edit adds one. */
  readonly attempt: number;
  readonly revision: number;
  readonly status: CallStatus;
  readonly requester: Person;
  /** The helper that made the call; absent for the thread's own agent. */
  readonly agent?: string;
  /** Set for external calls: the caller runs the tool. */
  readonly outside?: CallOrigin;
  /** The child thread that does the work. Such a running call has no lease and no deadline. */
  readonly child?: ThreadKey;
  /** When the message that led to the call was received. */
  readonly askedAt?: number;
  /** First line of the message that led to the call. */
  readonly askedLine: string;
  /** The helper's task that led to the call. */
  readonly work?: HelperWork;
  /** The agent's text beside the call. Untrusted. */
  readonly words: string;
  /** Absent until the gate answers `ask`. */
  readonly route?: Route;
  readonly votes: readonly Vote[];
  readonly verdict?: Verdict;
  readonly editedBy?: Person;
  readonly claim?: CallClaim;
  readonly outcome?: Outcome;
  /** Why the call is pending again or was stopped, for people. */
  readonly note?: Sentence;
  /** Whether the caller or agent has received the outcome. */
  readonly delivered: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deadlineAt?: number;
  /** When the current route was asked. Reminder and escalation count from here. */
  readonly pendingSince?: number;
  /** The first route, if the call was escalated since. */
  readonly escalatedFrom?: string;
  /** When the route last changed while pending. Buttons drawn before then cannot approve. */
  readonly reroutedAt?: number;
  /** When the approvers of the current route were reminded. */
  readonly remindedAt?: number;
  /**
   * HMAC of the rest of the stored call under the installation's key. Absent on calls older than
   * seals.
   */
  readonly seal?: string;
  /** Result of the seal check on read; never stored. Absent if the seal is valid. */
  readonly sealProblem?: 'unsealed' | 'forged';
}

/** Where a call's card is in Slack. */
export interface CardPlace {
  readonly channel: string;
  readonly ts: string;
}

/**
 * Slack messages besides the card: the stub in the thread, a superseded card, or (without a `ts`)
 * the channel that rejected the card.
 */
export type SideMessage = 'stub' | 'left' | 'refused';

const TERMINAL_STATUSES: ReadonlySet<CallStatus> = new Set([
  'succeeded',
  'failed',
  'replied',
  'ignored',
  'expired',
  'withdrawn',
  'refused',
]);

/** Returns whether a call has ended. */
export function isTerminal(call: Call): boolean {
  return TERMINAL_STATUSES.has(call.status);
}
