import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toModelTool } from '../../../../src/agent/model/request/model-tool.ts';
import { reduceSchema } from '../../../../src/agent/model/request/reduce-schema.ts';
import { createTaskTool } from '../../../../src/agent/tools/task-tool.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

type Schema = { readonly [key: string]: JsonValue };

const of = (schema: Schema) => ({ type: 'object', properties: { a: schema } });
const inObject = (schema: Schema): unknown => {
  const reduced = reduceSchema(of(schema));
  return (reduced.properties as Schema | undefined)?.a;
};

const ROWS: readonly (readonly [what: string, schema: Schema, offered: Schema])[] = [
  [
    'a pattern is told in words',
    { type: 'string', pattern: '\\S', description: 'What to do.' },
    { type: 'string', description: 'What to do. (JSON Schema: {"pattern":"\\\\S"})' },
  ],
  [
    'bounds and formats are told in words',
    { type: 'string', maxLength: 2000, format: 'date' },
    { type: 'string', description: '(JSON Schema: {"format":"date","maxLength":2000})' },
  ],
  [
    'the range of a number type is left out',
    { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
    { type: 'integer' },
  ],
  [
    'choices of words stay',
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  [
    'choices of anything else are told in words',
    { type: 'integer', enum: [1, 2] },
    { type: 'integer', description: '(JSON Schema: {"enum":[1,2]})' },
  ],
  ['a fixed text is a choice of one', { const: 'x' }, { type: 'string', enum: ['x'] }],
  [
    'a list of types is a choice of kinds',
    { type: ['string', 'null'], description: 'Maybe.' },
    { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Maybe.' },
  ],
  [
    'oneOf is a choice of kinds',
    { oneOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
    {
      anyOf: [
        { type: 'string', description: '(JSON Schema: {"minLength":1})' },
        { type: 'number' },
      ],
    },
  ],
  ['a list says what is in it', { type: 'array', uniqueItems: true }, { type: 'array', items: {} }],
  [
    'an object of any keys names no properties',
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    { type: 'object', description: '(JSON Schema: {"additionalProperties":{"type":"string"}})' },
  ],
  [
    'allOf is one object',
    {
      allOf: [
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
        { properties: { c: true }, required: ['c'] },
      ],
    },
    {
      type: 'object',
      properties: { b: { type: 'string' }, c: {} },
      required: ['b', 'c'],
    },
  ],
];

for (const [what, schema, offered] of ROWS) {
  test(what, () => assert.deepEqual(inObject(schema), offered));
}

test('references are followed, circular ones once', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
  };
  const reduced = reduceSchema({ ...of({ $ref: '#/$defs/node' }), $defs: { node } });
  assert.deepEqual(
    reduced,
    of({ type: 'object', properties: { name: { type: 'string' }, next: {} } }),
  );
});

test('the built-in task has no pattern in its offered schema', () => {
  const made = createTaskTool([
    { name: 'worker', description: 'Works.', prompt: 'Work.', tools: 'all' },
  ]);
  assert.ok(made?.kind === 'tool');
  const { agent, prompt } = toModelTool(made.tool).schema.properties as Record<string, Schema>;
  assert.deepEqual(agent?.enum, ['worker']);
  assert.deepEqual(Object.keys(prompt ?? {}).sort(), ['description', 'type']);
});
