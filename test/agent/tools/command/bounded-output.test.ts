import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBoundedOutput } from '../../../../src/agent/tools/command/bounded-output.ts';

test('the beginning and the end are kept and the rest is counted, however the output is chunked', () => {
  const anOutput = fc.array(fc.string({ maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(
      anOutput,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (parts, head, tail) => {
        const ascii = parts.map((part) => part.replace(/[^\x20-\x7e]/g, '?'));
        const kept = createBoundedOutput(head, tail);
        for (const part of ascii) kept.add(Buffer.from(part));
        const whole = ascii.join('');
        const left = whole.length - head - tail;
        const expected =
          left <= 0
            ? whole
            : `${whole.slice(0, head)}\n[… ${left} bytes left out …]\n${whole.slice(-tail)}`;
        assert.equal(kept.text(), expected);
      },
    ),
  );
});

test('the cut leaves no half characters, and a short text is unchanged', () => {
  const whole = createBoundedOutput(4, 4);
  whole.add(Buffer.from('€€'));
  assert.equal(whole.text(), '€€');
  const cut = createBoundedOutput(4, 4);
  cut.add(Buffer.from('€€€€€'));
  assert.equal(cut.text(), '€\n[… 7 bytes left out …]\n€');
});
