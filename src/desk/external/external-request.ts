import type { Call } from '../../domain/calls/call.ts';
import type { CallOrigin } from '../../domain/calls/call-origin.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Risk } from '../../domain/policy/route.ts';
import type { FieldProblem } from '../../domain/tools/tool.ts';

/** The program behind a request, identified by its API key. */
export interface ExternalCaller {
  /** Id of its API key. */
  readonly key: string;
  /** Name of its API key. */
  readonly name: string;
  readonly owner?: Person;
  /** The address that the request came from. */
  readonly host?: string;
  /** The request came through a proxy that is not trusted to name its origin. */
  readonly isProxied?: true;
}

/** A call that a program asks people to approve. */
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
  /** Deadline for people (ms since 1970), instead of `deadlineMs`. */
  readonly deadlineAt?: number;
  readonly tool: string;
  readonly args: JsonValue;
  /** Channel for the card if the policy names none. */
  readonly channel: string;
  /** The person for whom the program asks. */
  readonly requester: Person;
  /** The program's explanation; untrusted. */
  readonly words?: string;
  readonly risk?: Risk;
  /**
   * Requests with the same key and content are the same call. Default: every request is a new call.
   */
  readonly idempotencyKey?: string;
}

/** The outcome of a request. */
export type RequestOutcome =
  | { readonly kind: 'made'; readonly call: Call }
  /** The same request was made before; `call` is its current state. */
  | { readonly kind: 'known'; readonly call: Call }
  /** Another request was made with this idempotency key. */
  | { readonly kind: 'conflict'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** The limit of pending calls for its API key is reached. */
  | { readonly kind: 'too-many'; readonly pending: number };

/** The outcome of taking an approved call. */
export type TakeOutcome =
  /** The caller may run it, once. */
  | { readonly kind: 'taken'; readonly call: Call }
  /** It is pending, or was taken or ended before. */
  | { readonly kind: 'not-approved'; readonly call: Call }
  /** The caller's digest is not the approved one. */
  | { readonly kind: 'other-digest'; readonly call: Call }
  /** It can't be checked now, or a pause holds it. */
  | { readonly kind: 'held'; readonly call: Call }
  | { readonly kind: 'not-found' };

/** The outcome of a report or a cancellation. */
export type EndOutcome =
  | { readonly kind: 'ended'; readonly call: Call }
  /** The call is not in a state that allows this. */
  | { readonly kind: 'too-late'; readonly call: Call }
  | { readonly kind: 'not-found' };
