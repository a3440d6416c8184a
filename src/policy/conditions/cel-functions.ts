/** Functions and methods of conditions. As in CEL's string library, positions count code points. */
import { type CelPatterns, matchesPattern } from './cel-patterns.ts';
import {
  type CelValue,
  ConditionError,
  isMap,
  keysOf,
  throwTypeError,
  toInt,
  typeOf,
} from './cel-values.ts';

type Work = (args: readonly CelValue[], patterns: CelPatterns) => CelValue;

interface CelFunction {
  /** Possible numbers of arguments, without the receiver. */
  readonly takes: readonly number[];
  readonly work: Work;
}

/** Called like `size(x)`. */
export const FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map([
  ['size', { takes: [1], work: ([value = null]) => sizeOf(value) }],
  ['int', { takes: [1], work: ([value = null]) => convertToInt(value) }],
  ['double', { takes: [1], work: ([value = null]) => convertToDouble(value) }],
  ['string', { takes: [1], work: ([value = null]) => convertToText(value) }],
  ['bool', { takes: [1], work: ([value = null]) => convertToBool(value) }],
  ['dyn', { takes: [1], work: ([value = null]) => value }],
]);

/** Called like `x.startsWith(y)`. The receiver is passed as the first argument. */
export const METHODS: ReadonlyMap<string, CelFunction> = new Map([
  ['size', { takes: [0], work: ([value = null]) => sizeOf(value) }],
  [
    'matches',
    textMethod([1], (text, pattern, patterns) => matchesPattern(text, pattern, patterns)),
  ],
  ['contains', textMethod([1], (text, part) => text.includes(part))],
  ['startsWith', textMethod([1], (text, part) => text.startsWith(part))],
  ['endsWith', textMethod([1], (text, part) => text.endsWith(part))],
  ['lowerAscii', textMethod([0], (text) => text.replace(/[A-Z]+/g, (all) => all.toLowerCase()))],
  ['upperAscii', textMethod([0], (text) => text.replace(/[a-z]+/g, (all) => all.toUpperCase()))],
  ['trim', textMethod([0], trim)],
  ['split', textMethod([1], (text, by) => (by === '' ? [...text] : text.split(by)))],
  ['indexOf', textMethod([1], indexOf)],
  ['substring', { takes: [1, 2], work: substring }],
  ['join', { takes: [0, 1], work: join }],
] satisfies readonly (readonly [string, CelFunction])[]);

function textMethod(
  takes: readonly number[],
  work: (text: string, other: string, patterns: CelPatterns) => CelValue,
): CelFunction {
  return {
    takes,
    work: ([text = null, other = ''], patterns) =>
      typeof text === 'string' && typeof other === 'string'
        ? work(text, other, patterns)
        : throwTypeError(`a method of a text on ${typeOf(text)} and ${typeOf(other)}`),
  };
}

function sizeOf(value: CelValue): bigint {
  if (typeof value === 'string') return BigInt(countCharacters(value));
  if (Array.isArray(value)) return BigInt(value.length);
  return isMap(value) ? BigInt(keysOf(value).length) : throwTypeError(`size(${typeOf(value)})`);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function convertToInt(value: CelValue): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return toInt(BigInt(Math.trunc(value)));
  if (typeof value === 'string' && /^[+-]?\d{1,20}$/.test(value)) return toInt(BigInt(value));
  throw new ConditionError('A value can’t be read as a whole number.');
}

/** “NaN” and “inf” are rejected, because no limit would hold for them. */
function convertToDouble(value: CelValue): number {
  const isDecimal =
    typeof value === 'string' && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const number = isNumber || isDecimal ? Number(value) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw new ConditionError('A value can’t be read as a number.');
}

function convertToText(value: CelValue): string {
  const isPlain = ['string', 'boolean', 'bigint', 'number'].includes(typeof value);
  return isPlain ? String(value) : throwTypeError(`string(${typeOf(value)})`);
}

const YES: readonly CelValue[] = [true, 'true', 'True', 'TRUE', 't', '1'];
const NO: readonly CelValue[] = [false, 'false', 'False', 'FALSE', 'f', '0'];

function convertToBool(value: CelValue): boolean {
  if (YES.includes(value)) return true;
  if (NO.includes(value)) return false;
  throw new ConditionError('A value can’t be read as true or false.');
}

/** Unicode's White_Space, which differs from what `String.trim` removes. */
const BLANKS = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.has(text.charAt(start))) start += 1;
  while (end > start && BLANKS.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function indexOf(text: string, part: string): bigint {
  const at = text.indexOf(part);
  return at === -1 ? -1n : BigInt(countCharacters(text.slice(0, at)));
}

function substring([text = null, from = null, to]: readonly CelValue[]): string {
  if (typeof text !== 'string') return throwTypeError(`substring of ${typeOf(text)}`);
  const characters = [...text];
  const start = convertToInt(from);
  const end = to === undefined ? BigInt(characters.length) : convertToInt(to);
  if (start < 0n || end > BigInt(characters.length) || start > end) {
    throw new ConditionError('A string has no such position.');
  }
  return characters.slice(Number(start), Number(end)).join('');
}

function join([list = null, between = '']: readonly CelValue[]): string {
  if (!Array.isArray(list) || typeof between !== 'string') return throwTypeError('join');
  if (!list.every((each) => typeof each === 'string'))
    return throwTypeError('join of other values');
  return list.join(between);
}
