import { isJsonObject, type JsonValue } from '../../../../domain/json/json.ts';
import { targetOf } from '../../../../domain/json/schema-size.ts';
import type { FieldProblem } from '../../../../domain/tools/tool.ts';
import { CHOICE_CHECKS } from './check-choices.ts';
import { LIST_CHECKS } from './check-lists.ts';
import { OBJECT_CHECKS } from './check-objects.ts';
import { SCALAR_CHECKS } from './check-scalars.ts';
import type { Patterns } from './patterns.ts';
import { BudgetError, createStepBudget, type StepBudget, spendSteps } from './step-budget.ts';
import {
  addProblem,
  type Check,
  type Enum,
  type EvaluatedParts,
  mergeEvaluatedParts,
  noEvaluatedParts,
  type Place,
  type Schema,
  textOf,
  type Validation,
} from './validation-walk.ts';

/** Validates values against one schema and its inner schemas. */
export interface Validator {
  /**
   * Validates a value against the whole schema; returns an empty list if it is valid. Throws a
   * `BudgetError` if that takes too long.
   */
  problemsOf(value: JsonValue): readonly FieldProblem[];
  /**
   * Returns whether a value matches an inner schema. Throws a `BudgetError` if that takes too long.
   */
  fits(schema: JsonValue, value: JsonValue, budget: StepBudget): boolean;
}

/** Values are at most 32 levels deep, with few schemas per level. */
const MAX_DEPTH = 1_000;

const ALL = { ...SCALAR_CHECKS, ...CHOICE_CHECKS, ...LIST_CHECKS, ...OBJECT_CHECKS };
/** In the order of checking: only the first problem is reported. */
const NAMES = new Set([
  ...['type', '$ref', 'const', 'enum'],
  ...Object.keys(CHOICE_CHECKS),
  ...Object.keys(ALL),
]);
const CHECKS = [...NAMES].flatMap((name) => {
  const check = ALL[name];
  return check === undefined ? [] : [[name, check] as const];
});

/** More allowed values would not be readable. */
const MAX_LISTED = 20;

function readEnum(values: readonly JsonValue[], budget: StepBudget): Enum {
  const first = values.slice(0, MAX_LISTED);
  const listed = first.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return {
    texts: new Set(values.map((each) => textOf(each, budget))),
    summary: [...listed, ...(values.length > MAX_LISTED ? ['…'] : [])].join(', '),
  };
}

/** The checks of a schema, with the values of their keywords. */
type Plan = readonly (readonly [Check, JsonValue])[];

/** Creates the cache of the plans of one document. */
function createPlans(): (schema: Schema, budget: StepBudget) => Plan {
  const plans = new Map<Schema, Plan>();
  return (schema, budget) => {
    const known = plans.get(schema);
    if (known) return known;
    spendSteps(budget, CHECKS.length);
    const plan = CHECKS.flatMap(([name, check]) => {
      const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
      return value === undefined ? [] : [[check, value] as const];
    });
    plans.set(schema, plan);
    return plan;
  };
}

/**
 * Creates the validator of a schema. It interprets the schema: no cost before the first value, and
 * each value is limited by its budget.
 */
export function createValidator(root: Schema, patterns: Patterns): Validator {
  const planOf = createPlans();
  const targets = new Map<string, JsonValue | undefined>();
  const enums = new Map<readonly JsonValue[], Enum>();
  const tracks = JSON.stringify(root).includes('"unevaluated');

  function checkAll(
    walk: Validation,
    schema: Schema,
    value: JsonValue,
    place: Place,
    seen?: EvaluatedParts,
  ) {
    const plan = planOf(schema, walk.budget);
    spendSteps(walk.budget, 2 + plan.length);
    walk.depth += 1;
    if (walk.depth > MAX_DEPTH)
      throw new BudgetError('its references are circular or nested too deep');
    const own = tracks ? noEvaluatedParts() : undefined;
    const fits = plan.every(([check, of]) =>
      check({ value: of, schema, place, walk, seen: own }, value),
    );
    walk.depth -= 1;
    if (fits && seen && own) mergeEvaluatedParts(seen, own, walk.budget);
    return fits;
  }

  function startWalk(budget: StepBudget): Validation {
    const walk: Validation = {
      budget,
      patterns,
      problems: [],
      depth: 0,
      targetOf(reference) {
        const target = targets.has(reference) ? targets.get(reference) : targetOf(root, reference);
        targets.set(reference, target);
        return target;
      },
      readEnum(values) {
        const known = enums.get(values) ?? readEnum(values, budget);
        enums.set(values, known);
        return known;
      },
      check(schema, value, place, seen) {
        if (isJsonObject(schema)) return checkAll(walk, schema, value, place, seen);
        return schema !== false || addProblem({ place, walk }, 'boolean schema is false');
      },
    };
    return walk;
  }

  return {
    problemsOf(value) {
      const walk = startWalk(createStepBudget());
      return walk.check(root, value, undefined) ? [] : walk.problems;
    },
    fits: (schema, value, budget) => startWalk(budget).check(schema, value, undefined),
  };
}
