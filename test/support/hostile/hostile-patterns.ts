/** Patterns and formats, and texts for them, made to block the app. */
import type { JsonSchema } from '../../../src/agent/tools/schema/read-json-schema.ts';
import type { JsonValue } from '../../../src/domain/json/json.ts';

/** A schema and arguments, each within the limits of a request. */
export interface HostileSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly args: { readonly [key: string]: JsonValue };
}

export function times<Item>(count: number, make: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

export function named(count: number, make: (i: number) => JsonValue): { [key: string]: JsonValue } {
  return Object.fromEntries(times(count, (i) => [`k${i}`, make(i)]));
}

const LONG = 'a'.repeat(200_000);
let seed = 1;
/** Letters without a repeating pattern. */
const NOISE = times(200_000, () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % 3 === 0 ? 'a' : 'b';
}).join('');
export const HOSTILE_PATTERNS: readonly HostileSchema[] = [
  {
    name: 'patterns on each name',
    schema: {
      type: 'object',
      patternProperties: Object.fromEntries(times(200, (i) => [`^x.*${i}$`, { type: 'number' }])),
      additionalProperties: false,
    },
    args: named(9_000, () => 1),
  },
  {
    name: 'many patterns that are large when written out',
    schema: {
      type: 'object',
      properties: named(1_000, (i) => ({ pattern: `(y{31}){32}${i}` })),
    },
    args: named(1_000, () => 'y'),
  },
  {
    name: 'a pattern in a group that is repeated',
    schema: { type: 'object', properties: { a: { pattern: `(?:${'a?b?'.repeat(500)}){1000}` } } },
    args: { a: 'x' },
  },
  {
    name: 'a pattern of classes',
    schema: { type: 'object', properties: { a: { pattern: '(?i)[\\p{L}\\p{N}]'.repeat(2_000) } } },
    args: { a: 'x' },
  },
  {
    name: 'a pattern that backtracks',
    schema: { type: 'object', properties: { a: { pattern: '^(a+)+$' } } },
    args: { a: `${LONG}!` },
  },
  {
    name: 'a pattern with a state for each letter',
    schema: { type: 'object', properties: { a: { pattern: '(a|b)*a(a|b){200}$' } } },
    args: { a: NOISE },
  },
  {
    name: 'a pattern with a state for each letter, in many texts',
    schema: {
      type: 'object',
      properties: { a: { items: { pattern: '(a|b)*a(a|b){12}$' } } },
    },
    args: { a: times(2_000, (i) => NOISE.slice(i * 100, i * 100 + 100)) },
  },
  ...[
    'url',
    'uri',
    'uri-reference',
    'uri-template',
    'email',
    'regex',
    'hostname',
    'date-time',
    'json-pointer',
    'byte',
    'ipv6',
    'duration',
  ].flatMap((format) =>
    [
      `http://${':'.repeat(200_000)}`,
      `${'a.'.repeat(100_000)}@`,
      `(${'('.repeat(200_000)}`,
      `/${'a/'.repeat(100_000)}~`,
    ].map((a, i) => ({
      name: `a long text for ${format} (${i})`,
      schema: { type: 'object', properties: { a: { format } } },
      args: { a },
    })),
  ),
  {
    name: 'long texts for url in a list',
    schema: { type: 'object', properties: { a: { items: { format: 'url' } } } },
    args: { a: times(100, (i) => `http://${':'.repeat(2_000)}${i}`) },
  },
  {
    name: 'names that have to have a format',
    schema: { type: 'object', propertyNames: { format: 'url' } },
    args: Object.fromEntries(times(60, (i) => [`http://${':'.repeat(3_000)}${i}`, 1])),
  },
];
