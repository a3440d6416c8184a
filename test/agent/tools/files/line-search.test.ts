import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineSearch, ignoringCase } from '../../../../src/agent/tools/files/line-search.ts';
import { toWellFormed } from '../../../../src/domain/json/to-plain-json.ts';

function find(content: string, text: string, options: object = {}, most = 1_000) {
  const search = { text, ignoreCase: false, contextLines: 0, ...options };
  return createLineSearch(search)
    .find(content, most)
    .map(({ number, text: line, isMatch }) => `${number}${isMatch ? ':' : '-'}${line}`);
}

test('a match is shown with its line number, once per line', () => {
  assert.deepEqual(find('one\ntwo two\nthree', 'two'), ['2:two two']);
  assert.deepEqual(find('', 'a'), []);
  assert.deepEqual(find('a\r\nb\r\n', 'b'), ['2:b']);
  assert.deepEqual(find('a.c\nabc', 'a.c'), ['1:a.c']);
});

test('lines around a match are shown once, and none beyond the start or end', () => {
  const content = 'a\nb\nX1\nX2\nc\nd\ne\nf\nX3\n';
  const around = { contextLines: 1 };
  assert.deepEqual(find(content, 'X', around), [
    ...['2-b', '3:X1', '4:X2', '5-c'],
    ...['8-f', '9:X3'],
  ]);
  assert.deepEqual(find('X', 'X', { contextLines: 10 }), ['1:X']);
});

test('the search stops after the requested number of matches', () => {
  assert.deepEqual(find('x\nx\nx', 'x', {}, 2), ['1:x', '2:x']);
  assert.deepEqual(find('x', 'x', {}, 0), []);
});

test('case is ignored on request, in every script', () => {
  assert.deepEqual(find('Straße\nRefund', 'rEFUND'), []);
  for (const [content, text] of [
    ['Refund', 'rEFUND'],
    ['Straße', 'STRASSE'],
    ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύς'],
    ['ПРИВЕТ', 'привет'],
    ['𐐀𐐁', '𐐨𐐩'],
  ] as const) {
    assert.deepEqual(find(content, text, { ignoreCase: true }), [`1:${content}`]);
  }
});

test('a long line is shown around its match, in whole characters', () => {
  for (const filler of ['x', 'é', '😀', 'ß']) {
    const line = `${filler.repeat(5_000)}needle${filler.repeat(5_000)}`;
    for (const ignoreCase of [false, true]) {
      const [shown = ''] = find(line, 'needle', { ignoreCase });
      assert.match(shown, /^1:….*needle.*…$/, filler);
      assert.ok(shown.length < 310 && toWellFormed(shown) === shown, shown);
    }
  }
  assert.match(find(`needle${'x'.repeat(400)}`, 'needle')[0] ?? '', /^1:needlex+…$/);
  assert.match(find(`${'x'.repeat(400)}needle`, 'needle')[0] ?? '', /^1:…x+needle$/);
});

const LETTER = fc.constantFrom('a', 'A', 'b', 'ß', 'σ', 'ς', 'Σ', '\n', '\r', ' ', '😀', 'ﬁ', 'i');
const CONTENT = fc.oneof(fc.string({ unit: LETTER, maxLength: 60 }), fc.string({ unit: 'binary' }));
const TEXT = fc
  .oneof(fc.string({ unit: LETTER, minLength: 1, maxLength: 3 }), fc.string({ minLength: 1 }))
  .filter((text) => !/[\n\r]/.test(text));

test('each returned line is in the text at that number, and no matching line is left out', () => {
  fc.assert(
    fc.property(
      CONTENT.map(toWellFormed),
      TEXT,
      fc.boolean(),
      fc.nat(3),
      (content, text, ignoreCase, contextLines) => {
        const found = createLineSearch({ text, ignoreCase, contextLines }).find(content, 1_000);
        const lines = content.split('\n');
        const fold = (each: string) => (ignoreCase ? ignoringCase(each) : each);
        for (const { number, text: shown } of found) {
          assert.equal(shown, (lines[number - 1] ?? '').replace(/\r$/, ''));
        }
        const expected = lines.flatMap((line, at) =>
          fold(line).includes(fold(text)) ? [at + 1] : [],
        );
        const matches = found.filter(({ isMatch }) => isMatch).map(({ number }) => number);
        assert.deepEqual(matches, expected);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('no text blocks the app', () => {
  const size = 1024 * 1024;
  const hostile = [
    ['a'.repeat(size), `${'a'.repeat(199)}b`],
    ['a'.repeat(size), `b${'a'.repeat(199)}`],
    ['\n'.repeat(size - 1).concat('x'), 'x'],
    [`${'a'.repeat(199)}\n`.repeat(size / 200), `${'a'.repeat(198)}b`],
    ['ß'.repeat(size), 's'],
    ['x\n'.repeat(size / 2), 'x'],
  ] as const;
  for (const [content, text] of hostile) {
    const startedAt = process.cpuUsage();
    createLineSearch({ text, ignoreCase: true, contextLines: 10 }).find(content, 200);
    const { user } = process.cpuUsage(startedAt);
    assert.ok(user < 400_000, `${user / 1000} ms for ${text.slice(0, 5)}`);
  }
});
