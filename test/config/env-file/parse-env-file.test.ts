/** The contents of `.env`: each line is read literally, or refused with its number and without its value. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseEnvFile } from '../../../src/config/env-file/parse-env-file.ts';

const read = (text: string) => parseEnvFile(Buffer.from(text));

describe('.env', () => {
  const UNDERSTOOD: readonly (readonly [
    what: string,
    text: string,
    values: Record<string, string>,
  ])[] = [
    ['nothing', '', {}],
    ['comments and empty lines', '# a\n\n  # b\n\t\n', {}],
    ['a value', 'A=1', { A: '1' }],
    ['blanks around the name and the value', '  A = b c \t\nB=\t2', { A: 'b c', B: '2' }],
    ['an empty value', 'A=\nB=""\nC= # none', { A: '', B: '', C: '' }],
    ['a comment after a value', 'A=1 # one\nB=2\t#two', { A: '1', B: '2' }],
    ['a comment after a quoted value', `A='1' # one\nB="2"`, { A: '1', B: '2' }],
    [
      'shell substitutions in single quotes',
      `A='a#b $C \\n "d" '`,
      {
        A: 'a#b $C \\n "d" ',
      },
    ],
    ['both quotes, in backticks', 'A=`it\'s "so" #1`', { A: 'it\'s "so" #1' }],
    ['a hash in double quotes', 'A="a #b"', { A: 'a #b' }],
    ['line breaks in double quotes', 'A="one\\ntwo\nthree"', { A: 'one\ntwo\nthree' }],
    ['the shell keyword export', 'export A=1\n export\tB=2', { A: '1', B: '2' }],
    ['an equals sign in a value', 'A=b=c==', { A: 'b=c==' }],
    ['Windows line breaks', 'A=1\r\nB="x\r\ny"\r\n', { A: '1', B: 'x\ny' }],
    ['a byte order mark', '\ufeffA=1', { A: '1' }],
    ['non-ASCII letters', 'A=grüße 👍', { A: 'grüße 👍' }],
  ];
  for (const [what, text, values] of UNDERSTOOD) {
    it(`reads ${what} literally`, () => {
      assert.deepEqual(read(text), { values, problems: [] });
    });
  }

  const SECRET = 'hunter2';
  const REFUSED: readonly (readonly [what: string, text: string | Buffer, problem: RegExp])[] = [
    ['a “#” within a value', `X=1\nA=0123${SECRET}#abc`, /^line 2 has a “#”.*single quotes/],
    ['a value that begins with “#”', `A=#${SECRET}`, /^line 1 has a “#”/],
    ['a line without “=”', `X=1\n\nA ${SECRET}`, /^line 3 sets nothing: it has no “=”/],
    ['a colon in place of “=”', `A: ${SECRET}`, /^line 1 sets nothing/],
    ['no name', `=${SECRET}`, /^line 1 has no valid name/],
    ['a name with a blank', `A B=${SECRET}`, /^line 1 has no valid name/],
    ['a name with a dash', `A-B=${SECRET}`, /^line 1 has no valid name/],
    ['a name that begins with a digit', `1A=${SECRET}`, /^line 1 has no valid name/],
    ['a name with a no-break space', `\u00a0A=${SECRET}`, /^line 1 has no valid name/],
    ['a name twice', `A=1\nB=2\nA=${SECRET}`, /^line 3 sets A again, after line 1/],
    ['a name twice, once empty', `A=${SECRET}\nA=`, /^line 2 sets A again/],
    ['a quote that is not closed', `A="${SECRET}`, /^line 1 opens a quote " that is not closed/],
    ['a quote closed by the next value', `A="${SECRET}\nB="x"`, /^line 1 opens a quote "/],
    ['text after a quote', `A="a" ${SECRET}`, /^line 1 has more text after its closing "/],
    ['a comment right after a quote', `A='a'#${SECRET}`, /^line 1 has more text after/],
    ['an escaped quote', `A="a\\"${SECRET}"`, /^line 1 has more text after/],
    ['an escape that is not read', `A="a\\t${SECRET}"`, /^line 1 has a “\$” or “\\”/],
    ['an escaped backslash', `A="a\\\\n${SECRET}"`, /^line 1 has a “\$” or “\\”/],
    ['a variable', `A=$${SECRET}`, /^line 1 has a “\$”.*single quotes/],
    ['a variable in braces and quotes', `A="\${${SECRET}}"`, /^line 1 has a “\$” or “\\”/],
    ['a command', `A=$(cat ${SECRET})`, /^line 1 has a “\$”/],
    ['a backslash at the end of a line', `A=${SECRET}\\\nB=2`, /^line 1 has a “\$”, “\\”/],
    ['a break that is not read', `A=a\\n${SECRET}`, /^line 1 has a “\$”, “\\”/],
    ['a quote within a value', `A=don't ${SECRET}`, /^line 1 has a “\$”, “\\” or quote/],
    ['a backtick within a value', `A=a\`${SECRET}\``, /^line 1 has a “\$”, “\\” or quote/],
    ['an invisible blank', `A=\u00a0${SECRET}`, /^line 1 has an invisible character/],
    ['an invisible mark', `A=${SECRET}\u200b`, /^line 1 has an invisible character/],
    ['a CR line break', `X=1\nA=${SECRET}\rB=2`, /^line 2 has a control character/],
    ['a zero byte', `A=${SECRET}\0`, /^line 1 has a control character/],
    ['UTF-16', Buffer.from(`\ufeffA=${SECRET}`, 'utf16le'), /^is not UTF-8/],
    ['Latin-1', Buffer.from(`A=${SECRET}\u00fc`, 'latin1'), /^is not UTF-8/],
  ];
  for (const [what, text, problem] of REFUSED) {
    it(`refuses ${what}, with its line and without its value`, () => {
      const { problems } = parseEnvFile(Buffer.from(text as string));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
      assert.doesNotMatch(problems.join(), new RegExp(SECRET));
    });
  }

  it('reports all problems at once', () => {
    const { problems } = read('A\nB=#x\nC=1\nD="x\nE=2\n');
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, 6)),
      ['line 1', 'line 2', 'line 4'],
    );
  });

  it('reads any value in single quotes in full, and any other line in full or not at all', () => {
    const letter = fc.constantFrom(...'ab #=$\\n"\'`\t', 'ü', '\u200b', '\u00a0');
    const value = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(value, (text) => {
        if (!text.includes("'")) assert.deepEqual(read(`A='${text}'`).values, { A: text });
        const { problems, values } = read(`A=${text}\nB=2`);
        if (problems.length > 0) return;
        assert.equal(values.B, '2');
        // Only blanks around it, a comment and its quotes may be missing.
        const kept = (values.A ?? '').replaceAll('\n', '\\n');
        assert.ok(text.includes(kept), text);
        const rest = text.replace(kept, '').replace(/[ \t]#.*$/, '');
        assert.match(rest, /^[ \t'"`]*$/, text);
      }),
      { numRuns: 5_000 },
    );
  });
});
