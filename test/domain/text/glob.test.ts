import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { matchesGlob } from '../../../src/domain/text/glob.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), maxLength: 3 });
const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('*'));
const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), maxLength: 8 });

const toRegExp = (pattern: string) =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((each) => each.replaceAll('.', '\\.'))
      .join('.*')}$`,
  );

it('a star matches anything, and every other character itself', () => {
  fc.assert(
    fc.property(glob, text, (pattern, name) => {
      assert.equal(matchesGlob(pattern, name), toRegExp(pattern).test(name));
    }),
    { numRuns: 5_000 },
  );
});

it('the parts around a star must not overlap', () => {
  assert.equal(matchesGlob('ab*ba', 'aba'), false);
  assert.equal(matchesGlob('a*bc*cd', 'abcd'), false);
  assert.equal(matchesGlob('a*bc*cd', 'abccd'), true);
});

it('a pattern that covers another one matches all that it matches', () => {
  fc.assert(
    fc.property(glob, glob, text, (wide, narrow, name) => {
      fc.pre(matchesGlob(wide, narrow));
      if (matchesGlob(narrow, name))
        assert.ok(matchesGlob(wide, name), `${wide} ${narrow} ${name}`);
    }),
    { numRuns: 5_000 },
  );
});

it('a hostile pattern is matched quickly', () => {
  assert.equal(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5_000)), false);
});
