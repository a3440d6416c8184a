import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitPath } from '../../../../src/agent/tools/files/open-folder.ts';
import { toSafeFileName } from '../../../../src/agent/tools/files/safe-file-name.ts';

const whole = (name: string) => {
  const { stem, extension } = toSafeFileName(name);
  return stem + extension;
};

const NASTY = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('.', '/', '\\', '\0', '\n', ' ', '-', 'a', '…', '\u202e', '~'),
  }),
  fc.string({ minLength: 200, maxLength: 600, unit: fc.constantFrom('大', '.', 'a', '🙂') }),
);

test('the safe name of any file is one plain name of limited length', () => {
  fc.assert(
    fc.property(NASTY, (name) => {
      const safe = whole(name);
      assert.deepEqual(splitPath(`inbox/${safe}-F0123456789-19`), [
        'inbox',
        `${safe}-F0123456789-19`,
      ]);
      assert.ok(Buffer.byteLength(safe) <= 200);
      assert.doesNotMatch(safe, /^[.\s-]|[.\s]$|[\p{C}/\\:*?"'`<>|$&;]/u);
      assert.notEqual(safe, '');
    }),
    { numRuns: 2_000 },
  );
});

test('a safe name is its own safe name, so that a second save finds the first', () => {
  fc.assert(
    fc.property(NASTY, (name) => {
      assert.equal(whole(whole(name)), whole(name));
    }),
    { numRuns: 2_000 },
  );
});

const NAMES: readonly (readonly [name: string, safe: string])[] = [
  ['report.pdf', 'report.pdf'],
  ['Q3 Bericht – größer.xlsx', 'Q3 Bericht – größer.xlsx'],
  ['archive.tar.gz', 'archive.tar.gz'],
  ['../../etc/passwd', '_._etc_passwd'],
  ['.bashrc', 'bashrc'],
  ['..', 'file'],
  ['', 'file'],
  ['-rf', 'rf'],
  ['a\nb.txt', 'ab.txt'],
  ['C:\\temp\\x.txt', 'C__temp_x.txt'],
  ['$(rm -rf).sh', '__rm -rf_.sh'],
];

for (const [name, safe] of NAMES) {
  test(`${JSON.stringify(name)} is saved as ${safe}`, () => {
    assert.equal(whole(name), safe);
  });
}
