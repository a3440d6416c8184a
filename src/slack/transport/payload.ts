/** A JSON object whose fields are not yet validated. */
export type Payload = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object. */
export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object under a key, or an empty object. */
export function objectAt(payload: Payload, key: string): Payload {
  const value = payload[key];
  return isPayload(value) ? value : {};
}

/** Returns the text under a key; undefined if it is absent or empty. */
export function textAt(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the objects of the list under a key, or an empty list. */
export function listAt(payload: Payload, key: string): readonly Payload[] {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isPayload) : [];
}
