/** Everything in a schema is understood, or the keyword is named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type JsonSchema,
  readJsonSchema,
} from '../../../../src/agent/tools/schema/read-json-schema.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

function reasonOf(schema: JsonSchema): string {
  const reading = readJsonSchema(schema);
  return reading.ok ? 'it is taken' : reading.reason;
}

const inA = (a: JsonValue): JsonSchema => ({ type: 'object', properties: { a } });

describe('an unsupported keyword is named with its place', () => {
  const cases: readonly (readonly [what: string, schema: JsonSchema, says: RegExp])[] = [
    // Near misses: ignoring them would accept more than the schema says.
    ...(
      [
        ['requird', ['x'], 'required'],
        ['required_', ['x'], 'required'],
        ['maximun', 5, 'maximum'],
        ['max', 5, 'maximum'],
        ['min', 5, 'minimum'],
        ['additonalProperties', false, 'additionalProperties'],
        ['additional_properties', false, 'additionalProperties'],
        ['AdditionalProperties', false, 'additionalProperties'],
        ['maxlength', 5, 'maxLength'],
        ['maxLenght', 5, 'maxLength'],
        ['minItem', 1, 'minItems'],
        ['propertes', {}, 'properties'],
        ['tpye', 'string', 'type'],
        ['types', ['string'], 'type'],
        ['enums', ['a'], 'enum'],
        ['regex', '^a$', 'pattern'],
        ['patern', '^a$', 'pattern'],
        ['oneof', [], 'oneOf'],
        ['any_of', [], 'anyOf'],
        ['writeonly', true, 'writeOnly'],
        ['nullabel', true, 'nullable'],
        ['formt', 'email', 'format'],
        ['ref', '#/$defs/a', '$ref'],
        ['dependentRequried', {}, 'dependentRequired'],
      ] as const
    ).map(
      ([word, value, meant]) =>
        [
          word,
          inA({ [word]: value as JsonValue }),
          new RegExp(`“/properties/a/${word}” .* did you mean “${meant.replace('$', '\\$')}”`),
        ] as const,
    ),
    // Forms of other drafts.
    [
      'exclusiveMinimum of draft 4',
      inA({ minimum: 1, exclusiveMinimum: true }),
      /exclusiveMinimum” must be a number: true and false, as in draft 4/,
    ],
    ['required of draft 3', inA({ required: true }), /required” must be a list of names/],
    ['divisibleBy', inA({ divisibleBy: 2 }), /divisibleBy” is not supported: write "multipleOf"/],
    ['extends', inA({ extends: {} }), /extends” is not supported: write "allOf"/],
    ['$dynamicRef', inA({ $dynamicRef: '#x' }), /\$dynamicRef” is not supported: write "\$ref"/],
    [
      '$recursiveRef',
      inA({ $recursiveRef: '#' }),
      /\$recursiveRef” is not supported: write "\$ref"/,
    ],
    ['formatMinimum', inA({ formatMinimum: '2020-01-01' }), /formatMinimum” is not supported/],
    [
      'items as a list beside prefixItems',
      inA({ items: [{}], prefixItems: [{}] }),
      /items” must be a schema, not a list, if there are “prefixItems”/,
    ],
    [
      'an unknown draft',
      { $schema: 'https://example.com/mine' },
      /\$schema” names an unknown draft/,
    ],
    [
      'draft 3',
      { $schema: 'http://json-schema.org/draft-03/schema#' },
      /\$schema” names an unknown draft/,
    ],
    [
      'an unknown draft within',
      inA({ $schema: 'https://example.com/mine' }),
      /“\/properties\/a\/\$schema” names an unknown draft/,
    ],
    // References.
    [
      'a reference to elsewhere',
      inA({ $ref: 'https://example.com/a.json' }),
      /refers to “https:\/\/example.com\/a.json”, which is not a schema inside it/,
    ],
    ['a reference to nothing', inA({ $ref: '#/$defs/none' }), /refers to “#\/\$defs\/none”/],
    ['a reference to a text', { ...inA({ $ref: '#/title' }), title: 'x' }, /refers to “#\/title”/],
    [
      'an anchor that stands twice',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } }, $ref: '#x' },
      /refers to “#x”/,
    ],
    [
      'a reference below another $id',
      inA({ $id: 'https://example.com/a', items: { $ref: '#/properties/a' } }),
      /\$ref” is in a schema with its own “\$id”/,
    ],
    // Invalid values.
    ['an unknown type', inA({ type: 'int' }), /type” must be one of/],
    ['types of which one is none', inA({ type: ['string', 'any'] }), /type” must be one of/],
    ['a bound as a text', inA({ maximum: '5' }), /maximum” must be a number/],
    ['a length below 0', inA({ maxLength: -1 }), /maxLength” must be a whole number/],
    ['a pattern that looks around', inA({ pattern: '(?=a)b' }), /pattern” can’t be used/],
    [
      'a pattern that quotes',
      inA({ pattern: '\\Q[\\E' }),
      /pattern” can’t be used: “\\Q” is not a valid escape/,
    ],
    [
      'a name pattern that looks around',
      inA({ patternProperties: { '(?!a)': {} } }),
      /patternProperties” can’t be used/,
    ],
    [
      'a property that is not a schema',
      inA({ properties: { b: 'string' } }),
      /“\/properties\/a\/properties\/b” must be a schema/,
    ],
    [
      'a branch that is not a schema',
      inA({ anyOf: ['string'] }),
      /“\/properties\/a\/anyOf\/0” must be a schema/,
    ],
    ['an anyOf that is not a list', inA({ anyOf: {} }), /anyOf” must be a list of schemas/],
    ['writeOnly as a text', inA({ writeOnly: 'true' }), /writeOnly” must be true or false/],
    ['secret as a text', inA({ secret: 'yes' }), /secret” must be true or false/],
    [
      'nullable without a type',
      inA({ nullable: true, enum: ['a'] }),
      /nullable” needs a “type” in the same schema/,
    ],
    [
      'what is reached by a reference',
      { $defs: { a: { requird: [] } }, $ref: '#/$defs/a' },
      /“#\/\$defs\/a\/requird”/,
    ],
    [
      'a format that is misspelled',
      inA({ format: 'emial' }),
      /format” is an unknown format: did you mean “email”/,
    ],
    ['a format in other words', inA({ format: 'datetime' }), /did you mean “date-time”/],
    ['a format in capitals', inA({ format: 'Password' }), /did you mean “password”/],
  ];
  for (const [what, schema, says] of cases) {
    it(what, () => assert.match(reasonOf(schema), says));
  }
});

describe('an annotation is accepted, and changes nothing', () => {
  const notes: readonly (readonly [string, JsonValue])[] = [
    ...(['title', 'description', '$comment', 'contentEncoding', 'contentMediaType'] as const).map(
      (word) => [word, 'x'] as const,
    ),
    ['default', { requird: 1 }],
    ['examples', [{ requird: 1 }]],
    ['example', 1],
    ['deprecated', true],
    ['readOnly', true],
    ['contentSchema', { requird: 1 }],
    ['discriminator', { propertyName: 'kind' }],
    ['externalDocs', { url: 'x' }],
    ['xml', { name: 'x' }],
    ['enumNames', ['x']],
    ['markdownDescription', 'x'],
    ['errorMessage', 'x'],
    ['id', 'Person'],
    ['x-requird', ['a']],
    ['ui:widget', 'x'],
    ['$vocabulary', {}],
    ['units', 'px'],
    ['order', 1],
    ['note', 'x'],
    ['cost', 1],
    ['multiple', true],
    ['container', 'x'],
    ['format', 'color'],
    ['format', 'uuid7'],
    ['format', 'uint32'],
    ['requiredIf', ['x']],
    ['strict', true],
    ['$id', 'https://example.com/a'],
    ['$anchor', 'x'],
    ['$dynamicAnchor', 'x'],
    ['definitions', { a: { requird: 1 } }],
    ['maxContains', 1],
    ['then', false],
    ['additionalItems', false],
  ];
  for (const [word, value] of notes) {
    it(`${word}: ${JSON.stringify(value)}`, () => {
      const schema = inA({ type: 'string', [word]: value });
      assert.equal(reasonOf(schema), 'it is taken');
      const reading = readJsonSchema(schema);
      assert.deepEqual(reading.ok && reading.parse({ a: 'b' }).ok, true);
      assert.deepEqual(reading.ok && reading.parse({ a: 1 }).ok, false);
    });
  }
});

describe('a keyword has the same meaning in every draft', () => {
  const drafts = [
    undefined,
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/schema#',
  ];
  const cases: readonly (readonly [JsonValue, fits: JsonValue, not: JsonValue])[] = [
    [{ items: [{ type: 'string' }], additionalItems: false }, ['a'], ['a', 1]],
    [{ items: [{ type: 'string' }] }, ['a', 1], [1]],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 1]],
    [{ dependencies: { b: ['c'], d: { required: ['e'] } } }, { b: 1, c: 1 }, { b: 1 }],
    [{ dependentRequired: { b: ['c'] } }, { b: 1, c: 1 }, { b: 1 }],
    [{ dependentSchemas: { b: { required: ['c'] } } }, {}, { b: 1 }],
    [{ properties: { b: {} }, unevaluatedProperties: false }, { b: 1 }, { b: 1, c: 1 }],
    [
      {
        anyOf: [{ properties: { b: true } }, { properties: { c: { const: 1 } } }],
        unevaluatedProperties: false,
      },
      { b: 1, c: 1 },
      { b: 1, c: 2 },
    ],
    [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: { const: 1 } }, [2, 1], [2, 2]],
    [{ contains: { const: 1 }, unevaluatedItems: { const: 2 } }, [2, 1], [3, 1]],
    [{ not: { required: ['b'] }, unevaluatedProperties: false }, {}, { c: 1 }],
    [{ contains: { const: 1 }, maxContains: 1, minContains: 0 }, [2], [1, 1]],
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword.
    [{ if: { required: ['b'] }, then: { required: ['c'] }, else: false }, { b: 1, c: 1 }, {}],
    [{ $ref: '#/definitions/n' }, 1, 'a'],
    [{ $ref: '#/$defs/n' }, 1, 'a'],
    [{ $ref: '#n' }, 1, 'a'],
    [{ $ref: 'https://example.com/n' }, 1, 'a'],
    [{ $ref: '#/definitions/n', maximum: 3 }, 3, 4],
    [{ type: 'string', nullable: true }, null, 1],
    [{ const: { b: [1], c: 2 } }, { c: 2, b: [1] }, { c: 2, b: [2] }],
    [{ format: 'email' }, 'a@example.com', 'a'],
    [{ format: 'int32', type: 'integer' }, 1, 2 ** 40],
    [false as JsonValue, undefined as never, 1],
  ];
  for (const $schema of drafts) {
    it($schema ?? 'without one', () => {
      for (const [a, fits, not] of cases) {
        const reading = readJsonSchema({
          ...($schema !== undefined && { $schema }),
          definitions: { n: { type: 'number' } },
          $defs: { n: { type: 'number', $anchor: 'n', $id: 'https://example.com/n' } },
          properties: { a },
        });
        assert.ok(reading.ok, reading.ok ? '' : reading.reason);
        const given = fits === undefined ? {} : { a: fits };
        assert.equal(reading.parse(given).ok, true, JSON.stringify(a));
        assert.equal(reading.parse({ a: not }).ok, false, JSON.stringify(a));
      }
    });
  }
});
