import { z } from 'zod';
import type { ForeignDecision } from '../../../domain/calls/outcome.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';

export type { ForeignDecision };

const ANY_ARGS = z.record(z.string(), z.json());

/**
 * Returns the original arguments: a copying schema would drop a `__proto__` that the graph runs
 * with.
 */
export const ARGUMENTS = z.custom<Readonly<Record<string, JsonValue>>>(
  (value) => ANY_ARGS.safeParse(value).success,
);

/** One question of a foreign graph to people. */
export interface ForeignRequest {
  readonly tool: string;
  readonly args: JsonValue;
  /** The graph's own description. */
  readonly description?: string;
  readonly decisions: readonly DecisionKind[];
  /** JSON Schema of the arguments, if the graph gives one. */
  readonly schema?: JsonValue;
}

/**
 * Who asks: the graph, whose messages we can correct from outside, or a helper inside it, whose we
 * can't.
 */
export type RequestSource = 'graph' | 'helper';

/** An interrupt protocol: how graphs ask people about calls. */
export interface Protocol {
  readonly name: string;
  /** Answers are plain text that looks like a person's, so texts of our own are never sent. */
  readonly takesOnlyPeople?: true;
  /**
   * Reads the requests of an interrupt's value, in order; undefined if it is not of this protocol.
   */
  parse(value: unknown): readonly ForeignRequest[] | undefined;
  /**
   * Returns the indexes of approved requests that cannot run, whatever we answer. (Default: none.)
   */
  lost?(value: unknown, decisions: readonly ForeignDecision[]): readonly number[];
  /**
   * Returns whether the asker drops the message's other calls and leaves them unanswered. (Default:
   * never.)
   */
  dropsOthers?(value: unknown, answer: JsonValue): boolean;
  /** Encodes the value that resumes the interrupt. Takes one decision per request, in order. */
  encode(value: unknown, decisions: readonly ForeignDecision[], asker?: RequestSource): JsonValue;
}

/** Throws unless the value was parsed and has one decision per request. */
export function assertParsed(
  protocol: string,
  requests: readonly ForeignRequest[] | undefined,
  decisions: readonly ForeignDecision[],
): asserts requests is readonly ForeignRequest[] {
  if (requests?.length === decisions.length) return;
  throw new Error(
    `${decisions.length} decisions do not match an interrupt of ${protocol} with ${requests?.length ?? 'no'} requests.`,
  );
}
