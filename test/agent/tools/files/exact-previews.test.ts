/** Previews show every byte of a change, and are bound to every byte of the file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { createToolbox } from '../../../../src/agent/tools/create-toolbox.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { toVisible } from '../../../../src/domain/text/visible-text.ts';

function createFile(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'previews-'));
  t.after(() => rmSync(root, { recursive: true }));
  const { toolbox } = createToolbox({ workspaceDir: root });
  const preview = async (name: string, args: JsonValue) => await toolbox.get(name)?.preview?.(args);
  return { at: join(root, 'a.txt'), preview };
}

describe('a preview of a change to a file', () => {
  const CASES: readonly (readonly [what: string, before: string, after: string, shown: string])[] =
    [
      ['spaces at the end of a line', 'x\n', 'x  \n', '-x\n+x\\u{20 x2}'],
      [
        'a space at the end of the file',
        'x',
        'x ',
        '-x\n\\ No newline at end of file\n+x\\u{20}\n\\ No newline at end of file',
      ],
      ['a missing line break', 'x\n', 'x', '-x\n+x\n\\ No newline at end of file'],
      ['an added empty line', 'x\n', 'x\n\n', ' x\n+'],
      ['a carriage return', 'x\ny\n', 'x\r\ny\n', '-x\n+x\\u{d}\n y'],
      [
        'a blank line that is a carriage return',
        'x\n \r\ny\n',
        'z\n \r\ny\n',
        '-x\n+z\n  \\u{d}\n y',
      ],
      ['a line separator', 'x\ny\n', 'x\u2028\ny\n', '-x\n+x\\u{2028}\n y'],
      ['a line with only a separator', 'x\n\u2028\n', 'y\n\u2028\n', '-x\n+y\n \\u{2028}'],
      ['a form feed', 'x\n', 'x\f\n', '-x\n+x\\u{c}'],
      ['a vertical tab', 'x\n', '\vx\n', '-x\n+\\u{b}x'],
      ['a next line', 'x\n', 'x\u0085\n', '-x\n+x\\u{85}'],
      ['a byte order mark', 'x\n', '\ufeffx\n', '-x\n+\\u{feff}x'],
      ['a NUL', 'x\n', 'x\0\n', '-x\n+x\\u{0}'],
    ];
  for (const [what, before, after, shown] of CASES) {
    it(`shows ${what}`, async (t) => {
      const { at, preview } = createFile(t);
      writeFileSync(at, before);
      const { text = '' } = (await preview('write_file', { path: 'a.txt', content: after })) ?? {};
      assert.equal(toVisible(text).text.split('\n').slice(3).join('\n'), shown);
    });
  }

  it('is different for every other text of the file and every other new text', async (t) => {
    const { at, preview } = createFile(t);
    const part = fc.constantFrom(
      'a',
      'b',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '  ',
      '\t',
      '\u2028',
      '\ufeff',
      '\u0085',
      '\f',
      'e\u0301',
      'é',
    );
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    const show = async (before: string, after: string) => {
      writeFileSync(at, before);
      const shown = await preview('write_file', { path: 'a.txt', content: after });
      return { text: toVisible(shown?.text ?? '').text, basis: shown?.basis };
    };
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, after, other) => {
        fc.pre(after !== other);
        const first = await show(before, after);
        assert.notEqual(first.text, (await show(before, other)).text);
        const second = await show(other, before);
        const third = await show(after, before);
        assert.notEqual(second.text, third.text);
        assert.notEqual(second.basis, third.basis);
      }),
      { numRuns: 400 },
    );
  });

  it('gives the number of bytes if they are not text, and is bound to them', async (t) => {
    const { at, preview } = createFile(t);
    writeFileSync(at, Uint8Array.of(0xff, 0xfe, 0x41));
    const first = await preview('delete_file', { path: 'a.txt' });
    assert.match(first?.text ?? '', /3 bytes, not text/);
    writeFileSync(at, Uint8Array.of(0xff, 0xfe, 0x42));
    assert.notEqual((await preview('delete_file', { path: 'a.txt' }))?.basis, first?.basis);
  });
});
