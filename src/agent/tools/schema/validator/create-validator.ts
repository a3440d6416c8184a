import type { JsonValue } from '../../../../domain/json/json.ts';
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
  isObject,
  mergeEvaluatedParts,
  noEvaluatedParts,
  type Place,
  type Schema,
  textOf,
  type Validation,
} from './validation-walk.ts';

/** Holds values against one schema, and against schemas within it. */
export interface Validator {
  /** Lists what is wrong with a value, by the whole schema; nothing where it fits. Throws a `BudgetError` where that takes too long. */
  problemsOf(value: JsonValue): readonly FieldProblem[];
  /** Tells whether a value fits a schema that stands within the whole one. Throws a `BudgetError` as well. */
  fits(schema: JsonValue, value: JsonValue, budget: StepBudget): boolean;
}

/** A value lies at most 32 levels deep, and few schemas are on the way to each of them. */
const MAX_DEPTH = 1_000;

const ALL = { ...SCALAR_CHECKS, ...CHOICE_CHECKS, ...LIST_CHECKS, ...OBJECT_CHECKS };
/** In the order in which they are looked at: the first problem is told. */
const NAMES = new Set([
  ...['type', '$ref', 'const', 'enum'],
  ...Object.keys(CHOICE_CHECKS),
  ...Object.keys(ALL),
]);
const CHECKS = [...NAMES].flatMap((name) => {
  const check = ALL[name];
  return check === undefined ? [] : [[name, check] as const];
});

/** More allowed values are no sentence. */
const MAX_SAID = 20;

function readEnum(values: readonly JsonValue[], budget: StepBudget): Enum {
  const first = values.slice(0, MAX_SAID);
  const said = first.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return {
    texts: new Set(values.map((each) => textOf(each, budget))),
    said: [...said, ...(values.length > MAX_SAID ? ['…'] : [])].join(', '),
  };
}

type Plan = readonly (readonly [Check, JsonValue])[];

/** Creates the validator of a schema: an interpreter, so that a schema costs nothing until a value comes, and a value no more than its budget. */
export function createValidator(root: Schema, patterns: Patterns): Validator {
  const plans = new Map<Schema, Plan>();
  const targets = new Map<string, JsonValue | undefined>();
  const enums = new Map<readonly JsonValue[], Enum>();
  const tracks = JSON.stringify(root).includes('"unevaluated');

  function planOf(schema: Schema, budget: StepBudget): Plan {
    const known = plans.get(schema);
    if (known) return known;
    spendSteps(budget, CHECKS.length);
    const plan = CHECKS.flatMap(([name, check]) => {
      const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
      return value === undefined ? [] : [[check, value] as const];
    });
    plans.set(schema, plan);
    return plan;
  }

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
    if (walk.depth > MAX_DEPTH) throw new BudgetError('it refers to itself without an end');
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
        if (isObject(schema)) return checkAll(walk, schema, value, place, seen);
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
