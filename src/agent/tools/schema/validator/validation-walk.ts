/** What the checks of keywords share while a value is looked at. */
import { canonicalJson, type JsonValue } from '../../../../domain/json/json.ts';
import type { FieldProblem } from '../../../../domain/tools/tool.ts';
import type { Patterns } from './patterns.ts';
import { type StepBudget, spendSteps } from './step-budget.ts';

export type Schema = { readonly [key: string]: JsonValue };

/** Where a value stands in the arguments; undefined for the arguments as a whole. */
export type Place = { readonly parent: Place; readonly key: string } | undefined;

/** What of a value some keyword has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface EvaluatedParts {
  readonly keys: Set<string>;
  readonly items: Set<number>;
  hasAllKeys: boolean;
  hasAllItems: boolean;
}

/** The values of an `enum`: each as a text, and the first ones in a sentence. */
export interface Enum {
  readonly texts: ReadonlySet<string>;
  readonly said: string;
}

/** One look at a value. */
export interface Validation {
  readonly budget: StepBudget;
  readonly patterns: Patterns;
  readonly problems: FieldProblem[];
  /** Schemas within schemas that are looked at now. */
  depth: number;
  /** Returns what a reference leads to. */
  targetOf(reference: string): JsonValue | undefined;
  readEnum(values: readonly JsonValue[]): Enum;
  /** Tells whether a value fits a schema; what is wrong with it is added to the problems. */
  check(
    schema: JsonValue,
    value: JsonValue,
    place: Place,
    seen?: EvaluatedParts | undefined,
  ): boolean;
}

/** A keyword as it stands in a schema. */
export interface Keyword<Value = JsonValue> {
  readonly value: Value;
  readonly schema: Schema;
  readonly place: Place;
  readonly walk: Validation;
  /** Undefined where no keyword of the schema asks for it. */
  readonly seen: EvaluatedParts | undefined;
}

/** Tells whether a value fits a keyword. */
export type Check = (keyword: Keyword, value: JsonValue) => boolean;

/** Tells whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a JSON array. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const FAIL_STEPS = 8;
/** It quotes the schema, and is read by people and models. */
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

/** Looks whether a value fits, and forgets what is wrong with it. */
export function matchesSilently(walk: Validation, look: () => boolean): boolean {
  const { length } = walk.problems;
  const fits = look();
  walk.problems.length = length;
  return fits;
}

/** Begins with nothing that was looked at. */
export function noEvaluatedParts(): EvaluatedParts {
  return { keys: new Set(), items: new Set(), hasAllKeys: false, hasAllItems: false };
}

/** Adds what was looked at elsewhere. */
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

/** Writes a value so that equal ones have equal texts. */
export function textOf(value: JsonValue, budget: StepBudget): string {
  const isSmall = typeof value !== 'object' || value === null;
  const text = isSmall ? JSON.stringify(value) : canonicalJson(value);
  spendSteps(budget, isSmall ? 1 + text.length / 20 : text.length);
  return text;
}
