import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { diffLines } from '../../../src/domain/text/line-diff.ts';

const LINES = fc.constantFrom('a\n', 'b\n', '\n', 'c', ' \n', 'a\r\n', '\u2028\n');
const TEXT = fc.array(LINES, { maxLength: 14 }).map((lines) => lines.join(''));

describe('the difference of two texts', () => {
  it('turns one text into the other, at the lines that it names', () => {
    fc.assert(
      fc.property(TEXT, TEXT, fc.nat(3), (before, after, context) => {
        if (before === after) return;
        const patch = diffLines(before, after, { context, maxChanged: 100 });
        assert.ok(patch !== undefined);
        assert.equal(applyPatch(before, `${patch}\n`, { autoConvertLineEndings: false }), after);
      }),
      { numRuns: 5_000 },
    );
  });

  it('shows one changed line of a long text, with its number', () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i % 7}\n`);
    const after = lines.with(150_000, 'x\n').join('');
    assert.equal(
      diffLines(lines.join(''), after, { context: 1, maxChanged: 10 }),
      '@@ -150000,3 +150000,3 @@\n 3\n-4\n+x\n 5',
    );
  });

  it('is not made if too much differs to compare quickly', () => {
    const [one, other] = ['a', 'b'].map((letter) => `${letter}\n`.repeat(400));
    assert.equal(diffLines(one ?? '', other ?? '', { context: 1, maxChanged: 700 }), undefined);
    const far = 'x\n'.repeat(10_001);
    assert.equal(diffLines(`a\n${far}a`, `b\n${far}b`, { context: 1, maxChanged: 9 }), undefined);
  });
});
