import type { JsonValue } from './json.ts';

/** Returns a value as JSON carries it, for people to read: sets and maps as lists, and what JSON has no word for as text. Never throws. */
export function toPlainJson(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value, writePart);
    return text === undefined ? String(value) : (JSON.parse(text) as JsonValue);
  } catch {
    // It holds itself, or refuses to be written.
    return Object.prototype.toString.call(value);
  }
}

function writePart(_key: string, part: unknown): unknown {
  if (typeof part === 'bigint') return String(part);
  return part instanceof Set || part instanceof Map ? [...part] : part;
}

/** Returns a text in which halves of characters (lone surrogates), which no store or hash takes, are marked as such. */
export function toWellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
