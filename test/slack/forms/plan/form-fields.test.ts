import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { suggestOptions } from '../../../../src/slack/forms/draw/suggest-options.ts';
import type { Raw } from '../../../../src/slack/forms/plan/form-node.ts';
import { argsOf, fieldNamed, fillForm, inputsOf, problemsOf, toolOf } from '../fill-form.ts';

const STRING = { type: 'string' };

function objectOf(
  properties: { readonly [key: string]: JsonValue },
  required: readonly string[] = [],
) {
  return toolOf({ type: 'object', properties, required });
}

/** The element of each field, by action id. */
function elements(args: JsonValue, tool = toolOf({})): Readonly<Record<string, string>> {
  const inputs = fillForm(args, tool).views.flatMap(inputsOf);
  return Object.fromEntries(inputs.map(({ element }) => [element.action_id, element.type]));
}

describe('the field of a value', () => {
  const ALIKE = 'Deliver to the warehouse by the river, on the left bank, behind the old mill gate';
  const many = Array.from({ length: 250 }, (_, i) => `m${i}`);
  const cases: readonly (readonly [
    what: string,
    schema: JsonValue,
    before: JsonValue,
    element: string,
    raw: Raw,
    after: JsonValue | undefined,
  ])[] = [
    ['a text', STRING, 'a', 'plain_text_input', 'b', 'b'],
    ['a text that looks like JSON', STRING, '["x"]', 'plain_text_input', '["x", 1]', '["x", 1]'],
    ['a text that can’t be seen', STRING, 'a\u200bb', 'plain_text_input', '"c"', 'c'],
    [
      'an e-mail',
      { type: 'string', format: 'email' },
      'a@b.example',
      'email_text_input',
      'c@d.example',
      'c@d.example',
    ],
    [
      'what is no e-mail',
      { type: 'string', format: 'email' },
      'ann',
      'plain_text_input',
      'bob',
      'bob',
    ],
    [
      'a URL',
      { type: 'string', format: 'uri' },
      'https://a.example',
      'url_text_input',
      'https://b.example',
      'https://b.example',
    ],
    [
      'a date',
      { type: 'string', format: 'date' },
      '2026-02-28',
      'datepicker',
      '2026-03-01',
      '2026-03-01',
    ],
    [
      'no date of the calendar',
      { type: 'string', format: 'date' },
      '2026-02-30',
      'plain_text_input',
      '2026-03-01',
      '2026-03-01',
    ],
    ['a time', { type: 'string', format: 'time' }, '10:30', 'timepicker', '11:45', '11:45'],
    [
      'a time with seconds',
      { type: 'string', format: 'time' },
      '10:30:15',
      'plain_text_input',
      '10:30:16',
      '10:30:16',
    ],
    [
      'a moment',
      { type: 'string', format: 'date-time' },
      '2026-01-02T10:00:00Z',
      'datetimepicker',
      '1767434400',
      '2026-01-03T10:00:00Z',
    ],
    [
      'a moment elsewhere',
      { type: 'string', format: 'date-time' },
      '2026-01-02T10:00:00.000-03:30',
      'datetimepicker',
      '1767447000',
      '2026-01-03T10:00:00.000-03:30',
    ],
    [
      'the same minute of a moment',
      { type: 'string', format: 'date-time' },
      '2026-01-02T10:00:37.5Z',
      'datetimepicker',
      '1767348000',
      '2026-01-02T10:00:37.5Z',
    ],
    [
      'a local moment',
      { type: 'string', format: 'date-time' },
      '2026-01-02T10:00:00',
      'plain_text_input',
      'x',
      'x',
    ],
    ['a number', { type: 'number' }, 0, 'number_input', '-3.50', -3.5],
    ['a small number', { type: 'number' }, 1e-7, 'plain_text_input', '2e-7', 2e-7],
    ['a large number', { type: 'number' }, 1e21, 'plain_text_input', '3', 3],
    ['an integer', { type: 'integer', minimum: 0 }, 4, 'number_input', '5', 5],
    ['true', { type: 'boolean' }, true, 'radio_buttons', '1', false],
    ['a boolean that lacks', { type: 'boolean' }, true, 'radio_buttons', '2', undefined],
    ['a member', { enum: ['a', 'b'] }, 'a', 'static_select', '1', 'b'],
    ['members of all types', { enum: [1, '1', null, { a: 1 }] }, 1, 'static_select', '3', { a: 1 }],
    ['numbers that have names', { type: 'number', enum: [1, 2] }, 1, 'static_select', '1', 2],
    [
      'members that look alike',
      { enum: [`${ALIKE} A`, `${ALIKE} B`] },
      `${ALIKE} A`,
      'static_select',
      '1',
      `${ALIKE} B`,
    ],
    ['a member of many', { enum: many }, 'm7', 'external_select', '249', 'm249'],
    ['null that may be a text', { type: ['string', 'null'] }, null, 'plain_text_input', 'x', 'x'],
    [
      'a list of texts',
      { type: 'array', items: STRING },
      ['a, b', '["x"]'],
      'plain_text_input',
      'a, b\nnew',
      ['a, b', 'new'],
    ],
    [
      'a list of numbers',
      { type: 'array', items: { type: 'number' } },
      [1, 1e-7],
      'plain_text_input',
      '1\n 2.5 \n',
      [1, 2.5],
    ],
    [
      'a list of members',
      { type: 'array', items: { enum: ['a', 'b', 'c'] } },
      ['c', 'a'],
      'checkboxes',
      ['1', '2'],
      ['c', 'b'],
    ],
    [
      'a list of many members',
      { type: 'array', items: { enum: many } },
      [],
      'multi_external_select',
      ['249', '3'],
      ['m3', 'm249'],
    ],
    ['anything', { 'x-other': 1 }, { a: [1] }, 'plain_text_input', '{"a":[2]}', { a: [2] }],
    ['what refers to nothing', { $ref: '#/$defs/no' }, [1], 'plain_text_input', '[2]', [2]],
  ];
  for (const [what, schema, before, element, raw, after] of cases) {
    it(`${what} is a ${element}, keeps its value untouched, and changes only itself`, () => {
      const tool = objectOf({ v: schema, other: STRING });
      const args = { other: ' kept\t', v: before };
      assert.equal(elements(args, tool).v, element);
      assert.deepEqual(argsOf(fillForm(args, tool)), args);
      const changed = argsOf(fillForm(args, tool, { v: raw }));
      assert.deepEqual(changed, after === undefined ? { other: ' kept\t' } : { ...args, v: after });
    });
  }

  it('becomes absent, null, an empty text or an empty list when it is emptied, as its schema allows', () => {
    const nullable = { anyOf: [STRING, { type: 'null' }] };
    const list = { type: 'array', items: STRING };
    const properties = { a: STRING, b: STRING, c: nullable, d: list, n: { type: 'number' } };
    const tool = objectOf(properties, ['b', 'c', 'd', 'n']);
    const args = { a: 'x', b: 'x', c: 'x', d: ['x'], n: 1 };
    const filled = fillForm(args, tool, { a: '', b: '', c: '', d: '' });
    assert.deepEqual(argsOf(filled), { b: '', c: null, d: [], n: 1 });
    assert.deepEqual(problemsOf(fillForm(args, tool, { n: '' })), ['This needs a value.']);
  });

  it('reports where JSON and numbers are invalid, and which value is no option', () => {
    const tool = objectOf(
      { j: {}, n: { type: 'number' }, l: { type: 'array', items: { type: 'integer' } } },
      ['n'],
    );
    const args = { j: [], l: [1], n: 1 };
    const wrong = (changes: Readonly<Record<string, Raw>>) =>
      problemsOf(fillForm(args, tool, changes)).join();
    assert.match(wrong({ j: '["a",\n]' }), /^Line 2, column 1: ./);
    assert.match(wrong({ j: '{"a":1,"a":2}' }), /^Line 1, column 8: ./);
    assert.match(wrong({ j: '\ufeff[1]' }), /^Line 1, column 1: ./);
    assert.match(wrong({ j: '[“x”]' }), /^Line 1, column 2: ./);
    assert.match(wrong({ n: '12345678901234567890' }), /can’t be stored exactly/);
    assert.match(wrong({ l: '1\nx' }), /^Line 2: Write a whole number with digits only/);
  });

  it('has a readable name, a description, and a mark if it is optional', () => {
    const tool = objectOf(
      {
        customerEmail: { type: 'string', description: 'Where it goes\n<!channel> \u202e' },
        order_id: { type: 'string', title: 'Order id' },
        tip: { type: 'number', title: 'Amount', minimum: 1, exclusiveMaximum: 9, default: 2 },
      },
      ['customerEmail'],
    );
    const inputs = fillForm({ customerEmail: 'a', order_id: 'b' }, tool).views.flatMap(inputsOf);
    assert.deepEqual(
      inputs.map(({ label, hint, optional }) => [label.text, hint?.text ?? '', optional]),
      [
        ['Customer email', 'Where it goes <!channel> \\u{202e}.', false],
        ['Order id', '', true],
        ['Amount (tip)', 'At least 1, less than 9. Default: 2.', true],
      ],
    );
  });

  it('shows above it which characters are invisible or look like others', () => {
    const said = (text: string) => {
      const [view] = fillForm({ text }, objectOf({ text: STRING })).views;
      return JSON.stringify(view?.blocks.filter(({ type }) => type === 'context'));
    };
    assert.match(
      said('сору secret.txt'),
      /⚠ Text: “сору” is written in Cyrillic letters, each of which looks Latin/,
    );
    assert.match(said('p\u0430ypal'), /“p\u0430ypal” has mixed scripts: Latin \+ Cyrillic/);
    assert.match(said('cafe\u0301'), /⚠ Text: 1 character can’t be seen as it is\./);
    assert.match(said('ls  '), /⚠ Text: 2 characters can’t be seen as they are\./);
    assert.match(said('a\u2215b'), /“\u2215” \(U\+2215\) looks like “\/”/);
    for (const honest of [
      'copy secret.txt',
      'café',
      'Не трогать файл с отчётом, пока нет ответа',
    ]) {
      assert.doesNotMatch(said(honest), /⚠/);
    }
  });

  it('is JSON for a value of any type, and only such a field says so', () => {
    const tool = objectOf({ l: { type: 'array' }, t: STRING });
    const inputs = fillForm({ l: [1, 'x', 'a\u200bb'], t: 'x' }, tool).views.flatMap(inputsOf);
    assert.deepEqual(
      inputs.map(({ hint }) => hint?.text.slice(0, 15)),
      [undefined, 'Written as JSON', 'Written as JSON', 'Text with invis'],
    );
  });

  it('searches options by the typed text, the best match first', () => {
    const values = Array.from({ length: 2_000 }, (_, i) => `city ${i}`);
    const { plan } = fillForm(
      { c: 'city 1999' },
      objectOf({ c: { enum: [...values, 'Old city 7'] } }, ['c']),
    );
    const { id } = fieldNamed(plan, 'c');
    const found = suggestOptions(plan, id, ' CITY 7');
    assert.equal(found.length, 100);
    assert.deepEqual(
      found.slice(0, 2).map(({ text }) => text.text),
      ['city 7', 'city 70'],
    );
    assert.deepEqual(
      suggestOptions(plan, id, 'old').map(({ text }) => text.text),
      ['Old city 7'],
    );
    assert.deepEqual(suggestOptions(plan, 'elsewhere', 'city'), []);
  });
});
