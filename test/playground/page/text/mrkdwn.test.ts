import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMrkdwn, parsePlainText } from '../../../../src/playground/page/text/mrkdwn.ts';
import { visibleText } from '../visible-text.ts';

const text = (value: string) => ({ kind: 'text', text: value });
const paragraph = (...children: unknown[]) => [{ kind: 'paragraph', children }];

const TABLE: readonly (readonly [string, string, unknown])[] = [
  ['bold', '*b*', paragraph({ kind: 'strong', children: [text('b')] })],
  ['italic', '_i_', paragraph({ kind: 'emphasis', children: [text('i')] })],
  ['strike', '~s~', paragraph({ kind: 'strike', children: [text('s')] })],
  [
    'nested marks',
    '*a _b_*',
    paragraph({
      kind: 'strong',
      children: [text('a '), { kind: 'emphasis', children: [text('b')] }],
    }),
  ],
  ['code keeps its marks', '`*a* &amp;`', paragraph({ kind: 'code', text: '*a* &' })],
  ['snake_case is no italic', 'a_b_c', paragraph(text('a_b_c'))],
  ['a product is no bold', '2 * 3 * 4', paragraph(text('2 * 3 * 4'))],
  ['bold stays on its line', '*a\nb*', paragraph(text('*a\nb*'))],
  ['a user', '<@U1>', paragraph({ kind: 'user', id: 'U1', label: undefined })],
  ['a channel with a label', '<#C1|ops>', paragraph({ kind: 'channel', id: 'C1', label: 'ops' })],
  ['a user group', '<!subteam^S1|@ops>', paragraph({ kind: 'group', id: 'S1', label: '@ops' })],
  ['a broadcast', '<!here>', paragraph({ kind: 'broadcast', range: 'here' })],
  [
    'a date',
    '<!date^1700000000^{date} at {time}|then>',
    paragraph({
      kind: 'date',
      timestamp: 1_700_000_000,
      format: '{date} at {time}',
      fallback: 'then',
      url: undefined,
    }),
  ],
  [
    'a link with a text',
    '<https://a.example/?x=1&amp;y=2|here &amp; there>',
    paragraph({
      kind: 'link',
      url: 'https://a.example/?x=1&y=2',
      children: [text('here & there')],
    }),
  ],
  [
    'a bare link without its full stop',
    'see https://a.example/b.',
    paragraph(
      text('see '),
      { kind: 'link', url: 'https://a.example/b', children: [text('https://a.example/b')] },
      text('.'),
    ),
  ],
  ['an emoji', ':tada:', paragraph({ kind: 'emoji', name: 'tada' })],
  ['an unknown emoji stays text', ':no_such:', paragraph(text(':no_such:'))],
  ['entities', '&lt;b&gt; &amp;amp;', paragraph(text('<b> &amp;'))],
  ['an inherited property name is no entity', '&constructor;', paragraph(text('&constructor;'))],
  [
    'a quote, then a line',
    '&gt; said\nand more',
    [
      { kind: 'quote', children: [text('said')] },
      { kind: 'paragraph', children: [text('and more')] },
    ],
  ],
  ['a quote of the rest', '>>>a\nb', [{ kind: 'quote', children: [text('a\nb')] }]],
  [
    'preformatted text keeps marks and loses only its first and last line end',
    'x\n```\n*a*\n  b\n```\ny',
    [
      { kind: 'paragraph', children: [text('x')] },
      { kind: 'pre', children: [text('*a*\n  b')] },
      { kind: 'paragraph', children: [text('y')] },
    ],
  ],
  ['an open fence is text', '```a', paragraph(text('```a'))],
];

for (const [name, source, expected] of TABLE) {
  test(`mrkdwn: ${name}`, () => {
    assert.deepEqual(parseMrkdwn(source), expected);
  });
}

const encode = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const show = (source: string) =>
  parseMrkdwn(source)
    .map((block) => visibleText(block.children))
    .join('\n');

test('an encoded text without markup is shown unchanged, HTML included', () => {
  const units = [...'abZ09 <>&"\'/=;#.,()\\é€😀\n'];
  const plain = fc
    .string({ unit: fc.constantFrom(...units), minLength: 1 })
    .filter((value) => !/^[>\n]|\n>/.test(value) && value.trim() !== '');
  fc.assert(
    fc.property(plain, (value) => {
      assert.equal(show(encode(value)), value);
    }),
  );
});

test('no text loses a visible character, with any markup', () => {
  const marks = /[*_~`>\s]/g;
  const units = [...'*_~`> \nab1./(-é'];
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 60 }), (value) => {
      const shown = show(value);
      assert.equal(shown.replace(marks, ''), value.replace(marks, ''));
    }),
    { numRuns: 500 },
  );
});

test('formatted text is shown without its markup', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const wrap = (mark: string) => word.map((value) => ({ source: mark + value + mark, value }));
  const piece = fc.oneof(...['*', '_', '~', '`', ''].map(wrap));
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
      const source = pieces.map((each) => each.source).join(' ');
      assert.equal(show(source), pieces.map((each) => each.value).join(' '));
    }),
  );
});

test('a long text full of unclosed markup is parsed in at most quadratic time', () => {
  const source = '*a _b ~c <e '.repeat(1_000);
  const started = process.hrtime.bigint();
  assert.ok(show(source) === source);
  assert.ok(process.hrtime.bigint() - started < 3_000_000_000n);
});

test('plain text has entities and emoji, and no markup', () => {
  assert.deepEqual(parsePlainText('*a* &lt;b&gt; :x:'), [
    text('*a* <b> '),
    { kind: 'emoji', name: 'x' },
  ]);
});
