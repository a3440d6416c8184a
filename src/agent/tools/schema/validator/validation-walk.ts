/** State and helpers that the keyword checks share during a validation. */
import { canonicalJson, type JsonObject, type JsonValue } from '../../../../domain/json/json.ts';
import type { FieldProblem } from '../../../../domain/tools/tool.ts';
import type { Patterns } from './patterns.ts';
import { type StepBudget, spendSteps } from './step-budget.ts';

export type Schema = JsonObject;

/** The path of a value in the arguments; undefined for the whole arguments. */
export type Place = { readonly parent: Place; readonly key: string } | undefined;

/** The parts of a value already evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface EvaluatedParts {
  readonly keys: Set<string>;
  readonly items: Set<number>;
  hasAllKeys: boolean;
  hasAllItems: boolean;
}

/** The values of an `enum`: all as canonical text, and the first ones joined for a message. */
export interface Enum {
  readonly texts: ReadonlySet<string>;
  readonly summary: string;
}

/** One validation of a value. */
export interface Validation {
  readonly budget: StepBudget;
  readonly patterns: Patterns;
  readonly problems: FieldProblem[];
  /** Current nesting depth of schemas. */
  depth: number;
  /** Resolves a reference. */
  targetOf(reference: string): JsonValue | undefined;
  readEnum(values: readonly JsonValue[]): Enum;
  /** Returns whether a value matches a schema, and adds its problems. */
  check(
    schema: JsonValue,
    value: JsonValue,
    place: Place,
    seen?: EvaluatedParts | undefined,
  ): boolean;
}

/** A keyword of a schema, with the context of its check. */
export interface Keyword<Value = JsonValue> {
  readonly value: Value;
  readonly schema: Schema;
  readonly place: Place;
  readonly walk: Validation;
  /** Undefined if no keyword of the schema needs it. */
  readonly seen: EvaluatedParts | undefined;
}

/** Returns whether a value satisfies a keyword. */
export type Check = (keyword: Keyword, value: JsonValue) => boolean;

/** Returns whether a value is a JSON array. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const FAIL_STEPS = 8;
/** Messages quote the schema and are read by people and models. */
const LONGEST_MESSAGE = 1_000;

/** Adds a problem with the value. */
export function addProblem(
  { place, walk }: Pick<Keyword, 'place' | 'walk'>,
  message: string,
  ...below: readonly string[]
): false {
  spendSteps(walk.budget, FAIL_STEPS);
  const path = [...below];
  for (let at = place; at; at = at.parent) path.unshift(at.key);
  const isLong = message.length > LONGEST_MESSAGE;
  walk.problems.push({ path, message: isLong ? `${message.slice(0, LONGEST_MESSAGE)}…` : message });
  return false;
}

/** Runs a check and discards its problems. */
export function matchesSilently(walk: Validation, check: () => boolean): boolean {
  const { length } = walk.problems;
  const fits = check();
  walk.problems.length = length;
  return fits;
}

/** Creates an empty set of evaluated parts. */
export function noEvaluatedParts(): EvaluatedParts {
  return { keys: new Set(), items: new Set(), hasAllKeys: false, hasAllItems: false };
}

/** Adds the evaluated parts of another schema. */
export function mergeEvaluatedParts(
  seen: EvaluatedParts,
  more: EvaluatedParts,
  budget: StepBudget,
): void {
  spendSteps(budget, 2 * (more.keys.size + more.items.size));
  for (const key of more.keys) seen.keys.add(key);
  for (const item of more.items) seen.items.add(item);
  seen.hasAllKeys ||= more.hasAllKeys;
  seen.hasAllItems ||= more.hasAllItems;
}

/** Returns canonical JSON: equal values have equal texts. */
export function textOf(value: JsonValue, budget: StepBudget): string {
  const isSmall = typeof value !== 'object' || value === null;
  const text = isSmall ? JSON.stringify(value) : canonicalJson(value);
  spendSteps(budget, isSmall ? 1 + text.length / 20 : text.length);
  return text;
}
