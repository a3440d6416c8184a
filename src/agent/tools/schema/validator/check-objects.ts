/** Keywords about objects. */
import { isJsonObject, type JsonValue } from '../../../../domain/json/json.ts';
import { spendSteps } from './step-budget.ts';
import { addProblem, type Check, isList, type Keyword, type Schema } from './validation-walk.ts';

/** Creates the check of a keyword that applies only to objects. */
function ofObject(check: (keyword: Keyword, object: Schema) => boolean): Check {
  return (keyword, value) => !isJsonObject(value) || check(keyword, value);
}

/** Creates the check of a limit on the number of properties. */
function ofCount(isRight: (count: number, limit: number) => boolean, word: string): Check {
  return ofObject((keyword, object) => {
    const limit = keyword.value as number;
    const isFit = isRight(Object.keys(object).length, limit);
    return isFit || addProblem(keyword, `must NOT have ${word} than ${limit} properties`);
  });
}

const hasRequired = ofObject((keyword, object) => {
  const names = keyword.value as readonly string[];
  spendSteps(keyword.walk.budget, names.length);
  const missing = names.find((name) => !Object.hasOwn(object, name));
  return missing === undefined || addProblem(keyword, 'is missing', missing);
});

const hasDependent = ofObject((keyword, object) =>
  presentIn(keyword, object).every(([key, needed]) => hasAll(keyword, object, key, needed)),
);

function hasAll(keyword: Keyword, object: Schema, key: string, needed: JsonValue): boolean {
  const names = needed as readonly string[];
  spendSteps(keyword.walk.budget, names.length);
  if (names.every((name) => Object.hasOwn(object, name))) return true;
  const which = `${names.length === 1 ? 'property' : 'properties'} ${names.join(', ')}`;
  return addProblem(keyword, `must have ${which} when property ${key} is present`);
}

/** Returns the keyword's entries for properties that are present. */
function presentIn({ value, walk }: Keyword, object: Schema) {
  const entries = Object.entries(value as Schema);
  spendSteps(walk.budget, entries.length);
  return entries.filter(([key]) => Object.hasOwn(object, key));
}

const fitsDependent = ofObject((keyword, object) => {
  const { place, seen, walk } = keyword;
  return presentIn(keyword, object).every(([, schema]) => walk.check(schema, object, place, seen));
});

/** The keyword before 2019-09: each entry is a list of names or a schema. */
const fitsDependencies = ofObject((keyword, object) => {
  const { place, seen, walk } = keyword;
  return presentIn(keyword, object).every(([key, value]) =>
    isList(value) ? hasAll(keyword, object, key, value) : walk.check(value, object, place, seen),
  );
});

const fitsNames = ofObject((keyword, object) => {
  const { place, walk } = keyword;
  const fits = Object.keys(object).every((key) => walk.check(keyword.value, key, place));
  return fits || addProblem(keyword, 'property name must be valid');
});

function fitsProperty(
  { place, seen, walk }: Keyword,
  schema: JsonValue,
  object: Schema,
  key: string,
) {
  seen?.keys.add(key);
  return walk.check(schema, object[key] ?? null, { parent: place, key });
}

const fitsProperties = ofObject((keyword, object) => {
  const properties = keyword.value as Schema;
  const names = Object.keys(properties);
  spendSteps(keyword.walk.budget, names.length);
  return names.every((key) => {
    const schema = Object.hasOwn(object, key) ? properties[key] : undefined;
    return schema === undefined || fitsProperty(keyword, schema, object, key);
  });
});

function matches({ walk }: Keyword, source: string, key: string): boolean {
  const pattern = walk.patterns.get(source);
  spendSteps(walk.budget, 1 + pattern.stepsFor(key.length));
  return pattern.test(key);
}

const fitsPatterns = ofObject((keyword, object) =>
  Object.entries(keyword.value as Schema).every(([source, schema]) =>
    Object.keys(object).every(
      (key) => !matches(keyword, source, key) || fitsProperty(keyword, schema, object, key),
    ),
  ),
);

const fitsAdditional = ofObject((keyword, object) => {
  const { properties, patternProperties } = keyword.schema;
  const sources = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  const isNamed = (key: string) => isJsonObject(properties) && Object.hasOwn(properties, key);
  const keys = Object.keys(object);
  spendSteps(keyword.walk.budget, keys.length);
  return keys
    .filter((key) => !isNamed(key) && !sources.some((source) => matches(keyword, source, key)))
    .every((key) => {
      const isNone = keyword.value === false;
      return isNone
        ? addProblem(keyword, `must NOT have additional properties (“${key}”)`)
        : fitsProperty(keyword, keyword.value, object, key);
    });
});

const fitsUnevaluated = ofObject((keyword, object) => {
  const { seen } = keyword;
  if (!seen || seen.hasAllKeys) return true;
  const keys = Object.keys(object);
  spendSteps(keyword.walk.budget, 2 * keys.length);
  const left = keys.filter((key) => !seen.keys.has(key));
  seen.hasAllKeys = true;
  return left.every((key) =>
    keyword.value === false
      ? addProblem(keyword, `must NOT have unevaluated properties (“${key}”)`)
      : fitsProperty(keyword, keyword.value, object, key),
  );
});

export const OBJECT_CHECKS: Readonly<Record<string, Check>> = {
  maxProperties: ofCount((count, limit) => count <= limit, 'more'),
  minProperties: ofCount((count, limit) => count >= limit, 'fewer'),
  required: hasRequired,
  dependentRequired: hasDependent,
  propertyNames: fitsNames,
  additionalProperties: fitsAdditional,
  dependencies: fitsDependencies,
  properties: fitsProperties,
  patternProperties: fitsPatterns,
  dependentSchemas: fitsDependent,
  unevaluatedProperties: fitsUnevaluated,
};
