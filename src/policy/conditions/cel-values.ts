/** CEL values and operators, per https://github.com/google/cel-spec/blob/master/doc/langdef.md. */

/** A JSON value, or an int of the condition. Numbers in JSON are doubles to CEL. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly CelValue[]
  | { readonly [key: string]: CelValue };

/** Why a condition can't be evaluated. The message never contains argument values. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

/** Returns the CEL type of a value. */
export function typeOf(value: CelValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const name = TYPES[typeof value];
  if (name === undefined) throw new ConditionError('A value has a type that CEL does not have.');
  return name;
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'bool',
  bigint: 'int',
  number: 'double',
  string: 'string',
  object: 'map',
};

/** Returns whether a value is a map. */
export function isMap(value: CelValue): value is { readonly [key: string]: CelValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a key's own value; undefined if missing. */
export function valueAt(map: { readonly [key: string]: CelValue }, key: string) {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Returns the keys that have a value. */
export function keysOf(map: { readonly [key: string]: CelValue }): readonly string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined);
}

/** Throws for a call or operator that does not accept these types. */
export function throwTypeError(what: string): never {
  throw new ConditionError(`no such overload: ${what}.`);
}

/** Compares two values. Numbers compare by value; values of different types are never equal. */
export function isEqual(a: CelValue, b: CelValue): boolean {
  if (isNumber(a)) return isNumber(b) && isSameNumber(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  if (isMap(a)) return isMap(b) && isSameMap(a, b);
  return a === b;
}

function isSameList(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  return a.length === b.length && a.every((each, at) => isEqual(each, b[at] ?? null));
}

function isSameMap(
  a: { readonly [key: string]: CelValue },
  b: { readonly [key: string]: CelValue },
): boolean {
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) => {
    const other = valueAt(b, key);
    return other !== undefined && isEqual(a[key] ?? null, other);
  });
}

function isNumber(value: CelValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** An int and a double compare exactly. NaN equals nothing. */
function isSameNumber(a: number | bigint, b: number | bigint): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: === is false for an int and a double.
  return a == b;
}

const ORDERS: Readonly<Record<string, (a: number | bigint, b: number | bigint) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Evaluates `<`, `<=`, `>` and `>=`: numbers by value, texts by code point, false before true. */
export function compareOrdered(sign: string, a: CelValue, b: CelValue): boolean {
  const holds = ORDERS[sign];
  if (!holds) throw new ConditionError(`“${sign}” is not a comparison.`);
  if (isNumber(a) && isNumber(b)) return holds(a, b);
  if (typeof a === 'string' && typeof b === 'string') return holds(compareTexts(a, b), 0);
  if (typeof a === 'boolean' && typeof b === 'boolean') return holds(Number(a), Number(b));
  return throwTypeError(`${typeOf(a)} ${sign} ${typeOf(b)}`);
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let elementAt = 0; elementAt < length; elementAt += 1) {
    const difference = rank(a.charCodeAt(elementAt)) - rank(b.charCodeAt(elementAt));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates belong to code points above all other units. */
function rank(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x10000 : unit;
}

type Calculation = {
  readonly ints: (a: bigint, b: bigint) => bigint;
  readonly doubles: (a: number, b: number) => number;
};

const CALCULATIONS: Readonly<Record<string, Calculation>> = {
  '+': { ints: (a, b) => a + b, doubles: (a, b) => a + b },
  '-': { ints: (a, b) => a - b, doubles: (a, b) => a - b },
  '*': { ints: (a, b) => a * b, doubles: (a, b) => a * b },
  '/': { ints: (a, b) => a / notZero(b), doubles: (a, b) => a / b },
  '%': { ints: (a, b) => a % notZero(b), doubles: (a, b) => a % b },
};

function notZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new ConditionError('Division by zero.');
  return divisor;
}

/**
 * Calculates. An int with a double counts as a double: JSON numbers are doubles, most literals
 * ints.
 */
export function calculate(sign: string, a: CelValue, b: CelValue): CelValue {
  const calculation = CALCULATIONS[sign];
  if (calculation && isNumber(a) && isNumber(b)) {
    if (typeof a === 'bigint' && typeof b === 'bigint') return toInt(calculation.ints(a, b));
    return calculation.doubles(Number(a), Number(b));
  }
  if (sign === '+' && typeof a === 'string' && typeof b === 'string') return a + b;
  if (sign === '+' && Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  return throwTypeError(`${typeOf(a)} ${sign} ${typeOf(b)}`);
}

/** Returns a 64-bit int; throws if it is out of range. */
export function toInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new ConditionError('A number is too large.');
  return value;
}

/** Changes the sign of a number. */
export function negate(value: CelValue): CelValue {
  if (typeof value === 'number') return -value;
  return typeof value === 'bigint' ? toInt(-value) : throwTypeError(`-${typeOf(value)}`);
}

/** Returns whether a list contains a value, or a map a key. */
export function isIn(value: CelValue, container: CelValue): boolean {
  if (Array.isArray(container)) return container.some((each) => isEqual(value, each));
  if (isMap(container)) return typeof value === 'string' && valueAt(container, value) !== undefined;
  return throwTypeError(`${typeOf(value)} in ${typeOf(container)}`);
}

/** Returns the element of a list or map; throws if missing. */
export function elementAt(container: CelValue, key: CelValue): CelValue {
  const found = lookUp(container, key);
  if (found === undefined) {
    throw new ConditionError('There is no such key or list index.');
  }
  return found;
}

function lookUp(container: CelValue, key: CelValue): CelValue | undefined {
  if (isMap(container)) return typeof key === 'string' ? valueAt(container, key) : undefined;
  if (Array.isArray(container) && isNumber(key)) {
    // Argument numbers are doubles even if whole.
    return Number.isInteger(Number(key)) ? container[Number(key)] : undefined;
  }
  return throwTypeError(`${typeOf(container)}[${typeOf(key)}]`);
}

/** Returns a field's value; throws if missing. */
export function fieldOf(owner: CelValue, field: string): CelValue {
  const found = isMap(owner) ? valueAt(owner, field) : undefined;
  if (found === undefined) throw new ConditionError(`No such key: ${field}.`);
  return found;
}
