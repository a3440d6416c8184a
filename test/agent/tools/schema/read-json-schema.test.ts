import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type JsonSchema,
  readJsonSchema,
} from '../../../../src/agent/tools/schema/read-json-schema.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

function parse(schema: JsonSchema, value: JsonValue) {
  const reading = readJsonSchema(schema);
  if (!reading.ok) throw new Error(reading.reason);
  return reading.parse(value);
}

const TEXTS = {
  type: 'object',
  properties: {
    low: { type: 'string', pattern: '^[a-z]+$' },
    high: { type: 'string', pattern: '^[A-Z]+$' },
  },
  required: ['low'],
  additionalProperties: false,
} as const;

/** A text of 3 KB that would take years to match. */
function aFan(fan: (next: JsonSchema) => JsonSchema): JsonSchema {
  const levels = Array.from({ length: 20 }, (_, i) => [
    `d${i}`,
    fan({ $ref: `#/$defs/d${i + 1}` }),
  ]);
  const $defs = { ...Object.fromEntries(levels), d20: { type: 'number' } };
  return { $defs, properties: { a: { $ref: '#/$defs/d0' } } };
}

const EIGHT = Array.from({ length: 8 }, (_, i) => i);
const FAN_OF_CHOICES = aFan((next) => ({ anyOf: EIGHT.map(() => next) }));
const FAN_OF_FIELDS = aFan((next) => ({
  properties: Object.fromEntries(EIGHT.map((i) => [`x${i}`, next])),
}));

const FAN_OF_LISTS = {
  $defs: {
    ...Object.fromEntries(
      [0, 1, 2, 3, 4, 5].map((i) => {
        const next = EIGHT.map((j) => [`x${j}`, { $ref: `#/$defs/d${i + 1}/anyOf/${j}` }]);
        return [`d${i}`, { anyOf: EIGHT.map(() => ({ properties: Object.fromEntries(next) })) }];
      }),
    ),
    d6: { anyOf: EIGHT.map(() => ({ type: 'number' })) },
  },
  properties: { a: { $ref: '#/$defs/d0/anyOf/0' } },
};

describe('arguments for a third-party JSON Schema', () => {
  it('stay as they came: nothing is filled in, converted or dropped', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 3 } } };
    const read = parse(schema, { more: [1, '2'] });
    assert.deepEqual(read, { ok: true, value: { more: [1, '2'] }, canonical: '{"more":[1,"2"]}' });
    assert.equal(parse(schema, { n: '3' }).ok, false);
  });

  it('are refused with the place of the problem', () => {
    assert.deepEqual(parse(TEXTS, {}), {
      ok: false,
      problems: [{ path: ['low'], message: 'is missing' }],
    });
    for (const wrong of [{ low: 'A' }, { low: 'a', high: 'a' }]) {
      const read = parse(TEXTS, wrong);
      assert.match(read.ok ? '' : (read.problems[0]?.message ?? ''), /must match pattern/);
    }
    const many = { properties: { a: { enum: [{ k: 1 }, 'b', ...Array(500).fill(7)] } } };
    const none = parse(many, { a: 1 });
    assert.match(none.ok ? '' : (none.problems[0]?.message ?? ''), /: {"k":1}, b, 7(, 7){17}, …$/);
    const unknown = parse(TEXTS, { low: 'a', other: 1 });
    assert.match(unknown.ok ? '' : (unknown.problems[0]?.message ?? ''), /“other”/);
    const path = parse(
      { properties: { 'a/b~': { type: 'object', required: ['c'] } } },
      { 'a/b~': {} },
    );
    assert.deepEqual(path.ok ? [] : path.problems[0]?.path, ['a/b~', 'c']);
  });

  it('are read in linear time, whatever the pattern is', () => {
    const schema = { properties: { x: { type: 'string', pattern: '^(a+)+$' } } };
    const begin = performance.now();
    assert.equal(parse(schema, { x: `${'a'.repeat(50_000)}!` }).ok, false);
    assert.ok(performance.now() - begin < 2_000);
  });

  it('are given up if the schema would take too long, or for ever', () => {
    const self = { $ref: '#/$defs/n' };
    const choices = { anyOf: EIGHT.map(() => self) };
    const deep = {
      $defs: { n: { type: 'object', required: ['z'], properties: { a: choices } } },
      ...choices,
    };
    let args: JsonValue = {};
    for (let i = 0; i < 30; i += 1) args = { a: args, z: 1 };
    const loop = {
      $defs: { x: { allOf: [{ $ref: '#/$defs/y' }] }, y: { allOf: [{ $ref: '#/$defs/x' }] } },
      $ref: '#/$defs/x',
    };
    for (const [schema, value] of [
      [deep, args],
      [loop, {}],
    ] as const) {
      const begin = performance.now();
      const read = parse(schema, value);
      assert.match(read.ok ? '' : (read.problems[0]?.message ?? ''), /can’t be checked/);
      assert.ok(performance.now() - begin < 2_000);
    }
  });

  it('are read by drafts 7 and 2020-12, with internal references and without external ones', () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { id: { type: 'integer' } },
      properties: { pair: { items: [{ $ref: '#/definitions/id' }, { type: 'string' }] } },
    };
    assert.equal(parse(draft7, { pair: [1, 'a'] }).ok, true);
    assert.equal(parse(draft7, { pair: ['a', 'a'] }).ok, false);
    const newer = {
      $defs: { id: { type: 'integer' } },
      properties: { id: { $ref: '#/$defs/id' } },
    };
    assert.equal(parse(newer, { id: 'a' }).ok, false);
    const tree = {
      properties: { key: { type: 'string', writeOnly: true }, child: { $ref: '#' } },
    };
    assert.equal(parse(tree, { child: { child: { key: 'a' } } }).ok, true);
    assert.equal(parse(tree, { child: { child: { key: 5 } } }).ok, false);
    for (const broken of [
      { $ref: 'https://example.com/other.json' },
      { type: 'nothing' },
      { properties: { x: { pattern: '(?=a)b' } } },
      { description: 'x'.repeat(64_001) },
      FAN_OF_CHOICES,
      FAN_OF_FIELDS,
    ]) {
      const reading = readJsonSchema(broken);
      assert.ok(!reading.ok && reading.reason.length > 10, JSON.stringify(broken).slice(0, 80));
    }
    const repeated = Array.from({ length: 1_000 }, (_, i) => [
      `p${i}`,
      { pattern: `(y{31}){32}${i}` },
    ]);
    const patterns = readJsonSchema({ properties: Object.fromEntries(repeated) });
    assert.match(patterns.ok ? '' : patterns.reason, /its patterns are too large in total/);
    const lists = readJsonSchema(FAN_OF_LISTS);
    assert.match(lists.ok ? '' : lists.reason, /its references expand too much/);
  });
});
