import type { JsonValue } from '../../domain/json.ts';
import { type JsonSchema, readJsonSchema } from '../tools/read-json-schema.ts';

const BOUNDS: ReadonlySet<string> = new Set([
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'multipleOf',
]);
const NUMBERS: ReadonlySet<unknown> = new Set(['integer', 'number']);

/** Returns a schema as one that takes arguments of which large numbers have come as texts, where it is only for that that it would not; its own bounds may have come so, too. */
export function loosenSchema(schema: JsonSchema, args: JsonValue): JsonSchema {
  const bounded = rewrite(schema, (key, value) => (BOUNDS.has(key) ? toNumber(value) : value));
  const numbers = rewrite(args, (_key, value) => toNumber(value));
  if (fits(bounded, args) || !fits(bounded, numbers)) return bounded;
  return rewrite(bounded, (key, value) =>
    key === 'type' && NUMBERS.has(value) ? [value, 'string'] : value,
  );
}

function rewrite<Value extends JsonValue>(
  value: Value,
  write: (key: string, part: unknown) => unknown,
): Value {
  return JSON.parse(JSON.stringify(value), write);
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?[0-9]{16,}$/.test(value) ? Number(value) : value;
}

function fits(schema: JsonSchema, args: JsonValue): boolean {
  const reading = readJsonSchema(schema);
  return reading.ok && reading.parse(args).ok;
}
