import canonicalize from 'canonicalize';

/** A value that JSON carries without loss. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Reads stored JSON; a text that is none, since somebody changed it, is returned as it is. */
export function readStoredJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

/** Returns the one JSON text of a value (RFC 8785); throws for what JSON can't carry. */
export function canonicalJson(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined)
    throw new TypeError('The value has no JSON text: undefined, or a function.');
  return text;
}
