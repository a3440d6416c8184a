/**
 * The only parser for argument text. `JSON.parse` keeps the last of two equal keys and rounds long
 * numbers. A person could then approve another value than the one written.
 */
import type { JsonValue } from './json.ts';

/** The parsed value, or why and where the text is rejected (line and column count from 1). */
export type StrictJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string; readonly line: number; readonly column: number };

/** Maximum size in bytes, nesting depth, and number of names and values. */
export interface JsonLimits {
  readonly bytes: number;
  readonly depth: number;
  readonly values: number;
}

const LIMITS: JsonLimits = { bytes: 256 * 1_024, depth: 32, values: 3_000 };
/** Limits for schemas and what contains them: nobody reads those value by value. */
export const SCHEMA_LIMITS: JsonLimits = { ...LIMITS, values: 20_000 };
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_TEXT = /[^"\\\p{Cc}\p{Surrogate}]+/uy;
const HEX = /[0-9a-fA-F]{4}/y;
const WORDS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Parses strict RFC 8259 text within limits (default: 256 KB, 32 levels, 3,000 names and values).
 * Never throws. Rejects repeated keys, numbers that lose digits, lone surrogates and a `__proto__`
 * key. Reads `-0` as 0, as canonical JSON writes it.
 */
export function parseStrictJson(text: string, limits = LIMITS): StrictJson {
  if (Buffer.byteLength(text) > limits.bytes) {
    const reason = `The JSON is larger than ${limits.bytes / 1_024} KB.`;
    return { ok: false, reason, line: 1, column: 1 };
  }
  const reader: Reader = { text, at: 0, depth: 0, values: 0, limits };
  try {
    if (text.startsWith('\uFEFF')) failParsing(reader, 'The JSON begins with a byte order mark.');
    skipSpace(reader);
    if (reader.at === text.length) failParsing(reader, 'There is no JSON: the text is empty.');
    const value = readValue(reader);
    skipSpace(reader);
    if (reader.at < text.length)
      failParsing(reader, 'There is more text after the end of the JSON.');
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return { ok: false, reason: error.message, ...placeIn(text, error.at) };
  }
}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
  values: number;
  readonly limits: JsonLimits;
}

class ParseFailure extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

function failParsing(reader: Reader, reason: string, at = reader.at): never {
  throw new ParseFailure(reason, at);
}

function placeIn(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function skipSpace(reader: Reader): void {
  while (' \t\n\r'.includes(reader.text.charAt(reader.at)) && reader.at < reader.text.length) {
    reader.at += 1;
  }
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const [match] = pattern.exec(reader.text) ?? [];
  reader.at += match?.length ?? 0;
  return match;
}

function takeMark(reader: Reader, mark: string): boolean {
  if (reader.text.charAt(reader.at) !== mark) return false;
  reader.at += 1;
  return true;
}

/** Describes the character at the current position, or the end of the text. */
function found(reader: Reader): string {
  const code = reader.text.codePointAt(reader.at);
  if (code === undefined) return 'the text ends; it may have been cut off';
  const isControl = code < 0x20 || code === 0x7f;
  return `found ${isControl ? 'a control character' : JSON.stringify(String.fromCodePoint(code))}`;
}

function countOne(reader: Reader): void {
  reader.values += 1;
  const { values } = reader.limits;
  if (reader.values <= values) return;
  failParsing(
    reader,
    `The JSON holds more than ${values.toLocaleString('en-US')} names and values.`,
  );
}

function readValue(reader: Reader): JsonValue {
  countOne(reader);
  const mark = reader.text.charAt(reader.at);
  if (mark === '"') return readString(reader);
  if (mark === '{') return nested(reader, readObject);
  if (mark === '[') return nested(reader, readArray);
  for (const [word, value] of WORDS) {
    if (!reader.text.startsWith(word, reader.at)) continue;
    reader.at += word.length;
    return value;
  }
  return readNumber(reader);
}

function nested(reader: Reader, read: (reader: Reader) => JsonValue): JsonValue {
  reader.depth += 1;
  const { depth } = reader.limits;
  if (reader.depth > depth)
    failParsing(reader, `The JSON is nested more than ${depth} levels deep.`);
  reader.at += 1;
  const value = read(reader);
  reader.depth -= 1;
  return value;
}

function readArray(reader: Reader): JsonValue {
  const items: JsonValue[] = [];
  skipSpace(reader);
  if (takeMark(reader, ']')) return items;
  for (;;) {
    skipSpace(reader);
    items.push(readValue(reader));
    skipSpace(reader);
    if (takeMark(reader, ']')) return items;
    if (!takeMark(reader, ','))
      failParsing(reader, `Expected "," or "]" in a list: ${found(reader)}.`);
  }
}

function readObject(reader: Reader): JsonValue {
  const entries: { [key: string]: JsonValue } = {};
  skipSpace(reader);
  if (takeMark(reader, '}')) return entries;
  for (;;) {
    skipSpace(reader);
    const key = readKey(reader, entries);
    skipSpace(reader);
    if (!takeMark(reader, ':')) {
      failParsing(reader, `Expected ":" after the key ${quote(key)}: ${found(reader)}.`);
    }
    skipSpace(reader);
    entries[key] = readValue(reader);
    skipSpace(reader);
    if (takeMark(reader, '}')) return entries;
    if (!takeMark(reader, ',')) {
      failParsing(reader, `Expected "," or "}" in an object: ${found(reader)}.`);
    }
  }
}

function readKey(reader: Reader, entries: { readonly [key: string]: JsonValue }): string {
  const start = reader.at;
  countOne(reader);
  if (reader.text.charAt(start) !== '"') {
    failParsing(reader, `Expected a key in double quotes: ${found(reader)}.`);
  }
  const key = readString(reader);
  if (key === '__proto__') failParsing(reader, 'The key "__proto__" is not allowed.', start);
  if (Object.hasOwn(entries, key)) {
    failParsing(reader, `The key ${quote(key)} appears twice in one object.`, start);
  }
  return key;
}

function readString(reader: Reader): string {
  const start = reader.at;
  reader.at += 1;
  const parts: string[] = [];
  while (!takeMark(reader, '"')) parts.push(readStringPart(reader, start));
  const value = parts.join('');
  if (/\p{Surrogate}/u.test(value)) {
    failParsing(reader, 'A string holds half of a character (a lone surrogate).', start);
  }
  return value;
}

function readStringPart(reader: Reader, start: number): string {
  const plain = take(reader, PLAIN_TEXT);
  if (plain !== undefined) return plain;
  if (takeMark(reader, '\\')) return readEscape(reader);
  const code = reader.text.charCodeAt(reader.at);
  if (Number.isNaN(code)) {
    failParsing(reader, 'A string has no closing quote; the text may have been cut off.', start);
  }
  if (code < 0x20) {
    failParsing(
      reader,
      'A string holds a raw line break or control character; write it as an escape.',
    );
  }
  reader.at += 1;
  return String.fromCharCode(code);
}

function readEscape(reader: Reader): string {
  const mark = reader.text.charAt(reader.at);
  const known = mark === '' ? undefined : ESCAPES[mark];
  if (known === undefined && mark !== 'u') {
    failParsing(reader, `"\\${mark}" is not a JSON escape.`, reader.at - 1);
  }
  reader.at += 1;
  if (known !== undefined) return known;
  const hex = take(reader, HEX);
  if (hex === undefined) failParsing(reader, 'Four hexadecimal digits must follow "\\u".');
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function readNumber(reader: Reader): number {
  const start = reader.at;
  const text = take(reader, NUMBER);
  if (text === undefined) failParsing(reader, `Expected a JSON value: ${found(reader)}.`);
  if (/[0-9.eE+-]/.test(reader.text.charAt(reader.at))) {
    failParsing(reader, 'A number is not written in JSON syntax.', start);
  }
  const value = Number(text);
  if (!Number.isFinite(value) || decimalOf(text) !== decimalOf(String(value))) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    failParsing(reader, `The number ${shown} would lose digits; pass it as a string.`, start);
  }
  return value === 0 ? 0 : value;
}

/** Normalizes a decimal number, so that equal values have equal texts. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${mantissa.startsWith('-') ? '-' : ''}${significant}e${power}`;
}

function quote(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
}
