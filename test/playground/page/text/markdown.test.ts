import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMarkdown } from '../../../../src/playground/page/text/markdown.ts';
import { visibleMarkdown } from '../visible-text.ts';

const text = (value: string) => ({ kind: 'text', text: value });
const paragraph = (...children: unknown[]) => ({ kind: 'paragraph', children });

const TABLE: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['a heading', '## Done ##', [{ kind: 'heading', level: 2, children: [text('Done')] }]],
  ['a hash without a space is text', '#1 is done', [paragraph(text('#1 is done'))]],
  ['bold', '**b**', [paragraph({ kind: 'strong', children: [text('b')] })]],
  ['italic by star', '*i*', [paragraph({ kind: 'emphasis', children: [text('i')] })]],
  ['italic by underscore', '_i_', [paragraph({ kind: 'emphasis', children: [text('i')] })]],
  ['snake_case is no italic', 'a_b_c', [paragraph(text('a_b_c'))]],
  [
    'bold in italic',
    '*a **b** c*',
    [
      paragraph({
        kind: 'emphasis',
        children: [text('a '), { kind: 'strong', children: [text('b')] }, text(' c')],
      }),
    ],
  ],
  ['strike', '~~s~~', [paragraph({ kind: 'strike', children: [text('s')] })]],
  ['code', '`a*b*`', [paragraph({ kind: 'code', text: 'a*b*' })]],
  ['code with a backtick inside', '`` a`b ``', [paragraph({ kind: 'code', text: 'a`b' })]],
  ['an escape', '\\*a\\*', [paragraph(text('*a*'))]],
  [
    'a link',
    '[the *page*](https://a.example/b_(c))',
    [
      paragraph({
        kind: 'link',
        url: 'https://a.example/b_(c)',
        children: [text('the '), { kind: 'emphasis', children: [text('page')] }],
      }),
    ],
  ],
  [
    'an image is a link to it',
    '![a cat](https://a.example/cat.png)',
    [paragraph({ kind: 'link', url: 'https://a.example/cat.png', children: [text('a cat')] })],
  ],
  ['HTML stays text', '<b onclick="x()">hi</b>', [paragraph(text('<b onclick="x()">hi</b>'))]],
  ['a rule', '---', [{ kind: 'rule' }]],
  [
    'a fence keeps its text',
    '```js\n# no *heading*\n\n  a\n```\nb',
    [{ kind: 'fence', text: '# no *heading*\n\n  a' }, paragraph(text('b'))],
  ],
  ['a fence that is still being written', '```\na', [{ kind: 'fence', text: 'a' }]],
  [
    'a quote with a list',
    '> a\n> - b',
    [
      {
        kind: 'quote',
        blocks: [
          paragraph(text('a')),
          { kind: 'list', ordered: false, start: 1, items: [{ blocks: [paragraph(text('b'))] }] },
        ],
      },
    ],
  ],
  [
    'nested and loose lists',
    '- a\n  1. b\n\n- c',
    [
      {
        kind: 'list',
        ordered: false,
        start: 1,
        items: [
          {
            blocks: [
              paragraph(text('a')),
              {
                kind: 'list',
                ordered: true,
                start: 1,
                items: [{ blocks: [paragraph(text('b'))] }],
              },
            ],
          },
          { blocks: [paragraph(text('c'))] },
        ],
      },
    ],
  ],
  [
    'a task list that starts at a number of its own',
    '3. [x] a\n4. [ ] b',
    [
      {
        kind: 'list',
        ordered: true,
        start: 3,
        items: [
          { checked: true, blocks: [paragraph(text('a'))] },
          { checked: false, blocks: [paragraph(text('b'))] },
        ],
      },
    ],
  ],
  [
    'a table with an escaped bar and a short row',
    '| a | b |\n|:-:|--:|\n| x \\| y |\n',
    [
      {
        kind: 'table',
        align: ['center', 'right'],
        header: [[text('a')], [text('b')]],
        rows: [[[text('x | y')], []]],
      },
    ],
  ],
  [
    'what no ID of Slack looks like, as text beside a mention',
    '<#1> <@2A> <@U1>',
    [paragraph(text('<#1> <@2A> '), { kind: 'user', id: 'U1', label: undefined })],
  ],
  ['lines of a paragraph', 'a  \nb\n\nc', [paragraph(text('a\nb')), paragraph(text('c'))]],
];

for (const [name, source, expected] of TABLE) {
  test(`markdown: ${name}`, () => {
    assert.deepEqual(parseMarkdown(source), expected);
  });
}

test('no text loses a visible character, with any markup', () => {
  // Digits and dots are list markers and may vanish; letters and HTML brackets may not.
  const marks = /[*_~`>#+\-|\s\d.=]/g;
  const units = [...'*_~`># \n-|abc</"1.'];
  // The word after an opening fence names its language and is not shown.
  const unfenced = fc
    .string({ unit: fc.constantFrom(...units), maxLength: 80 })
    .filter((value) => !/`{3}|~{3}/.test(value));
  fc.assert(
    fc.property(unfenced, (value) => {
      const shown = visibleMarkdown(parseMarkdown(value));
      assert.equal(shown.replace(marks, ''), value.replace(marks, ''));
    }),
    { numRuns: 1_000 },
  );
});

test('a long list is parsed in at most quadratic time', () => {
  const source = '- a\n'.repeat(2_000) + '> '.repeat(2_000);
  const started = process.hrtime.bigint();
  const [list] = parseMarkdown(source);
  assert.ok(process.hrtime.bigint() - started < 3_000_000_000n);
  assert.equal(list?.kind === 'list' && list.items.length, 2_000);
});
