/**
 * Verdicts and messages equal those of Ajv, the best-known validator.
 * Unevaluated keywords are left out, because Ajv is sometimes wrong there.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import {
  type JsonSchema,
  readJsonSchema,
} from '../../../../src/agent/tools/schema/read-json-schema.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

const RUNS = 400;

const word = fc.constantFrom('a', 'b', 'c', 'aa', 'a@b.de', '2020-01-01', '');
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 10);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    word,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const small = fc.integer({ min: 0, max: 3 });
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 });
const key = fc.constantFrom('a', 'b', 'c');
const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const schemas = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(key, tie('schema'), { maxKeys: 3, noNullPrototype: true });
  const fields: readonly fc.Arbitrary<JsonSchema>[] = [
    fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
    fc.record({ const: value }),
    fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ maximum: number, exclusiveMinimum: number }, { requiredKeys: [] }),
    fc.record({ minimum: number, exclusiveMaximum: number }, { requiredKeys: [] }),
    fc.record({ multipleOf: fc.constantFrom(0.5, 1, 3) }),
    fc.record({ minLength: small, maxLength: small }, { requiredKeys: [] }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$', '[ac]+', '^$') }),
    fc.record({ format: fc.constantFrom('email', 'date', 'uri', 'unheard-of') }),
    fc.record(
      { minItems: small, maxItems: small, uniqueItems: fc.boolean() },
      { requiredKeys: [] },
    ),
    fc.record({ prefixItems: schemas, items: tie('schema') }, { requiredKeys: [] }),
    fc.record(
      { contains: tie('schema'), minContains: small, maxContains: small },
      { requiredKeys: ['contains'] },
    ),
    fc.record(
      { minProperties: small, maxProperties: small, required: names },
      { requiredKeys: [] },
    ),
    fc.record({
      dependentRequired: fc.dictionary(key, names, { maxKeys: 2, noNullPrototype: true }),
    }),
    fc.record({ propertyNames: tie('schema') }),
    fc.record(
      {
        properties: named,
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        additionalProperties: tie('schema'),
      },
      { requiredKeys: [] },
    ),
    fc.record({ dependentSchemas: named }),
    fc.record({ not: tie('schema') }),
    fc.record({ anyOf: schemas }),
    fc.record({ oneOf: schemas }),
    fc.record({ allOf: schemas }),
    fc.record(
      // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword.
      { if: tie('schema'), then: tie('schema'), else: tie('schema') },
      { requiredKeys: ['if'] },
    ),
    fc.record({ $ref: fc.constantFrom('#/$defs/a', '#/$defs/b') }),
  ];
  return {
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.boolean(),
      fc.oneof(...fields),
      fc
        .tuple(fc.oneof(...fields), fc.oneof(...fields))
        .map(([one, other]) => ({ ...one, ...other })),
    ),
  };
});

const $defs = {
  a: { type: ['string', 'null'] },
  b: { properties: { a: { $ref: '#/$defs/a' } }, required: ['b'] },
};

/** Ajv 8.20 accepts an empty list for `contains` beside `prefixItems`. */
function meetsItsBug(given: JsonValue): boolean {
  const text = JSON.stringify(given);
  return text.includes('"contains"') && text.includes('"prefixItems"');
}

/** One keyword at a time, so that only one thing can be wrong. */
function isAlone(given: JsonValue): given is JsonSchema {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return Object.keys(given).length === 1;
}

const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
formats.default(ajv);

describe('the schema interpreter', () => {
  it('gives the same verdict as Ajv for every schema and value', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (given, values) => {
        if (meetsItsBug(given)) return;
        const whole = { $defs, properties: { x: given } };
        const reading = readJsonSchema(whole);
        assert.ok(reading.ok, reading.ok ? '' : reading.reason);
        const validate = ajv.compile(whole);
        for (const x of values) {
          const read = reading.parse({ x });
          assert.equal(read.ok, validate({ x }), JSON.stringify({ given, x }));
          // The value is the input, and its text is canonical.
          if (read.ok) assert.deepEqual(read.value, { x });
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('rejects an empty list for `contains`', () => {
    const x = { contains: {}, prefixItems: [{ type: 'number' }] };
    const reading = readJsonSchema({ properties: { x } });
    assert.ok(reading.ok);
    assert.equal(reading.parse({ x: [] }).ok, false);
    assert.equal(reading.parse({ x: [1] }).ok, true);
  });

  it('reports the same problem as Ajv at the same place if one thing is wrong', () => {
    fc.assert(
      fc.property(schema.filter(isAlone), value, (given, x) => {
        const whole = { $defs, properties: { x: given } };
        const reading = readJsonSchema(whole);
        const validate = ajv.compile(whole);
        const read = reading.ok ? reading.parse({ x }) : undefined;
        const [wrong, ...more] = validate({ x }) ? [] : (validate.errors ?? []);
        // We report one item too many; Ajv reports that no schema allows it.
        if (JSON.stringify(given).includes('"items":false')) return;
        const known = read?.ok === false ? read.problems : [];
        if (!wrong || more.length > 0 || known.length !== 1) return;
        const [problem] = known;
        const path = wrong.instancePath.split('/').slice(1);
        if (wrong.keyword === 'required') {
          assert.equal(problem?.message, 'is missing');
          assert.deepEqual(problem?.path, [...path, wrong.params.missingProperty]);
        } else {
          // Which of two equal items is named first depends on how Ajv compares them.
          const said = wrong.message?.replace(/ \(items ## .*/, '') ?? '?';
          assert.ok(problem?.message.startsWith(said), `${problem?.message} ${wrong.message}`);
          assert.deepEqual(problem?.path, path);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
