/** The values of secret arguments as search texts, with their other encodings. */

import type { JsonValue } from '../json/json.ts';
import { toWellFormed } from '../json/to-plain-json.ts';
import type { SearchText } from '../text/text-finder.ts';
import { isSecretPath } from './secret-paths.ts';

/** Searching for shorter secrets would break ordinary words. Their own field stays masked. */
const MIN_SECRET = 4;
/**
 * Limits on secrets that are also searched in other encodings: length of each, and total
 * characters.
 */
const MAX_ENCODED = 10_000;
const MAX_ENCODED_SUM = 60_000;

/** A primitive value and its path. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: string | number | boolean | null;
}

/** Lists the primitive values. */
function leavesOf(value: JsonValue, path: Leaf['path'] = []): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]: [string, JsonValue]) =>
    leavesOf(each, [...path, isList ? Number(key) : key]),
  );
}

/**
 * Lists the texts of secret arguments: plain, JSON-escaped, line by line, percent-encoded and
 * Base64.
 */
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
  for (const { text, owner } of otherEncodings(secrets)) add(text, owner);
  return [...found.values()];
}

/** Returns other encodings of the secrets, up to the total limit. */
function otherEncodings(secrets: readonly string[]): readonly SearchText[] {
  const short = secrets.filter(({ length }) => length <= MAX_ENCODED);
  const found: SearchText[] = [];
  let remaining = MAX_ENCODED_SUM;
  for (const encodingsOf of [plainEncodings, wireEncodings]) {
    for (const owner of short) {
      const encodings = encodingsOf(owner);
      remaining -= encodings.reduce((sum, { length }) => sum + length, 0);
      if (remaining < 0) return found;
      found.push(...encodings.map((text) => ({ text, owner })));
    }
  }
  return found;
}

/** Lists the secret values that are too short to search for. */
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

function plainEncodings(secret: string): readonly string[] {
  // JSON may contain JSON as a string.
  const twice = inJson(inJson(secret));
  const lines = secret.includes('\n') ? secret.split('\n').map((line) => line.trim()) : [];
  return [...(twice === secret ? [] : [twice]), ...lines];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function wireEncodings(secret: string): readonly string[] {
  const percent = encodeURIComponent(toWellFormed(secret));
  const lower = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = percent.replaceAll('%20', '+');
  const base64 = [0, 1, 2].map((before) => inBase64(secret, before));
  const forUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([percent, lower, form, ...base64, ...forUrls])].filter(
    (text) => text !== secret,
  );
}

/**
 * Base64 of a secret with `before` bytes (modulo 3) in front, without the characters that they
 * affect. Finds it in “user:password” too.
 */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const isWhole = bytes.length % 3 === 0;
  return text.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
}
