/** A JSON object with unknown members. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object, not an array. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a string value, or the empty string for anything else. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the objects in an array, or an empty array. */
export function toRecords(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** Returns the strings in an array, or an empty array. */
export function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns the object without undefined members, as in JSON. */
export function compact(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Parses JSON. Returns undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a boolean as in Slack's form bodies: true, 1, "true" or "1". */
export function toFlag(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}
