import type { Person } from '../people/person.ts';
import type { DecisionKind, Risk, Route } from '../policy/route.ts';
import type { Sentence } from '../text/sentence.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { CallOrigin } from './call-origin.ts';
import type { Outcome } from './outcome.ts';

/** Every status that a call can have. */
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
  /** Why they approved, in their own words. */
  readonly reason?: string;
}

/** One person's look at what is masked of a call. */
export interface CallOpening {
  readonly by: Person;
  readonly at: number;
  /** Of the call as it was shown; another one later means that they have not seen it. */
  readonly digest: string;
}

/** What a person did last on a call, for the card and for whoever comes too late. */
export interface Verdict {
  readonly kind: DecisionKind | 'settle';
  readonly by: Person;
  readonly at: number;
}

/** What became of a call a moment ago that was like a new one. */
export interface SimilarCall {
  /** `same`: the very arguments; `similar`: the same tool, and half or more of its arguments. */
  readonly likeness: 'same' | 'similar';
  readonly how: 'edit' | 'reply' | 'ignore';
  readonly by: Person;
  readonly at: number;
}

/** A piece of work that an agent gave to a helper. */
export interface HelperWork {
  /** First line of what the helper was told: an agent's words, untrusted. */
  readonly line: string;
  /** Its place among the calls of its message, from 0, and how many those are. */
  readonly position: number;
  readonly siblings: number;
}

/** A worker's right to run a call; only the holder of the fence may record its end. */
export interface CallClaim {
  readonly fence: number;
  readonly at: number;
}

/**
 * One tool call that an agent wants to make: the unit of approval. A call is replaced, never
 * changed; `revision` grows by one with each step, and a write names the revision it replaces.
 */
export interface Call {
  /** Unguessable. */
  readonly id: string;
  readonly thread: ThreadKey;
  /** Id of the message that began the turn. */
  readonly turn: string;
  /** Id of the assistant message that holds the call. */
  readonly messageId: string;
  readonly toolCallId: string;
  /** Place in its message, from 0, and how many calls that message holds. */
  readonly position: number;
  readonly siblings: number;
  readonly tool: string;
  /** The MCP server whose tool it is. */
  readonly server?: string;
  readonly schemaHash: string;
  readonly risk: Risk;
  readonly idempotent: boolean;
  /** RFC 8785 text of the arguments as the tool's schema parsed them: what is shown, hashed and run. */
  readonly args: string;
  /** The arguments of attempt 1, as the model proposed them. */
  readonly proposedArgs: string;
  /** What the call would do, in one line of at most 150 characters that holds no secret of the call, made when the attempt began by our own or the operator's tool; of a third party's only where it is ours, made from arguments of a known shape. */
  readonly summary?: string;
  /** Made by us from our own facts when the attempt began, e.g. a unified diff. */
  readonly preview?: string;
  /** A digest of what the preview was made from, e.g. of the file; another one later means that people saw an old preview. */
  readonly basis?: string;
  /** When the preview was last made anew, since what it was made from had changed. */
  readonly renewedAt?: number;
  /** Dotted paths of secret arguments, as the tool declares them; kept for when the tool is gone. */
  readonly secrets?: readonly string[];
  /** Those that the policy declares. */
  readonly redact?: readonly string[];
  /** Who has seen what is masked until a person opens the call. */
  readonly openings?: readonly CallOpening[];
  /** A call like this one, on which a person had said something else a moment before. */
  readonly earlier?: SimilarCall;
  readonly digest: string;
  /** From 1; an edit makes the next one. */
  readonly attempt: number;
  readonly revision: number;
  readonly status: CallStatus;
  readonly requester: Person;
  /** The helper that asks; absent when the thread's own agent does. */
  readonly agent?: string;
  /** Set where the tool is not ours: whoever made the call runs it. */
  readonly outside?: CallOrigin;
  /** The child thread that does a running call's work: such a call has no lease and no deadline. */
  readonly child?: ThreadKey;
  /** When the message that led to the call was received. */
  readonly askedAt?: number;
  /** First line of the message that led to the call. */
  readonly askedLine: string;
  /** The piece of work for which a helper asks. */
  readonly work?: HelperWork;
  /** The agent's own words beside the call: untrusted. */
  readonly words: string;
  /** Absent until the gate has asked. */
  readonly route?: Route;
  readonly votes: readonly Vote[];
  readonly verdict?: Verdict;
  readonly editedBy?: Person;
  readonly claim?: CallClaim;
  readonly outcome?: Outcome;
  /** Why it is pending again or was stopped, in words for people. */
  readonly note?: Sentence;
  /** Whether its origin has taken the outcome. */
  readonly delivered: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deadlineAt?: number;
  /** When people were asked by the route of now: its reminder and escalation count from here. */
  readonly pendingSince?: number;
  /** The route that it was first asked on, where it has gone on to another since. */
  readonly escalatedFrom?: string;
  /** When its route changed last while it waited: buttons that were drawn before do not approve it. */
  readonly reroutedAt?: number;
  /** When those of the route of now were reminded. */
  readonly remindedAt?: number;
  /** Over all else of the stored call, under the installation's key; absent on calls that were stored before there were seals. */
  readonly seal?: string;
  /** Never stored: what the seal said when the call was read; absent when it is right. */
  readonly doubt?: 'unsealed' | 'forged';
}

/** Where a call's card stands in Slack. */
export interface CardPlace {
  readonly channel: string;
  readonly ts: string;
}

/** What stands in Slack for a call besides its card: the stub in its thread, a card that it has gone on from, or, without a `ts`, the channel that refuses its card. */
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

/** Tells whether a call has reached its end. */
export function isTerminal(call: Call): boolean {
  return TERMINAL_STATUSES.has(call.status);
}
