/** Keywords about single values: types, constants, numbers and strings. */
import { isJsonObject, type JsonValue } from '../../../../domain/json/json.ts';
import { hasFormat } from './formats.ts';
import { spendSteps } from './step-budget.ts';
import { addProblem, type Check, isList, type Keyword, textOf } from './validation-walk.ts';

const hasType: Check = (keyword, value) => {
  const types = isList(keyword.value) ? keyword.value : [keyword.value];
  const { nullable } = keyword.schema;
  const isOne = types.some((type) => isOfType(String(type), value));
  if (isOne || (nullable === true && value === null)) return true;
  const names = nullable === true ? [...types, 'null'] : types;
  return addProblem(keyword, `must be ${names.join(',')}`);
};

function isOfType(type: string, value: JsonValue): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return isList(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      // The other type names are those of JavaScript.
      return typeof value === type;
  }
}

const equals: Check = (keyword, value) => {
  const { budget } = keyword.walk;
  const isEqual = textOf(value, budget) === textOf(keyword.value, budget);
  return isEqual || addProblem(keyword, 'must be equal to constant');
};

const isOneOf: Check = (keyword, value) => {
  const { walk } = keyword;
  const { summary, texts } = walk.readEnum(keyword.value as readonly JsonValue[]);
  if (texts.has(textOf(value, walk.budget))) return true;
  return addProblem(keyword, `must be equal to one of the allowed values: ${summary}`);
};

/** Creates the check of a keyword about numbers. */
function ofNumber(
  isRight: (value: number, limit: number) => boolean,
  describe: (limit: number) => string,
): Check {
  return (keyword, value) => {
    const limit = keyword.value as number;
    return (
      typeof value !== 'number' ||
      isRight(value, limit) ||
      addProblem(keyword, `must be ${describe(limit)}`)
    );
  };
}

/** Creates the check of a limit on a string's length in code points. */
function ofLength(isRight: (length: number, limit: number) => boolean, word: string): Check {
  return (keyword, value) => {
    if (typeof value !== 'string') return true;
    const limit = keyword.value as number;
    const length = countCharacters(keyword, value);
    return (
      isRight(length, limit) ||
      addProblem(keyword, `must NOT have ${word} than ${limit} characters`)
    );
  };
}

function countCharacters({ walk }: Keyword, text: string): number {
  spendSteps(walk.budget, text.length / 20);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) at += 1;
    count += 1;
  }
  return count;
}

const matchesPattern: Check = (keyword, value) => {
  if (typeof value !== 'string') return true;
  const { budget, patterns } = keyword.walk;
  const source = keyword.value as string;
  const pattern = patterns.get(source);
  spendSteps(budget, pattern.stepsFor(value.length));
  return pattern.test(value) || addProblem(keyword, `must match pattern "${source}"`);
};

const matchesFormat: Check = (keyword, value) => {
  const format = keyword.value as string;
  const fits = hasFormat(format, value, keyword.walk.budget);
  return fits || addProblem(keyword, `must match format "${format}"`);
};

export const SCALAR_CHECKS: Readonly<Record<string, Check>> = {
  type: hasType,
  const: equals,
  enum: isOneOf,
  maximum: ofNumber(
    (value, limit) => value <= limit,
    (limit) => `<= ${limit}`,
  ),
  minimum: ofNumber(
    (value, limit) => value >= limit,
    (limit) => `>= ${limit}`,
  ),
  exclusiveMaximum: ofNumber(
    (value, limit) => value < limit,
    (limit) => `< ${limit}`,
  ),
  exclusiveMinimum: ofNumber(
    (value, limit) => value > limit,
    (limit) => `> ${limit}`,
  ),
  multipleOf: ofNumber(
    (value, limit) => Number.isInteger(value / limit),
    (limit) => `multiple of ${limit}`,
  ),
  maxLength: ofLength((length, limit) => length <= limit, 'more'),
  minLength: ofLength((length, limit) => length >= limit, 'fewer'),
  pattern: matchesPattern,
  format: matchesFormat,
};
