import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { DecisionKind } from '../policy/route.ts';
import type { Sentence } from '../text/sentence.ts';
import type { FieldProblem } from '../tools/tool.ts';
import type { Call } from './call.ts';

/** What a person does on the attempt that they saw. */
export interface DecisionCommand {
  readonly callId: string;
  readonly attempt: number;
  /** The short digest that the card showed. */
  readonly digest: string;
  /** The digest of the route that the card showed: under another one an approval does not count. (Default: none was shown.) */
  readonly card?: string;
  readonly by: Person;
  readonly decision:
    | {
        readonly kind: 'approve';
        /** Why, in the person's own words; needed where the route asks for it. */
        readonly reason?: string;
      }
    | {
        readonly kind: 'edit';
        readonly args: JsonValue;
        /** Whether arguments stay that the person was not shown: then their edit approves nothing. */
        readonly keepsUnseen?: boolean;
      }
    | { readonly kind: 'reply'; readonly text: string }
    | { readonly kind: 'ignore' };
}

/** What people say of a call of which it is unknown whether it ran. */
export interface SettleCommand {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: Person;
  readonly finding: 'ran' | 'rerun' | 'leave';
}

/** What became of a decision; nothing has changed unless it is `decided` or `recorded`. */
export type DecisionOutcome =
  | { readonly kind: 'decided'; readonly call: Call }
  /** It counts, and this many more approvals are missing. */
  | { readonly kind: 'recorded'; readonly call: Call; readonly missing: number }
  | { readonly kind: 'already-voted'; readonly call: Call; readonly missing: number }
  | { readonly kind: 'already-decided'; readonly call: Call }
  /** The card showed an earlier attempt. */
  | { readonly kind: 'stale'; readonly call: Call }
  /** The card showed another route; the call is as it is now. */
  | { readonly kind: 'rerouted'; readonly call: Call }
  | { readonly kind: 'not-allowed'; readonly call: Call; readonly why: Sentence }
  /** It would count, and the route asks for a reason with it. */
  | { readonly kind: 'needs-reason'; readonly call: Call }
  /** A part of it is masked until the person opens the call, and they have not. */
  | { readonly kind: 'needs-opening'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly call: Call; readonly problems: readonly FieldProblem[] }
  | { readonly kind: 'not-found' }
  /** The stored call can't be understood: nothing of it runs until it is restored. */
  | { readonly kind: 'damaged' };

/** What of a call a person wants to read whole. */
export interface OpenCommand {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly by: Person;
  /** Whether they are to say what happened to a call of which nobody knows whether it ran. */
  readonly settles?: true;
}

/** What a person is about to do, looked at before a form is shown. */
export interface DecisionCheck {
  readonly callId: string;
  readonly attempt: number;
  readonly digest: string;
  readonly card?: string;
  readonly by: Person;
  readonly kind: DecisionKind;
  /** Whether the call is first shown anew, where what it works on has changed: for a person who is about to read it. */
  readonly renews?: true;
  /** Whether it is about saying what happened to a call of which nobody knows whether it ran; the rights to that are those of whoever approves it. */
  readonly settles?: true;
}
