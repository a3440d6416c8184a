import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { parseStrictJson } from '../../../src/domain/json/strict-json.ts';

const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const REFUSED: readonly (readonly [what: string, text: string, reason: RegExp, place: string])[] = [
  ['nothing', '', /empty/, '1:1'],
  ['spaces only', ' \n ', /empty/, '2:2'],
  ['a byte order mark', '\uFEFF{}', /byte order mark/, '1:1'],
  ['text behind the end', '{} x', /more text/, '1:4'],
  ['two values', '{}{}', /more text/, '1:3'],
  ['a repeated key', '{"to":"a@x",\n "to":"b@x"}', /"to" appears twice/, '2:2'],
  ['a key repeated by an escape', '{"a":1,"\\u0061":2}', /"a" appears twice/, '1:8'],
  ['__proto__', '{"__proto__":{"x":1}}', /__proto__/, '1:2'],
  ['an escaped __proto__', '{"a":{"__proto\\u005f_":1}}', /__proto__/, '1:7'],
  ['an integer over 2^53', '9007199254740993', /lose digits/, '1:1'],
  ['a long integer', '{"id":2512292042121000001}', /2512292042121000001.*as a string/, '1:7'],
  ['a long decimal', '3.141592653589793238', /lose digits/, '1:1'],
  ['a number too large', '1e400', /lose digits/, '1:1'],
  ['a number too small', '1e-400', /lose digits/, '1:1'],
  ['a leading zero', '01', /not written in JSON syntax/, '1:1'],
  ['a plus sign', '+1', /Expected a JSON value/, '1:1'],
  ['a bare point', '.5', /Expected a JSON value/, '1:1'],
  ['a point without digits', '1.', /not written in JSON syntax/, '1:1'],
  ['hexadecimal', '[0x10]', /Expected "," or "\]"/, '1:3'],
  ['a second minus', '--1', /Expected a JSON value/, '1:1'],
  ['NaN', 'NaN', /Expected a JSON value/, '1:1'],
  ['Infinity', '[-Infinity]', /Expected a JSON value/, '1:2'],
  ['undefined', 'undefined', /Expected a JSON value/, '1:1'],
  ['a lone high surrogate', '"\\ud800"', /surrogate/, '1:1'],
  ['a lone low surrogate', '{"k":"a\\udc00"}', /surrogate/, '1:6'],
  ['a raw lone surrogate', '"\ud800"', /surrogate/, '1:1'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"', /surrogate/, '1:1'],
  ['a surrogate in a key', '{"\\ud800":1}', /surrogate/, '1:2'],
  ['a raw line break', '"a\nb"', /control character/, '1:3'],
  ['a raw tab', '"a\tb"', /control character/, '1:3'],
  ['an unknown escape', '"\\x41"', /not a JSON escape/, '1:2'],
  ['a short escape', '"\\u12"', /[Ff]our hexadecimal/, '1:4'],
  ['single quotes', "{'a':1}", /key in double quotes/, '1:2'],
  ['a bare key', '{a:1}', /key in double quotes/, '1:2'],
  ['a comma at the end', '{"a":1,}', /key in double quotes/, '1:8'],
  ['a comma at the end of a list', '[1,]', /Expected a JSON value/, '1:4'],
  ['a comment', '{} // no', /more text/, '1:4'],
  ['a cut-off string', '{"cmd":"rm -rf /srv/tm', /cut off/, '1:8'],
  ['a cut-off object', '{"a":1', /cut off/, '1:7'],
  ['a cut-off escape', '"\\', /not a JSON escape/, '1:2'],
  ['a cut-off key', '{"a"', /cut off/, '1:5'],
  ['33 levels', nest(33), /32 levels/, '1:33'],
  ['smart quotes', '{“a”:1}', /key in double quotes: found "“"/, '1:2'],
];

for (const [what, text, reason, place] of REFUSED) {
  test(`${what} is refused with its position`, () => {
    const result = parseStrictJson(text);
    assert.ok(!result.ok, 'it was accepted');
    assert.match(result.reason, reason);
    assert.equal(`${result.line}:${result.column}`, place);
  });
}

test('more than 256 KB of UTF-8 is refused, exactly 256 KB is read', () => {
  const fits = `"${'é'.repeat(131_071)}"`;
  assert.equal(Buffer.byteLength(fits), 262_144);
  assert.ok(parseStrictJson(fits).ok);
  const result = parseStrictJson(`${fits} `);
  assert.ok(!result.ok);
  assert.match(result.reason, /256 KB/);
});

const READ: readonly (readonly [text: string, value: JsonValue])[] = [
  ['0.1', 0.1],
  ['1.0', 1],
  ['1e2', 100],
  ['1E+2', 100],
  ['100000000000000000000000', 1e23],
  ['9007199254740992', 2 ** 53],
  ['5e-324', 5e-324],
  ['0.30000000000000004', 0.30000000000000004],
  ['0e9999999999', 0],
  ['-12.50', -12.5],
  ['"\\ud83d\\ude00\\n\\/"', '😀\n/'],
  ['"\u007f\u0085\u2028"', '\u007f\u0085\u2028'],
  [' [ true , false , null ] ', [true, false, null]],
  ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ['{"":{"":[]}}', { '': { '': [] } }],
];

for (const [text, value] of READ) {
  test(`${JSON.stringify(text)} is read`, () => {
    assert.deepEqual(parseStrictJson(text), { ok: true, value });
  });
}

test('-0 is read as 0, as canonical JSON writes it', () => {
  for (const text of ['-0', '-0.0', '-0e5']) {
    const result = parseStrictJson(text);
    assert.ok(result.ok && Object.is(result.value, 0));
  }
});

test('32 levels of nesting are read', () => {
  assert.ok(parseStrictJson(nest(32)).ok);
});

const hasProtoKey = (value: unknown): boolean =>
  value instanceof Object &&
  Object.entries(value).some(([key, item]) => key === '__proto__' || hasProtoKey(item));

test('what JSON.stringify and canonicalJson write is read back as the same value', () => {
  const json = fc
    .jsonValue({ maxDepth: 6, stringUnit: 'binary' })
    .filter((value) => !hasProtoKey(value));
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: 4 }), (value, indent) => {
      for (const text of [
        JSON.stringify(value, undefined, indent),
        canonicalJson(value as JsonValue),
      ]) {
        assert.deepEqual(parseStrictJson(text), { ok: true, value: JSON.parse(text) });
      }
    }),
  );
});

test('no text makes it throw, and JSON.parse reads everything that it reads', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    'd800',
    '-',
    '1',
    '0',
    '.',
    'e',
    'true',
    'null',
    ' ',
    '\n',
    'a',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(token, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (input) => {
      const result = parseStrictJson(input);
      if (result.ok)
        // -0 is read as 0, so the two are equal when written.
        assert.equal(JSON.stringify(result.value), JSON.stringify(JSON.parse(input)));
      else assert.ok(result.reason.length > 10 && result.line >= 1 && result.column >= 1);
    }),
    { numRuns: 2_000 },
  );
});

test('more than 3,000 names and values are refused at the first one too many', () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
  assert.equal(parseStrictJson(list(2_999)).ok, true);
  const long = parseStrictJson(list(3_000));
  assert.ok(!long.ok);
  assert.match(long.reason, /more than 3,000 names and values/);
  assert.equal(long.column, list(3_000).length - 1);
  const names = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`k${i}`, 1]));
  assert.equal(parseStrictJson(JSON.stringify(names)).ok, false);
});

test('a number is read only if JavaScript prints the same value', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/);
  const number = fc
    .tuple(digits, fc.stringMatching(/^(\.[0-9]{1,20})?(e-?[1-9][0-9]?)?$/))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(number, (text) => {
      const result = parseStrictJson(text);
      assert.equal(result.ok, isExact(text));
    }),
  );
});

/** Compares as integers: both decimals times a power of ten that leaves no fraction. */
function isExact(text: string): boolean {
  const scaled = (decimal: string): bigint => {
    const [mantissa = '', exponent = '0'] = decimal.split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    return BigInt(whole + fraction) * 10n ** BigInt(200 + Number(exponent) - fraction.length);
  };
  return scaled(text) === scaled(String(Number(text)));
}
