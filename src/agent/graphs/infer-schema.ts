import type { JsonValue } from '../../domain/json/json.ts';
import type { JsonSchema } from '../tools/schema/read-json-schema.ts';

/** Infers a schema from the arguments if a graph gives none, so that edits keep the types. */
export function inferSchema(args: { readonly [key: string]: JsonValue }): JsonSchema {
  const entries = Object.entries(args).map(([key, value]) => [key, infer(value)]);
  return { type: 'object', properties: Object.fromEntries(entries) };
}

function infer(value: JsonValue): JsonSchema {
  if (value === null) return {};
  if (Array.isArray(value)) {
    const isTexts = value.length > 0 && value.every((item) => typeof item === 'string');
    return { type: 'array', ...(isTexts && { items: { type: 'string' } }) };
  }
  if (typeof value === 'object') return inferSchema(value as { readonly [key: string]: JsonValue });
  return { type: typeof value };
}
