import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { DecisionKind } from '../policy/route.ts';
import type { Sentence } from '../text/sentence.ts';
import type { FieldProblem } from '../tools/tool.ts';
import type { Call } from './call.ts';

/** A person's decision on the attempt that they saw. */
export interface DecisionCommand {
  readonly callId: string;
  readonly attempt: number;
  /** The short digest shown on the card. */
  readonly digest: string;
  /**
   * Digest of the route on the card. An approval given under another route does not count.
   * (Default: not shown.)
   */
  readonly card?: string;
  readonly by: Person;
  readonly decision:
    | {
        readonly kind: 'approve';
        /** The person's reason; required if the route asks for one. */
        readonly reason?: string;
      }
    | {
        readonly kind: 'edit';
        readonly args: JsonValue;
        /**
         * True if the edit keeps arguments that the person could not see. Then it approves nothing.
         */
        readonly keepsUnseen?: boolean;
      }
    | { readonly kind: 'reply'; readonly text: string }
    | { readonly kind: 'ignore' };
}

/** A person's finding about a call whose outcome is unknown. */
export interface SettleCommand {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: Person;
  readonly finding: 'ran' | 'rerun' | 'leave';
}

/** The result of a decision. Only `decided` and `recorded` change anything. */
export type DecisionOutcome =
  | { readonly kind: 'decided'; readonly call: Call }
  /** The approval counts; `missing` more are needed. */
  | { readonly kind: 'recorded'; readonly call: Call; readonly missing: number }
  | { readonly kind: 'already-voted'; readonly call: Call; readonly missing: number }
  | { readonly kind: 'already-decided'; readonly call: Call }
  /** The card showed an earlier attempt. */
  | { readonly kind: 'stale'; readonly call: Call }
  /** The card showed another route. `call` is the current state. */
  | { readonly kind: 'rerouted'; readonly call: Call }
  | { readonly kind: 'not-allowed'; readonly call: Call; readonly why: Sentence }
  /** The approval would count, but the route requires a reason. */
  | { readonly kind: 'needs-reason'; readonly call: Call }
  /** The person has to open the masked parts first. */
  | { readonly kind: 'needs-opening'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly call: Call; readonly problems: readonly FieldProblem[] }
  | { readonly kind: 'not-found' }
  /** The stored call can't be read. Nothing runs until it is restored. */
  | { readonly kind: 'damaged' };

/** A request to read a call in full. */
export interface OpenCommand {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: Person;
  /** Opened in order to report what happened to a call with an unknown outcome. */
  readonly settles?: true;
}

/** A check of what a person is about to do, made before a form opens. */
export interface DecisionCheck {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly card?: string;
  readonly by: Person;
  readonly kind: DecisionKind;
  /** First refresh an outdated preview, because the person is about to read it. */
  readonly renews?: true;
  /** The check is about reporting an unknown outcome. That needs the right to approve. */
  readonly settles?: true;
}
