/** A model that writes null for an optional field means that the field is absent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { type ArgsSchema, defineTool } from '../../../../src/agent/tools/define-tool.ts';
import { readJsonSchema } from '../../../../src/agent/tools/schema/read-json-schema.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import type { ParsedArgs } from '../../../../src/domain/tools/tool.ts';

const RUNS = 300;

type Parse = (value: JsonValue) => ParsedArgs;

function parserOf(schema: ArgsSchema): Parse {
  const made = defineTool({ name: 'act', description: 'Acts.', schema, run: () => '' });
  if (made.kind !== 'tool') throw new Error(made.reason);
  return made.tool.parse;
}

function jsonOf(zod: z.ZodType): Parse {
  const reading = readJsonSchema(z.toJSONSchema(zod, { io: 'input' }) as never);
  if (!reading.ok) throw new Error(reading.reason);
  return reading.parseOfModel;
}

function readOf(parsed: ParsedArgs): JsonValue {
  return parsed.ok ? parsed.value : parsed.problems.map(({ path }) => path.join('.'));
}

const inner = z.object({ x: z.string().optional(), y: z.number() });
const kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mail'), to: z.string(), cc: z.string().optional() }),
  z.object({ kind: z.literal('call'), number: z.string(), cc: z.string().nullable() }),
]);
const twins = z.union([
  z.strictObject({ a: z.string().optional(), b: z.string() }),
  z.strictObject({ b: z.string(), c: z.string().optional() }),
]);
const tree: z.ZodType = z.object({
  name: z.string(),
  note: z.string().optional(),
  get below() {
    return z.array(tree).optional();
  },
});

/** What a model writes, and the parsed value; a list of paths means that those are refused. */
const CASES: readonly (readonly [what: string, z.ZodType, given: JsonValue, read: JsonValue])[] = [
  ['an optional field', z.object({ a: z.string().optional() }), { a: null }, {}],
  [
    'an optional field that accepts null',
    z.object({ a: z.string().nullish() }),
    { a: null },
    { a: null },
  ],
  ['a required field', z.object({ a: z.string() }), { a: null }, ['a']],
  ['a required field that accepts null', z.object({ a: z.null() }), { a: null }, { a: null }],
  [
    'an optional field that accepts anything',
    z.object({ a: z.unknown().optional() }),
    { a: null },
    { a: null },
  ],
  ['an unknown field in a loose object', z.looseObject({}), { a: null }, { a: null }],
  ['an unknown field in a strict object', z.strictObject({}), { a: null }, ['']],
  ['an optional object', z.object({ a: inner.optional() }), { a: null }, {}],
  ['an optional list', z.object({ a: z.array(z.string()).optional() }), { a: null }, {}],
  ['a nested field', z.object({ a: inner }), { a: { x: null, y: 1 } }, { a: { y: 1 } }],
  ['a nested required field', z.object({ a: inner }), { a: { x: null, y: null } }, ['a.y']],
  [
    'a field of the items of a list',
    z.object({ a: z.array(inner) }),
    { a: [{ x: null, y: 1 }, { y: 2 }] },
    { a: [{ y: 1 }, { y: 2 }] },
  ],
  ['an item of a list', z.object({ a: z.array(z.string()) }), { a: [null] }, ['a.0']],
  [
    'a field of a tuple',
    z.object({ a: z.tuple([inner, z.string()]) }),
    { a: [{ x: null, y: 1 }, 'b'] },
    { a: [{ y: 1 }, 'b'] },
  ],
  [
    'a field of the values of a record',
    z.object({ a: z.record(z.string(), inner) }),
    { a: { k: { x: null, y: 1 } } },
    { a: { k: { y: 1 } } },
  ],
  [
    'a value of a record',
    z.object({ a: z.record(z.string(), z.string()) }),
    { a: { k: null } },
    ['a.k'],
  ],
  [
    'a field of a union branch',
    kinds,
    { kind: 'mail', to: 'a', cc: null },
    { kind: 'mail', to: 'a' },
  ],
  [
    'a field that accepts null in its branch',
    kinds,
    { kind: 'call', number: '1', cc: null },
    { kind: 'call', number: '1', cc: null },
  ],
  [
    'a nested field of a union branch',
    z.object({ a: z.array(kinds) }),
    { a: [{ kind: 'mail', to: 'a', cc: null }] },
    { a: [{ kind: 'mail', to: 'a' }] },
  ],
  ['a field of one of two similar branches', twins, { a: null, b: 'x' }, { b: 'x' }],
  [
    'a field of a tree',
    z.object({ t: tree }),
    { t: { name: 'a', note: null, below: [{ name: 'b', note: null, below: null }] } },
    { t: { name: 'a', below: [{ name: 'b' }] } },
  ],
  [
    'a field of joined objects',
    z.object({ a: z.intersection(inner, z.object({ z: z.string().optional() })) }),
    { a: { x: null, y: 1, z: null } },
    { a: { y: 1 } },
  ],
  [
    'beside another mistake',
    z.object({ a: z.string().optional(), b: z.number() }),
    { a: null, b: 'x' },
    ['b'],
  ],
];

describe('null for an optional field that does not accept null means that it is absent', () => {
  for (const [what, zod, given, read] of CASES) {
    it(`${what}, by zod and by JSON Schema`, () => {
      assert.deepEqual(readOf(parserOf(zod)(given)), read);
      const byJson = jsonOf(zod)(given);
      if (!Array.isArray(read)) assert.deepEqual(readOf(byJson), read);
      else assert.equal(byJson.ok, false);
    });
  }

  it('and its default applies', () => {
    const schema = z.object({
      a: z.number().default(5),
      b: z.object({ c: z.string().default('x') }),
    });
    assert.deepEqual(readOf(parserOf(schema)({ a: null, b: { c: null } })), {
      a: 5,
      b: { c: 'x' },
    });
    assert.deepEqual(readOf(parserOf(z.object({ a: z.coerce.number().default(5) }))({ a: null })), {
      a: 5,
    });
  });

  it('in zod 3 as well', () => {
    const schema = z3.object({
      a: z3.string().optional(),
      b: z3.array(z3.object({ c: z3.number().default(1), d: z3.string().nullish() })),
      e: z3
        .union([z3.object({ f: z3.string().optional(), g: z3.number() }), z3.string()])
        .optional(),
    });
    const parse = parserOf(schema);
    assert.deepEqual(readOf(parse({ a: null, b: [{ c: null, d: null }], e: { f: null, g: 1 } })), {
      b: [{ c: 1, d: null }],
      e: { g: 1 },
    });
    assert.deepEqual(readOf(parse({ a: null, b: [], e: null })), { b: [] });
    assert.deepEqual(readOf(parse({ b: null })), ['b']);
  });

  it('nothing is dropped if two union branches would parse to different values', () => {
    const either = {
      type: 'object',
      properties: {
        v: {
          anyOf: [
            {
              type: 'object',
              properties: { a: { type: 'string' }, b: { type: ['string', 'null'] } },
            },
            {
              type: 'object',
              properties: { a: { type: ['string', 'null'] }, b: { type: 'string' } },
            },
          ],
        },
      },
    } as const;
    const reading = readJsonSchema(either);
    assert.ok(reading.ok);
    assert.equal(reading.parseOfModel({ v: { a: null, b: null } }).ok, false);
    assert.deepEqual(readOf(reading.parseOfModel({ v: { a: null } })), { v: { a: null } });
  });

  it('but the arguments of an external program are read as they are', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const reading = readJsonSchema(schema);
    assert.ok(reading.ok);
    assert.equal(reading.parse({ a: null }).ok, false);
  });
});

/** A schema with valid values, and the same values with nulls for absent optional fields. */
interface Sample {
  readonly schema: z.ZodType;
  readonly without: fc.Arbitrary<JsonValue>;
}

const leaf: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
  { schema: z.string(), without: fc.string() },
  { schema: z.number(), without: fc.integer() },
  { schema: z.boolean(), without: fc.boolean() },
  { schema: z.enum(['a', 'b']), without: fc.constantFrom('a', 'b') },
  { schema: z.string().nullable(), without: fc.constantFrom(null, 'x') },
);
const FIELDS = ['p', 'q', 'r'] as const;
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    tie('sample').map((item) => ({
      schema: z.array(item.schema),
      without: fc.array(item.without, { maxLength: 3 }),
    })),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...FIELDS), tie('sample'), fc.boolean()), {
        selector: ([name]) => name,
        maxLength: 3,
      })
      .map((fields) => ({
        schema: z.object(
          Object.fromEntries(
            fields.map(([name, { schema }, mayLack]) => [
              name,
              mayLack ? schema.optional() : schema,
            ]),
          ),
        ),
        without: fc.record<Record<string, JsonValue>>(
          Object.fromEntries(fields.map(([name, { without }]) => [name, without])),
          {
            requiredKeys: fields.flatMap(([name, , mayLack]) => (mayLack ? [] : [name])),
            noNullPrototype: true,
          },
        ),
      })),
  ),
}));

/** Fields that may be absent: the model writes null for them, and the schema accepts no null. */
function withNulls(schema: z.ZodType, value: JsonValue): JsonValue {
  const own = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (own instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withNulls(own.element as z.ZodType, item));
  }
  if (!(own instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const given = value as { readonly [key: string]: JsonValue };
  return Object.fromEntries(
    Object.entries(own.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
      if (Object.hasOwn(given, key)) return [[key, withNulls(field, given[key] ?? null)]];
      return field.safeParse(null).success ? [] : [[key, null]];
    }),
  );
}

it('for every schema: arguments with nulls for absent fields equal those without, and others do not change', () => {
  fc.assert(
    fc.property(
      sample.chain(({ schema, without }) => fc.tuple(fc.constant(schema), without)),
      ([field, value]) => {
        const schema = z.object({ field: field.optional() });
        const args = { field: value };
        const nulls = withNulls(schema, args);
        for (const parse of [parserOf(schema), jsonOf(schema)]) {
          const plain = parse(args);
          assert.ok(plain.ok);
          const read = parse(nulls);
          assert.deepEqual(read, plain);
          assert.deepEqual(read.ok && parse(read.value), plain);
        }
      },
    ),
    { numRuns: RUNS },
  );
});
