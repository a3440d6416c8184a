import canonicalize from 'canonicalize';

/** A value that JSON carries without loss. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Returns whether a value is a JSON object, and no list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the items of a list; empty for anything else. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Parses stored JSON. Text that is not JSON (tampered with) is returned unchanged, as a string. */
export function readStoredJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

/** Returns the canonical JSON of a value (RFC 8785). Throws if JSON can't represent it. */
export function canonicalJson(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined)
    throw new TypeError('JSON cannot represent this value: undefined, or a function.');
  return text;
}
