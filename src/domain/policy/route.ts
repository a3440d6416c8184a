import type { Group, Person } from '../people/person.ts';
import type { ThreadKey } from '../threads/thread-key.ts';
import type { AgentName } from './agent-name.ts';

export type DecisionKind = 'approve' | 'edit' | 'reply' | 'ignore';

/** Who may decide: the requester, a person in the same workspace, or a group. */
export type Approver = 'requester' | `user:${string}` | Group;

/** Where a card goes, who may decide, how many of them, and until when. */
export interface Route {
  readonly name: string;
  /** If empty, nobody can decide. */
  readonly approvers: readonly Approver[];
  /** A second list that every approver must also be on. (Default: none.) */
  readonly among?: readonly Approver[];
  readonly quorum: number;
  /** Whether the requester's own approval counts. */
  readonly selfApproval: boolean;
  readonly decisions: readonly DecisionKind[];
  readonly deadlineMs: number;
  /** Id of the card's channel; the thread then gets a stub. (Default: the thread itself.) */
  readonly channel?: string;
  /** Approvers who have not decided are mentioned again after this time. */
  readonly remindAfterMs?: number;
  /** An undecided call escalates to another route after this time. */
  readonly escalate?: { readonly afterMs: number; readonly to: Route };
  /** Whether an approval needs a reason. */
  readonly requiresReason?: boolean;
  /** Whether approvers who are guests may decide. */
  readonly allowsGuests?: boolean;
}

export type Risk = 'low' | 'medium' | 'high';

/** What the policy knows of a call. `args` is the parsed value. */
export interface GateFacts {
  readonly tool: string;
  readonly args: unknown;
  readonly risk: Risk;
  readonly requester: Person;
  readonly channel: string;
  readonly thread: ThreadKey;
  /** Identity and order of a stored call, and when it was claimed. Set for rechecks. */
  readonly call?: {
    readonly id: string;
    readonly createdAt: number;
    readonly position: number;
    readonly claimedAt?: number;
  };
  /** The helper, program or graph that made the call; absent for the thread's own agent. */
  readonly agent?: AgentName;
  /** An external call: its tool name is unverified. */
  readonly isOutside?: true;
}

/**
 * The policy's answer for a call. `rule` says where it came from; `policy` is the policy's hash.
 */
export type GateAnswer = (
  | { readonly kind: 'run' }
  | {
      readonly kind: 'ask';
      readonly route: Route;
      /** Overrides the tool's own risk. */
      readonly risk?: Risk;
      /** A remark for the card, e.g. that a condition failed. */
      readonly note?: string;
    }
  | { readonly kind: 'refuse'; readonly reason: string }
) & {
  readonly rule?: string;
  readonly policy?: string;
  /** No rule matched. */
  readonly isDefault?: true;
  /** A condition failed, so this is the safe answer. */
  readonly isInDoubt?: true;
  /** Dotted paths of arguments that the operator wants hidden. */
  readonly redact?: readonly string[];
};

export type Gate = (facts: GateFacts) => GateAnswer | Promise<GateAnswer>;

const HOUR_MS = 3_600_000;

/** The built-in route: requesters, and nobody else, confirm their own agent's calls. */
export const REQUESTER_ROUTE: Route = {
  name: 'requester',
  approvers: ['requester'],
  quorum: 1,
  selfApproval: true,
  decisions: ['approve', 'edit', 'reply', 'ignore'],
  deadlineMs: 24 * HOUR_MS,
};

const RUNS_WITHOUT_APPROVAL: ReadonlySet<string> = new Set([
  'list_files',
  'read_file',
  'search_files',
  'task',
]);

/** The gate without a policy file: reading runs, everything else asks the requester. */
export function defaultGate(facts: GateFacts): GateAnswer {
  if (RUNS_WITHOUT_APPROVAL.has(facts.tool) && !facts.isOutside) return { kind: 'run' };
  return { kind: 'ask', route: REQUESTER_ROUTE, isDefault: true };
}
