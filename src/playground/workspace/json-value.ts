/** A JSON object whose members are not known yet. */
export type Json = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object, arrays excluded. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is a text, else the empty text. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of an array; empty for what is no array. */
export function toRecords(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The texts of an array; empty for what is no array. */
export function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The object without its undefined members, as JSON would carry it. */
export function compact(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Parses a text as JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a flag as Slack's form bodies carry it: true, 1, "true" or "1". */
export function toFlag(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}
