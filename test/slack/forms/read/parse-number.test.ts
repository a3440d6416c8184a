import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readFormNumber } from '../../../../src/slack/forms/read/parse-number.ts';

const KINDS = { whole: { integer: true }, decimal: { integer: false } } as const;

/** What a person may type, and whether it is accepted as an integer and as a decimal number. */
const TEXTS: readonly (readonly [text: string, whole: boolean, decimal: boolean])[] = [
  ['0', true, true],
  ['12', true, true],
  ['-3', true, true],
  ['9007199254740991', true, true],
  ['9007199254740993', false, false],
  ['12345678901234567890', false, false],
  ['1e3', false, false],
  ['1E3', false, false],
  ['1e-7', false, true],
  ['1e+21', false, true],
  ['1e999', false, false],
  ['0x10', false, false],
  ['0b1', false, false],
  ['+5', false, false],
  ['-0', false, false],
  ['007', false, false],
  ['-01', false, false],
  ['1.5', false, true],
  ['19.90', false, true],
  ['1.0', false, true],
  ['.5', false, false],
  ['5.', false, false],
  ['0.30000000000000000001', false, false],
  ['1,000', false, false],
  ['1.000,5', false, false],
  ['1 000', false, false],
  ['1\u00a0000', false, false],
  ['1_000', false, false],
  [' 5', false, false],
  ['5 ', false, false],
  ['5\n', false, false],
  ['٣', false, false],
  ['１２', false, false],
  ['−5', false, false],
  ['½', false, false],
  ['NaN', false, false],
  ['Infinity', false, false],
  ['null', false, false],
  ['true', false, false],
  ['"5"', false, false],
  ['', false, false],
];

describe('a number in a form', () => {
  for (const [text, ...taken] of TEXTS) {
    it(`${JSON.stringify(text)} is ${sayTaken(taken)}`, () => {
      const readings = Object.values(KINDS).map((kind) => readFormNumber(text, kind));
      assert.deepEqual(
        readings.map(({ ok }) => ok),
        taken,
      );
      for (const reading of readings) {
        if (reading.ok) assert.equal(reading.value, Number(text));
        else assert.match(reading.message, /^(Write|This number)/);
      }
    });
  }

  it('must be within its bounds', () => {
    const limits = { integer: true, min: 1, max: 50 };
    const read = (text: string) => {
      const reading = readFormNumber(text, limits);
      return reading.ok ? reading.value : reading.message;
    };
    assert.deepEqual(['0', '1', '50', '51'].map(read), [
      'Write 1 or more.',
      1,
      50,
      'Write 50 or less.',
    ]);
  });

  it('is parsed from its JSON form, for every number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const number = Object.is(value, -0) ? 0 : value;
        const reading = readFormNumber(JSON.stringify(number), { integer: false });
        assert.deepEqual(reading, { ok: true, value: number });
      }),
    );
  });

  it('is never changed: an accepted number is written back as it was typed', () => {
    const piece = fc.constantFrom(...'0123456789.,-+eExX _٣１\u00a0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const reading = readFormNumber(text, { integer: true });
        if (reading.ok) assert.equal(String(reading.value), text);
      }),
    );
  });
});

function sayTaken([whole, decimal]: readonly boolean[]): string {
  if (whole && decimal) return 'taken';
  return decimal ? 'taken where decimals are' : 'refused';
}
