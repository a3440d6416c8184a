/** Keywords that apply other schemas to a value: references, alternatives, conditions. */
import type { JsonValue } from '../../../../domain/json/json.ts';
import { addProblem, type Check, type Keyword, matchesSilently } from './validation-walk.ts';

const fitsReference: Check = ({ place, seen, value: reference, walk }, value) =>
  walk.check(walk.targetOf(reference as string) ?? true, value, place, seen);

const fitsNot: Check = (keyword, value) => {
  const { place, walk } = keyword;
  const fits = matchesSilently(walk, () => walk.check(keyword.value, value, place));
  return !fits || addProblem(keyword, 'must NOT be valid');
};

/** Counts the schemas that a value matches. Stops once the count exceeds `max`. */
function countFits(keyword: Keyword, value: JsonValue, max: number): number {
  const { place, seen, walk } = keyword;
  let count = 0;
  for (const schema of keyword.value as readonly JsonValue[]) {
    if (walk.check(schema, value, place, seen)) count += 1;
    if (count > max) break;
  }
  return count;
}

/** Checks all schemas, even after a match, if evaluated parts are tracked. */
const fitsAny: Check = (keyword, value) => {
  const { length } = keyword.walk.problems;
  if (countFits(keyword, value, keyword.seen ? Number.POSITIVE_INFINITY : 0) === 0) {
    return addProblem(keyword, 'must match a schema in anyOf');
  }
  keyword.walk.problems.length = length;
  return true;
};

const fitsOne: Check = (keyword, value) => {
  const { length } = keyword.walk.problems;
  if (countFits(keyword, value, 1) !== 1) {
    return addProblem(keyword, 'must match exactly one schema in oneOf');
  }
  keyword.walk.problems.length = length;
  return true;
};

const fitsAll: Check = ({ place, seen, value: schemas, walk }, value) =>
  (schemas as readonly JsonValue[]).every((schema) => walk.check(schema, value, place, seen));

const fitsCondition: Check = (keyword, value) => {
  const { place, schema, seen, walk } = keyword;
  const holds = matchesSilently(walk, () => walk.check(keyword.value, value, place, seen));
  const branch = holds ? 'then' : 'else';
  const fits = walk.check(schema[branch] ?? true, value, place, seen);
  return fits || addProblem(keyword, `must match "${branch}" schema`);
};

export const CHOICE_CHECKS: Readonly<Record<string, Check>> = {
  $ref: fitsReference,
  not: fitsNot,
  anyOf: fitsAny,
  oneOf: fitsOne,
  allOf: fitsAll,
  if: fitsCondition,
};
