import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  fromVisible,
  showJson,
  showLine,
  showLines,
  showName,
  toVisible,
} from '../../src/domain/visible-text.ts';

const HIDDEN = [
  '\u200b',
  '\u{e0041}',
  '\u202e',
  '\u2066',
  '\u00ad',
  '\u115f',
  '\u3164',
  '\u2800',
  '\ufe0f',
  '\u{e0100}',
  '\u034f',
  '\u001b',
  '\u2028',
  '\u00a0',
  '\ud800',
  '\t',
  '\r',
];

describe('visible text', () => {
  for (const character of HIDDEN) {
    const code = character.codePointAt(0)?.toString(16);
    it(`writes U+${code} as an escape and counts it`, () => {
      assert.deepEqual(toVisible(`a${character}b`), { text: `a\\u{${code}}b`, hidden: 1 });
    });
  }

  it('keeps emoji sequences, joiners and flags readable', () => {
    const text = '👩‍👩‍👧 ☺️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
    assert.deepEqual(toVisible(text), { text, hidden: 0 });
  });

  it('counts runs of more than eight spaces, and shows spaces where a line ends', () => {
    assert.equal(toVisible(`ls${' '.repeat(3_500)}; rm`).text, 'ls\\u{20 x3500}; rm');
    assert.equal(toVisible(`a${' '.repeat(8)}b`).text, `a${' '.repeat(8)}b`);
    assert.equal(toVisible('cmd \nnext  ').text, 'cmd\\u{20}\nnext\\u{20 x2}');
    assert.equal(toVisible('  ').text, '\\u{20 x2}');
  });

  it('keeps the indentation of code', () => {
    const code = `if\n${' '.repeat(12)}deep`;
    assert.equal(toVisible(code).text, code);
  });

  it('leaves plain words as they are, however many', () => {
    for (const words of ['a'.repeat(6_000_000), `${'a b\n'.repeat(1_500_000)}c`]) {
      assert.ok(toVisible(words).text === words);
    }
    const trailing = `${'a '.repeat(3_000)} 1️⃣ \n`;
    assert.equal(toVisible(trailing).text, `${trailing.slice(0, -2)}\\u{20}\n`);
  });

  it('has one way back for every text', () => {
    const unit = fc.oneof(
      fc.constantFrom(...HIDDEN, ' ', '         ', '\n', '\\u{', '}', '\\', 'x2', '👩‍👧'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    const texts = fc.array(unit, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        assert.equal(fromVisible(toVisible(text).text), text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('escapes everything in a name that is not a plain letter, digit or mark', () => {
    assert.equal(showName('write_file-2.x'), 'write_file-2.x');
    assert.equal(showName('Approve :white:'), 'Approve\\u{20}\\u{3a}white\\u{3a}');
    assert.match(showName('n'.repeat(300)), /^n{80}… \(80 of 300 characters\)$/);
  });

  it('acts on no terminal as a line or lines, and its JSON keeps its value', () => {
    const unit = fc.oneof(
      fc.constantFrom(...HIDDEN, ' ', '\n', 'a\nb', '\u001b[2J', '\u009b', '\\u{', '👩‍👧'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    );
    const texts = fc.array(unit, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const lines = showLines(text);
        assert.doesNotMatch(lines, /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/u);
        assert.equal(showLines(lines), lines);
        assert.equal(lines.split('\n').length, text.split('\n').length);
        const line = showLine(text);
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u);
        assert.equal(showLines(line), line);
        assert.equal(fromVisible(line), text);
        const json = showJson(JSON.stringify({ [text]: text }, null, 2));
        assert.doesNotMatch(json, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.deepEqual(JSON.parse(json), { [text]: text });
      }),
      { numRuns: 2_000 },
    );
  });
});
