/**
 * Models write `null` for an omitted field, as OpenAI's strict mode requires. If a field is optional and
 * does not allow null, null means that it is absent.
 */
import { canonicalJson, isJsonObject, type JsonValue } from '../../../domain/json/json.ts';
import { targetOf } from '../../../domain/json/schema-size.ts';
import { createValidator } from './validator/create-validator.ts';
import type { Patterns } from './validator/patterns.ts';
import {
  BudgetError,
  createStepBudget,
  type StepBudget,
  spendSteps,
} from './validator/step-budget.ts';
import { isList, type Schema } from './validator/validation-walk.ts';

/** Creates a function that removes those fields from a model's arguments. */
export function createNullRemover(
  root: Schema,
  patterns: Patterns,
): (value: JsonValue) => JsonValue {
  const { fits } = createValidator(root, patterns);
  return (value) => {
    if (!holdsNull(value)) return value;
    const budget = createStepBudget();
    try {
      if (fits(root, value, budget)) return value;
      return drop(root, value, { root, budget, depth: 0, fits });
    } catch (error) {
      // Validation refuses the value later for the same reason.
      if (error instanceof BudgetError) return value;
      throw error;
    }
  };
}

/** Also terminates for circular values, which are refused later. */
function holdsNull(value: JsonValue, seen = new Set<object>()): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  if (seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).some((each: JsonValue) => holdsNull(each, seen));
}

interface Drop {
  readonly root: Schema;
  readonly budget: StepBudget;
  readonly depth: number;
  fits(schema: JsonValue, value: JsonValue, budget: StepBudget): boolean;
}

const MAX_DEPTH = 200;

function drop(schema: JsonValue, value: JsonValue, at: Drop): JsonValue {
  if (at.depth > MAX_DEPTH) throw new BudgetError('its references are circular or nested too deep');
  const schemas = allOf(schema, at);
  const below = { ...at, depth: at.depth + 1 };
  const own = dropWithin(schemas, value, below);
  return schemas
    .flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(isList))
    .reduce<JsonValue>((now, alternatives) => dropInAlternative(alternatives, now, below), own);
}

/** Returns a schema with its referenced and `allOf` schemas. */
function allOf(schema: JsonValue, { budget, root }: Drop): readonly Schema[] {
  const found = new Set<Schema>();
  const waiting = [schema];
  for (const each of waiting) {
    spendSteps(budget, 1);
    if (!isJsonObject(each) || found.has(each)) continue;
    found.add(each);
    if (typeof each.$ref === 'string') waiting.push(targetOf(root, each.$ref) ?? true);
    if (isList(each.allOf)) waiting.push(...each.allOf);
  }
  return [...found];
}

function dropWithin(schemas: readonly Schema[], value: JsonValue, at: Drop): JsonValue {
  if (isList(value)) {
    return value.map((item, place) => dropAll(itemSchemas(schemas, place), item, at));
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    spendSteps(at.budget, schemas.length);
    if (item === null && isLeftOut(schemas, key, at)) return [];
    return [[key, dropAll(propertySchemas(schemas, key), item, at)] as const];
  });
  return Object.fromEntries(entries);
}

function dropAll(schemas: readonly JsonValue[], value: JsonValue, at: Drop): JsonValue {
  return schemas.reduce<JsonValue>((now, schema) => drop(schema, now, at), value);
}

/** Returns whether null for this property can only mean that it is absent. */
function isLeftOut(schemas: readonly Schema[], key: string, { budget, fits }: Drop): boolean {
  const own = schemas.flatMap((schema) => namedIn(schema, key));
  const isRequired = schemas.some(({ required }) => isList(required) && required.includes(key));
  return own.length > 0 && !isRequired && !own.every((schema) => fits(schema, null, budget));
}

function namedIn({ properties }: Schema, key: string): readonly JsonValue[] {
  const isNamed = isJsonObject(properties) && Object.hasOwn(properties, key);
  return isNamed ? [properties[key] ?? true] : [];
}

function propertySchemas(schemas: readonly Schema[], key: string): readonly JsonValue[] {
  return schemas.flatMap((schema) => {
    const own = namedIn(schema, key);
    return own.length > 0 ? own : [schema.additionalProperties ?? true];
  });
}

function itemSchemas(schemas: readonly Schema[], place: number): readonly JsonValue[] {
  return schemas.map(({ additionalItems, items, prefixItems }) => {
    const first = isList(prefixItems) ? prefixItems : items;
    if (!isList(first)) return items ?? true;
    return first[place] ?? (isList(items) ? additionalItems : items) ?? true;
  });
}

/** Drops nulls for an alternative only if exactly one result is possible. */
function dropInAlternative(
  alternatives: readonly JsonValue[],
  value: JsonValue,
  at: Drop,
): JsonValue {
  const { budget, fits } = at;
  if (!holdsNull(value) || alternatives.some((alternative) => fits(alternative, value, budget)))
    return value;
  const dropped = alternatives.flatMap((alternative) => {
    const found = drop(alternative, value, at);
    return fits(alternative, found, budget) ? [found] : [];
  });
  const [first = value] = dropped;
  return new Set(dropped.map(canonicalJson)).size === 1 ? first : value;
}
