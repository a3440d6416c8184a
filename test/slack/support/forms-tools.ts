import type { JsonValue } from '../../../src/domain/json/json.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { TOOL } from './slack-stage.ts';

export const KEYS = Array.from({ length: 70 }, (_, i) => `f${i}`);
/** Arguments of `long`, by field. */
export const LONG_ARGS = Object.fromEntries(KEYS.map((key) => [key, `${key} `]));
const STRING = { type: 'string' };

function aTool(name: string, properties: Readonly<Record<string, JsonValue>>): Tool {
  return {
    ...TOOL,
    name,
    schema: { type: 'object', properties, required: Object.keys(properties) },
  };
}

const kind = (name: string, key: string) => ({
  type: 'object',
  properties: { kind: { const: name }, [key]: STRING },
  required: ['kind', key],
});

/** Tools whose forms have pages, kinds and entries. */
export const FORM_TOOLS = [
  aTool('long', Object.fromEntries(KEYS.map((key) => [key, STRING]))),
  aTool('mail', { note: STRING, text: STRING }),
  aTool('parts', {
    note: STRING,
    target: { anyOf: [kind('by_id', 'id'), kind('by_name', 'name')] },
    to: {
      type: 'array',
      items: { type: 'object', properties: { name: STRING }, required: ['name'] },
    },
    city: { enum: Array.from({ length: 300 }, (_, i) => `city ${i}`) },
  }),
];
/** Arguments of `parts`. */
export const PARTS_ARGS = {
  city: 'city 7',
  note: 'n',
  target: { id: '1', kind: 'by_id' },
  to: [{ name: 'A' }],
};

/** A tool with a field of each kind. */
export const ALL_KINDS = {
  ...TOOL,
  name: 'pay',
  secrets: ['pin'],
  schema: {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 5_000 },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      rate: { type: 'number' },
      kind: { enum: ['card', 'cash'] },
      tags: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
      mail: { type: 'string', format: 'email' },
      day: { type: 'string', format: 'date' },
      list: { type: 'array', items: { type: 'integer' } },
      pin: { type: 'string' },
    },
    required: ['text', 'count', 'kind'],
  },
};
/** Its arguments. */
export const ALL_ARGS = {
  text: 'Hello',
  count: 2,
  rate: 1.5,
  kind: 'card',
  tags: ['a'],
  mail: 'a@b.example',
  day: '2026-01-05',
  list: [1],
  pin: '1234',
};
