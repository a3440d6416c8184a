/** The values of secret arguments as texts to look for, and the ways in which they are written elsewhere. */

import type { JsonValue } from '../json/json.ts';
import { toWellFormed } from '../json/to-plain-json.ts';
import type { SearchText } from '../text/text-finder.ts';
import { isSecretPath } from './secret-paths.ts';

/** Shorter secrets can't be looked for without tearing words apart; their own field stays masked. */
const MIN_SECRET = 4;
/** Other ways of writing are looked for only of secrets up to this length, and up to so many characters in all: nothing must take long. */
const MAX_REWRITTEN = 10_000;
const MAX_REWRITTEN_SUM = 60_000;

/** A value that holds no others, and where it stands. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: string | number | boolean | null;
}

/** Lists the values that hold no others. */
function leavesOf(value: JsonValue, path: Leaf['path'] = []): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]: [string, JsonValue]) =>
    leavesOf(each, [...path, isList ? Number(key) : key]),
  );
}

/** Lists the texts at the secret paths of arguments: as they are, as JSON writes them, line by line as a difference shows them, percent-encoded and in Base64. */
export function secretTextsAt(
  args: readonly JsonValue[],
  paths: readonly string[],
): readonly SearchText[] {
  const secrets = [...new Set(args.flatMap((each) => valuesAt(each, paths)))];
  const found = new Map<string, SearchText>();
  const add = (text: string, owner: string) => {
    if (text.length >= MIN_SECRET && !found.has(text)) found.set(text, { text, owner });
  };
  for (const owner of secrets) {
    add(owner, owner);
    add(inJson(owner), owner);
  }
  for (const { text, owner } of rewritten(secrets)) add(text, owner);
  return [...found.values()];
}

/** Other ways of writing secrets, as many as there is time for. */
function rewritten(secrets: readonly string[]): readonly SearchText[] {
  const short = secrets.filter(({ length }) => length <= MAX_REWRITTEN);
  const found: SearchText[] = [];
  let left = MAX_REWRITTEN_SUM;
  for (const waysOf of [plainWays, encodedWays]) {
    for (const owner of short) {
      const ways = waysOf(owner);
      left -= ways.reduce((sum, { length }) => sum + length, 0);
      if (left < 0) return found;
      found.push(...ways.map((text) => ({ text, owner })));
    }
  }
  return found;
}

/** Lists the values at the secret paths that are too short to be among those texts. */
export function shortSecretValuesAt(
  args: readonly JsonValue[],
  paths: readonly string[],
): readonly string[] {
  const all = args.flatMap((each) => allValuesAt(each, paths));
  return [...new Set(all.filter(({ length }) => length > 0 && length < MIN_SECRET))];
}

function valuesAt(args: JsonValue, paths: readonly string[]): readonly string[] {
  return allValuesAt(args, paths).filter(({ length }) => length >= MIN_SECRET);
}

function allValuesAt(args: JsonValue, paths: readonly string[]): readonly string[] {
  return leavesOf(args)
    .filter(({ path, value }) => {
      const isText = typeof value === 'string' || typeof value === 'number';
      return isText && isSecretPath(path, paths);
    })
    .map(({ value }) => String(value));
}

function plainWays(secret: string): readonly string[] {
  // JSON may hold a text that is JSON itself.
  const twice = inJson(inJson(secret));
  const lines = secret.includes('\n') ? secret.split('\n').map((line) => line.trim()) : [];
  return [...(twice === secret ? [] : [twice]), ...lines];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function encodedWays(secret: string): readonly string[] {
  const percent = encodeURIComponent(toWellFormed(secret));
  const lower = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = percent.replaceAll('%20', '+');
  const base64 = [0, 1, 2].map((before) => inBase64(secret, before));
  const forUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([percent, lower, form, ...base64, ...forUrls])].filter(
    (text) => text !== secret,
  );
}

/** The characters of Base64 that a secret alone decides, with so many bytes before it (modulo 3): also in “user:password”. */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const isWhole = bytes.length % 3 === 0;
  return text.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
}
