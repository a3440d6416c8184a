import type { JsonValue } from './json.ts';

/**
 * Converts a value to JSON for people to read. Sets and maps become lists, BigInts become text.
 * Never throws.
 */
export function toPlainJson(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value, writePart);
    return text === undefined ? String(value) : (JSON.parse(text) as JsonValue);
  } catch {
    // Circular, or its `toJSON` throws.
    return Object.prototype.toString.call(value);
  }
}

function writePart(_key: string, part: unknown): unknown {
  if (typeof part === 'bigint') return String(part);
  return part instanceof Set || part instanceof Map ? [...part] : part;
}

/** Replaces lone surrogates by U+FFFD, because stores and hashes do not accept them. */
export function toWellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
