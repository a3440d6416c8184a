import type { Call } from '../../domain/calls/call.ts';
import type { CallOrigin } from '../../domain/calls/call-origin.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Risk } from '../../domain/policy/route.ts';
import type { FieldProblem } from '../../domain/tools/tool.ts';

/** The program behind a request, as its key tells. */
export interface ExternalCaller {
  /** Id of its key. */
  readonly key: string;
  /** Name of its key. */
  readonly name: string;
  readonly owner?: Person;
  /** The address that the request came from. */
  readonly host?: string;
  /** It came through a proxy that is not trusted to say from where. */
  readonly isProxied?: true;
}

/** A call that a program asks people about. */
export interface ExternalRequest
  extends Pick<
    CallOrigin,
    | 'schema'
    | 'decisions'
    | 'deadlineMs'
    | 'choices'
    | 'callbackUrl'
    | 'summary'
    | 'metadata'
    | 'isSilent'
  > {
  /** Until when (ms) it waits for people, in place of `deadlineMs`. */
  readonly deadlineAt?: number;
  readonly tool: string;
  readonly args: JsonValue;
  /** The channel that the card goes to where the policy names none. */
  readonly channel: string;
  /** For whom the program asks. */
  readonly requester: Person;
  /** The program's own words: untrusted. */
  readonly words?: string;
  readonly risk?: Risk;
  /** The same key with the same request is the same call. (Default: each request is a call of its own.) */
  readonly idempotencyKey?: string;
}

/** What became of a request. */
export type RequestOutcome =
  | { readonly kind: 'made'; readonly call: Call }
  /** The same was asked before: this is how it stands. */
  | { readonly kind: 'known'; readonly call: Call }
  /** Something else was asked under this key of idempotency. */
  | { readonly kind: 'conflict'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** As many calls of its key wait for people as may. */
  | { readonly kind: 'too-many'; readonly pending: number };

/** What became of the wish to take an approved call. */
export type TakeOutcome =
  /** It is the caller's to run, once. */
  | { readonly kind: 'taken'; readonly call: Call }
  /** It waits for people, or was taken or ended before. */
  | { readonly kind: 'not-approved'; readonly call: Call }
  /** What would run is not what was approved. */
  | { readonly kind: 'other-digest'; readonly call: Call }
  /** Whether it may run can't be told now, or a pause holds it. */
  | { readonly kind: 'held'; readonly call: Call }
  | { readonly kind: 'not-found' };

/** What became of a report, or of a call taken back. */
export type EndOutcome =
  | { readonly kind: 'ended'; readonly call: Call }
  /** It is not at the point where this could be said of it. */
  | { readonly kind: 'too-late'; readonly call: Call }
  | { readonly kind: 'not-found' };
