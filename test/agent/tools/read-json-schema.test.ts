import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonSchema, readJsonSchema } from '../../../src/agent/tools/read-json-schema.ts';
import type { JsonValue } from '../../../src/domain/json.ts';

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

describe('arguments by a JSON Schema of others', () => {
  it('are what came: nothing is filled in, converted or dropped', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 3 } } };
    const read = parse(schema, { more: [1, '2'] });
    assert.deepEqual(read, { ok: true, value: { more: [1, '2'] }, canonical: '{"more":[1,"2"]}' });
    assert.equal(parse(schema, { n: '3' }).ok, false);
  });

  it('are refused with the place of what is wrong', () => {
    assert.deepEqual(parse(TEXTS, {}), {
      ok: false,
      problems: [{ path: ['low'], message: 'is missing' }],
    });
    for (const wrong of [{ low: 'A' }, { low: 'a', high: 'a' }]) {
      const read = parse(TEXTS, wrong);
      assert.match(read.ok ? '' : (read.problems[0]?.message ?? ''), /must match pattern/);
    }
    const unknown = parse(TEXTS, { low: 'a', other: 1 });
    assert.match(unknown.ok ? '' : (unknown.problems[0]?.message ?? ''), /“other”/);
    const path = parse(
      { properties: { 'a/b~': { type: 'object', required: ['c'] } } },
      { 'a/b~': {} },
    );
    assert.deepEqual(path.ok ? [] : path.problems[0]?.path, ['a/b~', 'c']);
  });

  it('are read in the time of their length, whatever a pattern is', () => {
    const schema = { properties: { x: { type: 'string', pattern: '^(a+)+$' } } };
    const begin = performance.now();
    assert.equal(parse(schema, { x: `${'a'.repeat(50_000)}!` }).ok, false);
    assert.ok(performance.now() - begin < 2_000);
  });

  it('are read by drafts 7 and 2020-12, with references inside, and by none that lead outside', () => {
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
    for (const broken of [
      { $ref: 'https://example.com/other.json' },
      { type: 'nothing' },
      { properties: { x: { pattern: '(?=a)b' } } },
      { description: 'x'.repeat(64_001) },
    ]) {
      const reading = readJsonSchema(broken);
      assert.ok(!reading.ok && reading.reason.length > 10, JSON.stringify(broken).slice(0, 80));
    }
  });
});
