import { z } from 'zod';
import type { ForeignDecision } from '../../../domain/calls/outcome.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';

export type { ForeignDecision };

const ANY_ARGS = z.record(z.string(), z.json());

/** Arguments as they came: a schema that copies them would leave a `__proto__` out, with which the graph runs. */
export const ARGUMENTS = z.custom<Readonly<Record<string, JsonValue>>>(
  (value) => ANY_ARGS.safeParse(value).success,
);

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

/** Who asks: the graph, whose messages can be mended from outside, or a helper inside of it, whose can't. */
export type RequestSource = 'graph' | 'helper';

/** A way in which graphs ask people about calls by an interrupt. */
export interface Protocol {
  readonly name: string;
  /** Its answers are words, which nobody can tell from a person's: ours never are among them. */
  readonly takesOnlyPeople?: true;
  /** Reads what an interrupt's value asks, in its order; undefined when the value is not of this protocol. */
  parse(value: unknown): readonly ForeignRequest[] | undefined;
  /** Finds, by their places, those that were approved and do not reach whoever asks, whatever is written. (Default: none.) */
  lost?(value: unknown, decisions: readonly ForeignDecision[]): readonly number[];
  /** Tells whether whoever asks drops what else its message calls, and leaves that without an answer. (Default: never.) */
  dropsOthers?(value: unknown, answer: JsonValue): boolean;
  /** Writes what the interrupt is resumed with; takes one decision for each request of the value, in their order. */
  encode(value: unknown, decisions: readonly ForeignDecision[], asker?: RequestSource): JsonValue;
}

/** What nothing may be made of: the value was read before it was answered. */
export function assertParsed(
  protocol: string,
  requests: readonly ForeignRequest[] | undefined,
  decisions: readonly ForeignDecision[],
): asserts requests is readonly ForeignRequest[] {
  if (requests?.length === decisions.length) return;
  throw new Error(
    `${decisions.length} decisions answer no interrupt of ${protocol} with ${requests?.length ?? 'no'} requests.`,
  );
}
