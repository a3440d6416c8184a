/** A JSON object of which nothing is known yet. */
export type Payload = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object. */
export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object under a key; an empty one when there is none. */
export function objectAt(payload: Payload, key: string): Payload {
  const value = payload[key];
  return isPayload(value) ? value : {};
}

/** Returns the text under a key; undefined when there is none, or an empty one. */
export function textAt(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the objects of the list under a key. */
export function listAt(payload: Payload, key: string): readonly Payload[] {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isPayload) : [];
}
