import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  toTerminalJson,
  toTerminalLine,
  toTerminalLines,
} from '../../../src/domain/text/terminal-text.ts';
import {
  escapeToolName,
  fromVisible,
  toVisible,
  toVisibleParts,
} from '../../../src/domain/text/visible-text.ts';

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

  it('counts runs of more than eight spaces, and shows spaces at the end of a line', () => {
    assert.equal(toVisible(`ls${' '.repeat(3_500)}; rm`).text, 'ls\\u{20 x3500}; rm');
    assert.equal(toVisible(`a${' '.repeat(8)}b`).text, `a${' '.repeat(8)}b`);
    assert.equal(toVisible('cmd \nnext  ').text, 'cmd\\u{20}\nnext\\u{20 x2}');
    assert.equal(toVisible('  ').text, '\\u{20 x2}');
  });

  it('counts runs of one hidden character, and of more than eight line breaks', () => {
    const command = `ls ${'\u200b'.repeat(600)}; rm`;
    assert.deepEqual(toVisible(command), { text: 'ls \\u{200b x600}; rm', hidden: 600 });
    assert.equal(toVisible('\\u{200b x600}').text, '\\u{5c}u{200b x600}');
    assert.equal(toVisible('a\r\r\nb').text, 'a\\u{d x2}\nb');
    assert.equal(toVisible(`a${'\n'.repeat(8)}b`).text, `a${'\n'.repeat(8)}b`);
    assert.equal(toVisible(`a${'\n'.repeat(9)}b`).text, 'a\\u{a x9}b');
  });

  for (const [what, text, shown] of [
    ['a mark apart from its letter', 'cafe\u0301', 'cafe\\u{301}'],
    ['marks in another order', 'a\u0301\u0323', 'a\\u{301}\\u{323}'],
    ['a sign that is another one', 'a\u037eb', 'a\\u{37e}b'],
    ['a unit that is a letter', '\u212a', '\\u{212a}'],
    ['a syllable in parts', '\u1100\u1161\u11a8', '\u1100\\u{1161}\\u{11a8}'],
  ] as const) {
    it(`writes ${what} as an escape, but not its normal form`, () => {
      assert.equal(toVisible(text).text, shown);
      const normal = text.normalize('NFC');
      assert.deepEqual(toVisible(normal), { text: normal, hidden: 0 });
    });
  }

  it('escapes invisible characters after a combining mark in unnormalized texts, too', () => {
    for (const unseen of ['\u034f', '\ufe0f', '\u1160']) {
      const code = unseen.codePointAt(0)?.toString(16);
      assert.equal(toVisible(`\u212ax\u0301${unseen}y`).text, `\\u{212a}x\u0301\\u{${code}}y`);
    }
  });

  it('is never equal for two texts that Unicode considers equivalent', () => {
    const unit = fc.constantFrom(
      ...'aeK;=가é',
      '\u0301',
      '\u0323',
      '\u0338',
      '\u1100',
      '\u1161',
      '\u{1d15e}',
      '\u0958',
      '😀',
      ' ',
    );
    const texts = fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const { text: shown } = toVisible(text);
        assert.equal(shown.normalize('NFC'), shown);
        assert.equal(fromVisible(shown), text);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps the indentation of code', () => {
    const code = `if\n${' '.repeat(12)}deep`;
    assert.equal(toVisible(code).text, code);
  });

  it('keeps every printable ASCII character except the backslash, also beside our own text', () => {
    for (let code = 0x21; code < 0x7f; code += 1) {
      const sign = String.fromCharCode(code);
      const shown = toVisible(`⟩${sign}⟨`).text.slice(1, -1);
      assert.equal(toVisibleParts([sign, '⟨mask⟩', sign]).text, `${shown}⟨mask⟩${shown}`);
      if (sign !== '\\') assert.equal(shown, sign);
    }
  });

  it('keeps plain text of any length', () => {
    for (const words of ['a'.repeat(6_000_000), `${'a b\n'.repeat(1_500_000)}c`]) {
      assert.ok(toVisible(words).text === words);
    }
    const trailing = `${'a '.repeat(3_000)} 1️⃣ \n`;
    assert.equal(toVisible(trailing).text, `${trailing.slice(0, -2)}\\u{20}\n`);
  });

  it('can be decoded for every text', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        ...HIDDEN,
        ' ',
        '         ',
        '\n',
        '\\u{',
        '}',
        '\\',
        'x2',
        '👩‍👧',
        '\u200b\u200b\u200b',
        '\n'.repeat(12),
        'e\u0301',
      ),
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

  it('escapes everything in a name except plain letters, digits and marks', () => {
    assert.equal(escapeToolName('write_file-2.x'), 'write_file-2.x');
    assert.equal(escapeToolName('Approve :white:'), 'Approve\\u{20}\\u{3a}white\\u{3a}');
    assert.match(escapeToolName('n'.repeat(300)), /^n{80}… \(80 of 300 characters\)$/);
  });

  it('has no terminal control characters, and its JSON form keeps the value', () => {
    const unit = fc.oneof(
      fc.constantFrom(...HIDDEN, ' ', '\n', 'a\nb', '\u001b[2J', '\u009b', '\\u{', '👩‍👧'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    );
    const texts = fc.array(unit, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const lines = toTerminalLines(text);
        assert.doesNotMatch(lines, /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/u);
        assert.equal(toTerminalLines(lines), lines);
        assert.equal(lines.split('\n').length, text.split('\n').length);
        const line = toTerminalLine(text);
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u);
        assert.equal(toTerminalLines(line), line);
        assert.equal(fromVisible(line), text);
        const json = toTerminalJson(JSON.stringify({ [text]: text }, null, 2));
        assert.doesNotMatch(json, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.deepEqual(JSON.parse(json), { [text]: text });
      }),
      { numRuns: 2_000 },
    );
  });
});
