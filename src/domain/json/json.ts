import canonicalize from 'canonicalize';

/** A value that JSON carries without loss. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

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
