import assert from 'node:assert/strict';
import { it } from 'node:test';
import { acceptNumbersAsText } from '../../../src/agent/graphs/accept-numbers-as-text.ts';

const LARGE = '9223372036854775807';

it('a schema accepts large numbers that arrive as text, and its data does not change', () => {
  const data = { type: 'integer', maximum: LARGE };
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer', maximum: LARGE, default: data, examples: [data] },
      type: { type: 'number' },
      fixed: { const: data },
      one: { enum: [data] },
    },
  };
  const loose = acceptNumbersAsText(schema, { id: LARGE });
  assert.deepEqual(loose, {
    type: 'object',
    properties: {
      id: { type: ['integer', 'string'], maximum: Number(LARGE), default: data, examples: [data] },
      type: { type: ['number', 'string'] },
      fixed: { const: data },
      one: { enum: [data] },
    },
  });
  assert.deepEqual(acceptNumbersAsText(schema, { id: 5 }), {
    ...schema,
    properties: { ...schema.properties, id: { ...schema.properties.id, maximum: Number(LARGE) } },
  });
});
