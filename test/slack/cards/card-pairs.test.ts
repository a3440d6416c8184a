/** Two different calls have visibly different cards. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { randomCases } from '../../support/sample.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const TOOL = {
  schema: { properties: { path: {}, content: {}, n: {}, Note: {}, Result: {} } },
  secrets: [],
};

type Args = { readonly [key: string]: JsonValue };

/** What a person sees of a card: its lines, trimmed, and how each part is formatted; not its digest. */
function seen(args: Args): string {
  const call = aCall({ args: canonicalJson(args), askedLine: '' });
  const { blocks } = buildCallCard(call, { tool: TOOL, mark: TEST_MARK });
  return JSON.stringify(blocks, (key, value: unknown) => {
    if (key === 'value') return undefined;
    return key === 'text' && typeof value === 'string' ? trimLines(value) : value;
  }).replace(/`[0-9a-f]{10}`/, '');
}

function trimLines(text: string): string {
  if (text === ' ' || text === '\n') return text;
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '');
}

const PAIRS: readonly (readonly [what: string, one: Args, other: Args])[] = [
  ['a number and its text', { n: 1 }, { n: '1' }],
  ['a large number and its text', { n: 1e21 }, { n: '1e+21' }],
  ['a truth and its text', { n: true }, { n: 'true' }],
  ['nothing and its text', { n: null }, { n: 'null' }],
  ['nothing and an absent argument', { n: null, path: 'a' }, { path: 'a' }],
  ['an empty text and an absent argument', { n: '', path: 'a' }, { path: 'a' }],
  ['an empty text and nothing', { n: '' }, { n: null }],
  ['an empty text and its label', { n: '' }, { n: 'empty text' }],
  ['an empty list and an empty object', { n: [] }, { n: {} }],
  ['an empty list and its text', { n: [] }, { n: '[]' }],
  ['a value and a list of it', { n: 'x' }, { n: ['x'] }],
  ['a list and its text', { n: ['x'] }, { n: '["x"]' }],
  ['two values and one with a comma', { n: ['a', 'b'] }, { n: ['a, b'] }],
  ['a nested name and a dotted one', { path: { b: 1 } }, { 'path.b': 1 }],
  ['the same, deeper down', { n: { a: { b: 1 } } }, { n: { 'a.b': 1 } }],
  ['a list and an object with its places', { n: ['x'] }, { n: { 0: 'x' } }],
  ['a text and one with a blank at its end', { n: 'ls' }, { n: 'ls ' }],
  ['a text and one with a blank at its beginning', { n: 'ls' }, { n: ' ls' }],
  ['a text and one with a break at its end', { n: 'a\nb' }, { n: 'a\nb\n' }],
  ['a text and one with two breaks at its end', { n: 'a\nb\n' }, { n: 'a\nb\n\n' }],
  ['a text and one with a break at its beginning', { n: 'a\nb' }, { n: '\na\nb' }],
  ['a break and two', { n: '\n' }, { n: '\n\n' }],
  ['a line and one with a blank at its end', { n: 'a\nb' }, { n: 'a \nb' }],
  ['a break and its escape', { n: 'a\nb' }, { n: 'a\\nb' }],
  ['a tab and blanks', { n: 'a\tb' }, { n: 'a  b' }],
  ['line ends of two kinds', { n: 'a\nb' }, { n: 'a\r\nb' }],
  ['line ends of three kinds', { n: 'a\rb' }, { n: 'a\u2028b' }],
  ['a hidden character and its escape', { n: 'a\u200bb' }, { n: 'a\\u{200b}b' }],
  ['a run of hidden characters and its escape', { n: '\u200b'.repeat(9) }, { n: '\\u{200b x9}' }],
  [
    'a run of hidden characters and a longer one',
    { n: '\u200b'.repeat(9) },
    { n: '\u200b'.repeat(8) },
  ],
  ['a letter and its parts', { n: 'é' }, { n: 'e\u0301' }],
  ['a name and an imitation of it', { path: 'x' }, { 'p\u0430th': 'x' }],
  ['a name and one with a blank', { extra: 1 }, { 'extra ': 1 }],
  ['a nested name and an imitation of it', { n: { to: 1 } }, { n: { 't\u043e': 1 } }],
  ['a name that is a type', { 'n · number': '1' }, { n: 1 }],
];

describe('the cards of two calls look different', () => {
  for (const [what, one, other] of PAIRS) {
    it(`if the calls differ in: ${what}`, () => assert.notEqual(seen(one), seen(other)));
  }

  it('if the calls differ in one value, at any place', () => {
    const change = (value: JsonValue): readonly JsonValue[] => [
      [value],
      { a: value },
      JSON.stringify(value),
      ...(typeof value === 'string' ? [`${value} `, ` ${value}`, `${value}\n`, `\n${value}`] : []),
      ...(typeof value === 'string' ? [`${value}\u200b`, `${value}\r`, null, [value, '']] : []),
    ];
    fc.assert(
      fc.property(leaf, fc.nat(), fc.constantFrom(...PLACES), (value, pick, place) => {
        const others = change(value);
        const other = others[pick % others.length] ?? null;
        fc.pre(canonicalJson(value) !== canonicalJson(other));
        assert.notEqual(seen(place(value)), seen(place(other)));
      }),
      { numRuns: randomCases(5_000) },
    );
  });

  it('if an argument has the name of one of our labels, and the other call has that label', () => {
    const noted = buildCallCard(aCall({ args: '{}', note: 'Approved.', askedLine: '' }), {
      tool: TOOL,
      mark: TEST_MARK,
    });
    const bold = (value: unknown) => [...JSON.stringify(value).matchAll(/"text":"Note","style"/g)];
    assert.equal(bold(noted.blocks).length, 1);
    const call = aCall({ args: '{"Note":"Approved.","Result":"ok"}', askedLine: '' });
    const { blocks } = buildCallCard(call, { tool: TOOL, mark: TEST_MARK });
    assert.equal(bold(blocks).length, 0);
    assert.match(JSON.stringify(blocks), /\\"Note\\"/);
  });
});

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    'null',
    '1',
    'true',
    '[]',
    'a\nb',
    'a\nb\n',
    '\\u{20}',
    'é',
    '"',
    '\u200b',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 2 }),
);
const PLACES: readonly ((value: JsonValue) => Args)[] = [
  (value) => ({ n: value }),
  (value) => ({ extra: value, path: 'a.txt' }),
  (value) => ({ n: { inner: value } }),
  (value) => ({ n: ['x', value] }),
];
