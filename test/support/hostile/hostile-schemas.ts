/** Schemas and arguments made to block the app, each within the limits of a request. */
import type { JsonSchema } from '../../../src/agent/tools/schema/read-json-schema.ts';
import { HOSTILE_PATTERNS, type HostileSchema, named, times } from './hostile-patterns.ts';

/** Nested levels, each with several ways to the next. */
function fanOut(levels: number, make: (next: JsonSchema) => JsonSchema): JsonSchema {
  const $defs = Object.fromEntries(
    times(levels, (i) => [`d${i}`, make({ $ref: `#/$defs/d${i + 1}` })]),
  );
  return { type: 'object', $defs: { ...$defs, [`d${levels}`]: { type: 'number' } } };
}

function nested(depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  return times(depth, (i) => i).reduce<JsonSchema>(wrap, { type: 'string' });
}

const names = times(5_000, (i) => `n${i}`);
const NUMBERS = times(9_000, (i) => i % 10);
const SELF = { $ref: '#' };

export const HOSTILE_SCHEMAS: readonly HostileSchema[] = [
  {
    name: 'thousands of names that one property needs',
    schema: { type: 'object', dependentRequired: { a: names } },
    args: { a: 1 },
  },
  {
    name: 'thousands of required names',
    schema: { type: 'object', required: names },
    args: Object.fromEntries(names.map((name) => [name, 1])),
  },
  {
    name: 'thousands of properties',
    schema: { type: 'object', properties: named(2_400, () => ({ type: 'string' })) },
    args: named(2_400, () => 'x'),
  },
  {
    name: 'thousands of properties with values of several kinds',
    schema: {
      type: 'object',
      properties: named(1_200, () => ({ type: ['string', 'number', 'object'] })),
    },
    args: named(1_200, () => ({})),
  },
  {
    name: 'thousands of arguments that the schema does not name',
    schema: { type: 'object', properties: { a: { type: 'string' } } },
    args: named(9_000, () => 1),
  },
  {
    name: 'thousands of kinds of an argument',
    schema: {
      type: 'object',
      properties: { a: { oneOf: times(1_700, (i) => ({ minimum: i, maximum: i })) } },
    },
    args: { a: 5_000 },
  },
  {
    name: 'kinds of each item of a long list',
    schema: {
      type: 'object',
      properties: { a: { items: { anyOf: times(1_500, (i) => ({ const: `c${i}` })) } } },
    },
    args: { a: NUMBERS },
  },
  {
    name: 'kinds within kinds',
    schema: {
      ...fanOut(3, (next) => ({ oneOf: times(16, (i) => ({ ...next, title: `k${i}` })) })),
      properties: { a: { $ref: '#/$defs/d0' } },
    },
    args: { a: 'x' },
  },
  {
    name: 'references that fan out',
    schema: {
      ...fanOut(20, (next) => ({ anyOf: times(8, () => next) })),
      properties: { a: { $ref: '#/$defs/d0' } },
    },
    args: { a: 'x' },
  },
  {
    name: 'references that fan out below a property with the name of data',
    schema: {
      ...fanOut(20, (next) => ({ properties: { default: { anyOf: times(8, () => next) } } })),
      properties: { default: { $ref: '#/$defs/d0' } },
    },
    args: { default: { default: { default: {} } } },
  },
  {
    name: 'a long reference that is followed often',
    schema: {
      type: 'object',
      properties: named(400, () => ({ anyOf: times(3, () => ({ $ref: '#/$defs/a' })) })),
      $defs: {
        a: { $ref: `#${'/$defs/b/..'.repeat(0)}/$defs/${'x'.repeat(15_000)}` },
        ['x'.repeat(15_000)]: { type: 'string' },
      },
    },
    args: named(400, () => 'x'),
  },
  {
    name: 'a schema that is in itself in many ways',
    schema: {
      $defs: {
        n: {
          type: 'object',
          required: ['z'],
          properties: { a: { anyOf: times(8, () => ({ $ref: '#/$defs/n' })) } },
        },
      },
      anyOf: times(8, () => ({ $ref: '#/$defs/n' })),
      type: 'object',
    },
    args: { a: { a: { a: { a: { a: { a: { a: { a: {} } } } } } } } },
  },
  {
    name: 'a reference to itself',
    schema: { type: 'object', allOf: [SELF] },
    args: {},
  },
  {
    name: 'schemas in schemas, as deep as may be',
    schema: {
      type: 'object',
      properties: { a: nested(14, (inner) => ({ not: { anyOf: [inner] } })) },
    },
    args: { a: 'x' },
  },
  {
    name: 'lists whose items have to differ',
    schema: { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
    args: { a: times(4_500, (i) => [i]) },
  },
  {
    name: 'items of which one has to fit',
    schema: {
      type: 'object',
      properties: { a: { allOf: times(1_000, (i) => ({ contains: { const: `c${i}` } })) } },
    },
    args: { a: NUMBERS },
  },
  {
    name: 'an enum of thousands, and a list of thousands of its values',
    schema: {
      type: 'object',
      properties: { a: { type: 'array', items: { enum: times(10_000, (i) => i) } } },
    },
    args: { a: times(9_000, (i) => i) },
  },
  {
    name: 'an enum of thousands of values',
    schema: { type: 'object', properties: { a: { enum: times(10_000, (i) => i) } } },
    args: { a: 9_999 },
  },
  {
    name: 'an enum of large values in a list of others',
    schema: {
      type: 'object',
      properties: {
        a: {
          items: { anyOf: [{ enum: times(20, () => ({ k: 'x'.repeat(2_500) })) }, { not: {} }] },
        },
      },
    },
    args: { a: NUMBERS },
  },
  ...HOSTILE_PATTERNS,
  {
    name: 'tiny steps between numbers',
    schema: {
      type: 'object',
      properties: { a: { items: { allOf: times(2_000, () => ({ multipleOf: 1e-300 })) } } },
    },
    args: { a: NUMBERS },
  },
  {
    name: 'what nothing else has looked at, again and again',
    schema: {
      type: 'object',
      allOf: times(900, () => ({ properties: { a: {} }, unevaluatedProperties: {} })),
    },
    args: named(9_000, () => 1),
  },
  {
    name: 'joined schemas with many properties',
    schema: {
      type: 'object',
      allOf: times(1_300, (i) => ({ properties: { [`k${i}`]: {} }, required: [`k${i}`] })),
    },
    args: named(1_500, () => 1),
  },
  {
    name: 'secrets in thousands of places',
    schema: {
      type: 'object',
      properties: named(1_400, () => ({ type: 'string', writeOnly: true })),
    },
    args: named(9_000, () => 'x'),
  },
  {
    name: 'secrets in each kind of a list of a list',
    schema: {
      type: 'object',
      properties: {
        a: nested(9, (inner) => ({
          properties: { a: inner, b: { secret: true } },
          additionalProperties: inner,
        })),
      },
    },
    args: { a: { a: { a: { a: { b: 'x', c: named(3_000, () => 'y') } } } } },
  },
  {
    name: 'words that are no keywords',
    schema: { type: 'object', properties: named(1_500, (i) => ({ [`requird${i}abc`]: 1 })) },
    args: { k1: 1 },
  },
  {
    name: 'a list of lists',
    schema: { type: 'object', properties: { a: { type: 'array' } } },
    args: { a: times(9_000, () => []) },
  },
  {
    name: 'entries of records in records',
    schema: {
      type: 'object',
      properties: {
        a: {
          additionalProperties: {
            additionalProperties: { additionalProperties: { type: 'string' } },
          },
        },
      },
    },
    args: { a: named(40, () => named(25, () => named(8, () => 'x'))) },
  },
  {
    name: 'groups in groups',
    schema: {
      type: 'object',
      $defs: {
        g: {
          type: 'object',
          properties: named(12, () => ({
            type: 'object',
            properties: named(12, () => ({
              type: 'object',
              properties: named(12, () => ({ type: 'string' })),
            })),
          })),
        },
      },
      properties: { a: { $ref: '#/$defs/g' } },
    },
    args: { a: named(12, () => named(12, () => named(12, () => 'x'))) },
  },
];
