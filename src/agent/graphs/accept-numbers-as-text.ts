import { mapSchema } from '../../domain/json/inner-schemas.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import { type JsonSchema, readJsonSchema } from '../tools/schema/read-json-schema.ts';

const BOUNDS = ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf'];

/**
 * Lets number types also accept strings, but only if the arguments fit the schema once large numbers
 * that arrived as strings are converted. Converts the schema's own bounds in the same way.
 */
export function acceptNumbersAsText(schema: JsonSchema, args: JsonValue): JsonSchema {
  const bounded = mapSchema(schema, (each) => ({ ...each, ...boundsOf(each) }));
  const text = JSON.stringify(args);
  const numbers: JsonValue = JSON.parse(text, (_key, value: unknown) => toNumber(value));
  const isSame = JSON.stringify(numbers) === text;
  if (isSame || fits(bounded, args) || !fits(bounded, numbers)) return bounded;
  return mapSchema(bounded, ({ type, ...rest }) => {
    const isNumber = type === 'integer' || type === 'number';
    return { ...rest, ...(type !== undefined && { type: isNumber ? [type, 'string'] : type }) };
  });
}

function boundsOf(schema: JsonSchema): JsonSchema {
  const own = BOUNDS.filter((keyword) => Object.hasOwn(schema, keyword));
  return Object.fromEntries(
    own.map((keyword) => [keyword, toNumber(schema[keyword]) as JsonValue]),
  );
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?[0-9]{16,}$/.test(value) ? Number(value) : value;
}

function fits(schema: JsonSchema, args: JsonValue): boolean {
  const reading = readJsonSchema(schema);
  return reading.ok && reading.parse(args).ok;
}
