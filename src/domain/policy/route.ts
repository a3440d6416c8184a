import type { Person } from '../people/person.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { AgentName } from './agent-name.ts';

export type DecisionKind = 'approve' | 'edit' | 'reply' | 'ignore';

/** Several people at once: a user group of Slack, or the members of a channel, by id. */
export type Group = `usergroup:${string}` | `channel:${string}`;

/** Who may decide: whoever asked, a person of the same workspace by id, or a group of them. */
export type Approver = 'requester' | `user:${string}` | Group;

/** Where a card goes, who may decide, how many of them and until when. */
export interface Route {
  readonly name: string;
  /** Nobody when empty. */
  readonly approvers: readonly Approver[];
  /** Whoever decides must be one of these too. (Default: no matter.) */
  readonly among?: readonly Approver[];
  readonly quorum: number;
  /** Whether the requester's own approval counts. */
  readonly selfApproval: boolean;
  readonly decisions: readonly DecisionKind[];
  readonly deadlineMs: number;
  /** Id of the channel that the card goes to, with a stub in the thread. (Default: the thread itself.) */
  readonly channel?: string;
  /** Those who are missing are mentioned once more after this. */
  readonly remindAfterMs?: number;
  /** A call that nobody has decided after this goes on to another route. */
  readonly escalate?: { readonly afterMs: number; readonly to: Route };
  /** Whether an approval needs a reason. */
  readonly requiresReason?: boolean;
  /** Whether guests of the workspace who are approvers may decide. */
  readonly allowsGuests?: boolean;
}

export type Risk = 'low' | 'medium' | 'high';

/** What the policy knows of a call when it answers; `args` is the parsed value. */
export interface GateFacts {
  readonly tool: string;
  readonly args: unknown;
  readonly risk: Risk;
  readonly requester: Person;
  readonly channel: string;
  readonly thread: ThreadKey;
  /** The call itself: its id and its place among others, and when it was claimed, of one that is looked at once more. */
  readonly call?: {
    readonly id: string;
    readonly createdAt: number;
    readonly position: number;
    readonly claimedAt?: number;
  };
  /** The helper, program or graph that asks; absent when the thread's own agent does. */
  readonly agent?: AgentName;
  /** The tool is not ours: its name is a claim. */
  readonly isOutside?: true;
}

/** The policy's answer for a call; `rule` names what it came from, for people, and `policy` is the hash of the policy. */
export type GateAnswer = (
  | { readonly kind: 'run' }
  | {
      readonly kind: 'ask';
      readonly route: Route;
      /** In place of the tool's own. */
      readonly risk?: Risk;
      /** What the card has to say about the policy, e.g. that a condition failed. */
      readonly note?: string;
    }
  | { readonly kind: 'refuse'; readonly reason: string }
) & {
  readonly rule?: string;
  readonly policy?: string;
  /** No rule spoke of the call. */
  readonly isDefault?: true;
  /** A condition could not be answered, so that this is said to be on the safe side. */
  readonly isInDoubt?: true;
  /** Dotted paths of arguments that the operator wants nobody to be shown. */
  readonly redact?: readonly string[];
};

export type Gate = (facts: GateFacts) => GateAnswer | Promise<GateAnswer>;

const HOUR_MS = 3_600_000;

/** The built-in route: the requester confirms their own agent's calls, and nobody else can. */
export const REQUESTER_ROUTE: Route = {
  name: 'requester',
  approvers: ['requester'],
  quorum: 1,
  selfApproval: true,
  decisions: ['approve', 'edit', 'reply', 'ignore'],
  deadlineMs: 24 * HOUR_MS,
};

const RUNS_UNASKED: ReadonlySet<string> = new Set(['list_files', 'read_file', 'task']);

/** The gate without a policy file: reading runs, everything else asks the requester. */
export function defaultGate(facts: GateFacts): GateAnswer {
  if (RUNS_UNASKED.has(facts.tool) && !facts.isOutside) return { kind: 'run' };
  return { kind: 'ask', route: REQUESTER_ROUTE, isDefault: true };
}
