/** Keywords about arrays. */
import type { JsonValue } from '../../../../domain/json/json.ts';
import { spendSteps } from './step-budget.ts';
import {
  addProblem,
  type Check,
  isList,
  type Keyword,
  matchesSilently,
  textOf,
} from './validation-walk.ts';

type List = readonly JsonValue[];

/** Creates the check of a keyword that applies only to arrays. */
function ofList(check: (keyword: Keyword, list: List) => boolean): Check {
  return (keyword, value) => !isList(value) || check(keyword, value);
}

const isUnique = ofList((keyword, list) => {
  const places = new Map<string, number>();
  if (keyword.value !== true) return true;
  for (const [at, item] of list.entries()) {
    const text = textOf(item, keyword.walk.budget);
    const before = places.get(text);
    if (before !== undefined) {
      const which = `items ## ${at} and ${before} are identical`;
      return addProblem(keyword, `must NOT have duplicate items (${which})`);
    }
    places.set(text, at);
  }
  return true;
});

/** Returns the schemas of the first items: `prefixItems`, or `items` as a list (before 2020-12). */
function firstOf({ items, prefixItems }: Keyword['schema']): List {
  if (isList(prefixItems)) return prefixItems;
  return isList(items) ? items : [];
}

const fitsFirst = ofList((keyword, list) =>
  firstOf(keyword.schema).every((schema, at) => {
    const item = list[at];
    return item === undefined || fitsItem(keyword, schema, item, at);
  }),
);

function fitsItem({ place, seen, walk }: Keyword, schema: JsonValue, item: JsonValue, at: number) {
  seen?.items.add(at);
  return walk.check(schema, item, { parent: place, key: String(at) });
}

function fitsRest(keyword: Keyword, list: List): boolean {
  const { seen, value: schema, walk } = keyword;
  const first = firstOf(keyword.schema).length;
  if (seen) seen.hasAllItems = true;
  if (schema === false && list.length > first) {
    return addProblem(keyword, `must NOT have more than ${first} items`);
  }
  spendSteps(walk.budget, list.length);
  return list.every((item, at) => at < first || fitsItem(keyword, schema, item, at));
}

const fitsItems = ofList((keyword, list) =>
  isList(keyword.value) ? fitsFirst(keyword, list) : fitsRest(keyword, list),
);

/** Applies only after a list of `items`. */
const fitsAdditional = ofList(
  (keyword, list) => !isList(keyword.schema.items) || fitsRest(keyword, list),
);

const containsSome = ofList((keyword, list) => {
  const { place, schema, seen, walk } = keyword;
  const { minContains: min = 1, maxContains: max } = schema;
  const fits = list.map((item, at) =>
    matchesSilently(walk, () =>
      walk.check(keyword.value, item, { parent: place, key: String(at) }),
    ),
  );
  const count = fits.filter(Boolean).length;
  const isEnough = count >= Number(min);
  if (isEnough && (max === undefined || count <= Number(max))) {
    for (const [at, isFit] of fits.entries()) if (isFit) seen?.items.add(at);
    return true;
  }
  const limit = max === undefined ? '' : ` and no more than ${max}`;
  return addProblem(keyword, `must contain at least ${min}${limit} valid item(s)`);
});

/** Creates the check of a limit on the number of items. */
function ofCount(isRight: (count: number, limit: number) => boolean, word: string): Check {
  return ofList((keyword, list) => {
    const limit = keyword.value as number;
    return (
      isRight(list.length, limit) ||
      addProblem(keyword, `must NOT have ${word} than ${limit} items`)
    );
  });
}

const fitsUnevaluated = ofList((keyword, list) => {
  const { seen, value: schema } = keyword;
  if (!seen || seen.hasAllItems) return true;
  spendSteps(keyword.walk.budget, 2 * list.length);
  const left = list.flatMap((item, at) => (seen.items.has(at) ? [] : [{ item, at }]));
  seen.hasAllItems = true;
  if (schema === false && left.length > 0) {
    return addProblem(keyword, `must NOT have more than ${list.length - left.length} items`);
  }
  return left.every(({ item, at }) => fitsItem(keyword, schema, item, at));
});

export const LIST_CHECKS: Readonly<Record<string, Check>> = {
  maxItems: ofCount((count, limit) => count <= limit, 'more'),
  minItems: ofCount((count, limit) => count >= limit, 'fewer'),
  uniqueItems: isUnique,
  prefixItems: fitsFirst,
  items: fitsItems,
  additionalItems: fitsAdditional,
  contains: containsSome,
  unevaluatedItems: fitsUnevaluated,
};
