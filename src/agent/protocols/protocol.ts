import type { JsonValue } from '../../domain/json.ts';
import type { DecisionKind } from '../../domain/route.ts';

/** One thing that a foreign graph asks people about. */
export interface ForeignRequest {
  readonly tool: string;
  readonly args: JsonValue;
  /** The graph's own words. */
  readonly description?: string;
  readonly decisions: readonly DecisionKind[];
  /** JSON Schema of the arguments, where the graph gives one. */
  readonly schema?: JsonValue;
}

/** What people decided on one request; an ignored one has no words. */
export type ForeignDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'edit'; readonly args: JsonValue }
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'ignore' };

/** A way in which graphs ask people about calls by an interrupt. */
export interface Protocol {
  readonly name: string;
  /** Reads what an interrupt's value asks, in its order; undefined when the value is not of this protocol. */
  parse(value: unknown): readonly ForeignRequest[] | undefined;
  /** Writes what the interrupt is resumed with; takes one decision for each request of the value, in their order. */
  encode(value: unknown, decisions: readonly ForeignDecision[]): JsonValue;
}

/** What nothing may be made of: the value was read before it was answered. */
export function assertMatches(
  protocol: string,
  requests: readonly ForeignRequest[] | undefined,
  decisions: readonly ForeignDecision[],
): asserts requests is readonly ForeignRequest[] {
  if (requests?.length === decisions.length) return;
  throw new Error(
    `${decisions.length} decisions answer no interrupt of ${protocol} with ${requests?.length ?? 'no'} requests.`,
  );
}
