/**
 * Patterns of untrusted schemas: linear in the text, without backtracking, and with a cost known in
 * advance.
 */
import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** Maximum steps of a test of a text of this length. */
  stepsFor(length: number): number;
}

/** Patterns of one schema, each compiled once. */
export interface Patterns {
  /** Throws an error with a message for the schema's author if the pattern is refused. */
  get(source: string): Pattern;
}

/** Total expanded size of a schema's patterns; compiling this many units takes about 30 ms. */
const MAX_UNITS = 5_000;
/** A class such as `\p{L}` has hundreds of ranges. */
const CLASS_UNITS = 25;
/** Cost of creating a state; known states cost one step per character. */
const NEW_STATE_STEPS = 0.6;

/** Creates the patterns of a schema. */
export function createPatterns(): Patterns {
  const known = new Map<string, Pattern>();
  let units = 0;
  return {
    get(source) {
      const found = known.get(source);
      if (found) return found;
      units += sizeOf(source);
      if (units > MAX_UNITS) throw new Error('its patterns are too large in total');
      const made = compile(source);
      known.set(source, made);
      return made;
    },
  };
}

/**
 * Creates the patterns of an operator's own schema. Unsupported patterns match everything here,
 * since the zod schema checks them.
 */
export function createOperatorPatterns(): Patterns {
  const known = new Map<string, Pattern>();
  return {
    get(source) {
      const pattern = known.get(source) ?? compileIfPossible(source);
      known.set(source, pattern);
      return pattern;
    },
  };
}

function compileIfPossible(source: string): Pattern {
  try {
    return compile(source);
  } catch {
    return { test: () => true, stepsFor: () => 1 };
  }
}

function compile(source: string): Pattern {
  // \Q starts a quotation in RE2 but is a letter in JavaScript.
  if (/^(?:[^\\]|\\[^Q])*\\Q/.test(source)) throw new Error('“\\Q” is not a valid escape');
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const size = compiled.programSize();
  const isOnePass = compiled.re2().onepass !== null;
  const states = 2 ** Math.min(size, 30);
  return {
    test: (text) => compiled.test(text),
    stepsFor(length) {
      if (isOnePass) return length;
      return Math.ceil(length / 2 + Math.min(length, states) * size * NEW_STATE_STEPS);
    },
  };
}

/** Measures a pattern with its repetitions expanded. Never less than its compiled size. */
function sizeOf(source: string): number {
  const groups: Group[] = [{ sum: 0, last: 0 }];
  for (const [token] of source.matchAll(TOKEN)) {
    const group = groups.at(-1) ?? { sum: 0, last: 0 };
    const times = repetitionsOf(token);
    if (times !== undefined) {
      group.sum += group.last * (times - 1);
      group.last *= times;
    } else if (token === '(') groups.push({ sum: 0, last: 0 });
    else if (token === ')' && groups.length > 1) {
      groups.pop();
      add(groups.at(-1) ?? group, group.sum + 2);
    } else add(group, unitsOf(token));
  }
  return groups.reduce((sum, group) => sum + group.sum, 0);
}

interface Group {
  sum: number;
  /** The part that a following repetition repeats. */
  last: number;
}

const TOKEN = /\\[pP](?:\{[^}]*\}|.)|\\.|\[(?:\\.|[^\\\]])*\]|\{[0-9]+(?:,[0-9]*)?\}|./gsu;

function add(group: Group, units: number): void {
  group.sum += units;
  group.last = units;
}

/** Returns how often the preceding part is expanded; undefined if the token is not a repetition. */
function repetitionsOf(token: string): number | undefined {
  if (token.length < 3 || !token.startsWith('{')) return undefined;
  const [low = '', high = ''] = token.slice(1, -1).split(',');
  return Math.max(1, Number(low), Number(high)) + 1;
}

function unitsOf(token: string): number {
  if (!token.startsWith('[')) return /^\\[pPwWsSdD]/.test(token) ? CLASS_UNITS : 1;
  const classes = token.match(/\\[pP]/g)?.length ?? 0;
  return 1 + token.length / 10 + classes * CLASS_UNITS;
}
