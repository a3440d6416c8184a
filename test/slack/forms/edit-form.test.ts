import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../src/domain/json.ts';
import { changeDraft } from '../../../src/slack/forms/form-draft.ts';
import { placeProblems, toFormErrors } from '../../../src/slack/forms/form-errors.ts';
import {
  type Draft,
  fieldsOf,
  NO_DRAFT,
  nodesOf,
  type Raw,
} from '../../../src/slack/forms/form-node.ts';
import { suggestOptions } from '../../../src/slack/forms/suggest-options.ts';
import { argsOf, fieldNamed, fillForm, inputsOf, problemsOf, toolOf } from './fill-form.ts';

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
    it(`${what} is a ${element}, kept untouched and changed alone`, () => {
      const tool = objectOf({ v: schema, other: STRING });
      const args = { other: ' kept\t', v: before };
      assert.equal(elements(args, tool).v, element);
      assert.deepEqual(argsOf(fillForm(args, tool)), args);
      const changed = argsOf(fillForm(args, tool, { v: raw }));
      assert.deepEqual(changed, after === undefined ? { other: ' kept\t' } : { ...args, v: after });
    });
  }

  it('an emptied one is left out, null, an empty text or an empty list, as its schema has it', () => {
    const nullable = { anyOf: [STRING, { type: 'null' }] };
    const list = { type: 'array', items: STRING };
    const properties = { a: STRING, b: STRING, c: nullable, d: list, n: { type: 'number' } };
    const tool = objectOf(properties, ['b', 'c', 'd', 'n']);
    const args = { a: 'x', b: 'x', c: 'x', d: ['x'], n: 1 };
    const filled = fillForm(args, tool, { a: '', b: '', c: '', d: '' });
    assert.deepEqual(argsOf(filled), { b: '', c: null, d: [], n: 1 });
    assert.deepEqual(problemsOf(fillForm(args, tool, { n: '' })), ['This needs a value.']);
  });

  it('says where JSON and numbers are wrong, and what is no choice', () => {
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
    assert.match(wrong({ n: '12345678901234567890' }), /^Write a number: .*lose digits/);
    assert.match(wrong({ l: '1\nx' }), /^Line 2: write a number\.$/);
  });

  it('has a name that people read, the reason it is there, and marks where it may be left empty', () => {
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

  it('of a searched choice is found by what was typed, the best first', () => {
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

describe('the parts of a form', () => {
  /** Makes a change of the parts by the path of the part. */
  function change(
    args: JsonValue,
    tool: ReturnType<typeof toolOf>,
    path: string,
    what: 'add' | 'toggle' | string,
    before: Draft = NO_DRAFT,
  ): Draft {
    const { plan, draft } = fillForm(args, tool, {}, before);
    const node = nodesOf(plan).find(
      (each) => each.path.join('.') === path && ['entries', 'group'].includes(each.type),
    );
    assert.ok(node, path);
    const kind = what === 'add' || what === 'toggle' ? what : 'remove';
    return changeDraft(draft, plan, { kind, id: node.id, item: what });
  }
  const person = {
    type: 'object',
    properties: { name: STRING, email: { type: 'string', format: 'email' } },
    required: ['name'],
  };

  it('entries of a list are changed, added and removed, the others to the byte', () => {
    const tool = objectOf({ to: { type: 'array', items: person } }, ['to']);
    const args = { to: [{ name: 'A ' }, { email: 'b@b.example', name: 'B' }, { name: 'C\t' }] };
    const removed = change(args, tool, 'to', '1');
    assert.deepEqual(argsOf(fillForm(args, tool, {}, removed)), {
      to: [{ name: 'A ' }, { name: 'C\t' }],
    });
    const added = change(args, tool, 'to', 'add', removed);
    assert.deepEqual(problemsOf(fillForm(args, tool, {}, added)), ['This needs a value.']);
    const filled = fillForm(args, tool, { 'to.2.name': 'D', 'to.0.name': 'A2' }, added);
    assert.deepEqual(argsOf(filled), { to: [{ name: 'A2' }, { name: 'C\t' }, { name: 'D' }] });
  });

  it('an empty list and an absent one stay what they are until an entry is added', () => {
    const tool = objectOf({
      a: { type: 'array', items: person },
      b: { type: 'array', items: person },
    });
    assert.deepEqual(argsOf(fillForm({ a: [] }, tool)), { a: [] });
    const added = change({ a: [] }, tool, 'b', 'add');
    assert.deepEqual(argsOf(fillForm({ a: [] }, tool, { 'b.0.name': 'N' }, added)), {
      a: [],
      b: [{ name: 'N' }],
    });
  });

  it('entries of a record are renamed, added and removed; two of one name are refused', () => {
    const tool = objectOf({ env: { type: 'object', additionalProperties: { type: 'number' } } });
    const args = { env: { a: 1, 'b c': 2 } };
    const { plan } = fillForm(args, tool);
    const [name] = fieldsOf(plan);
    assert.ok(name);
    assert.deepEqual(argsOf(fillForm(args, tool, { [name.id]: 'z' })), { env: { z: 1, 'b c': 2 } });
    assert.deepEqual(problemsOf(fillForm(args, tool, { [name.id]: 'b c' })), [
      'Another entry has this name.',
    ]);
    assert.deepEqual(argsOf(fillForm(args, tool, {}, change(args, tool, 'env', '0'))), {
      env: { 'b c': 2 },
    });
    const added = change(args, tool, 'env', 'add');
    const [newName, newValue] = fieldsOf(fillForm(args, tool, {}, added).plan).slice(-2);
    assert.ok(newName && newValue);
    const changes = { [newName.id]: 'n', [newValue.id]: '3' };
    assert.deepEqual(argsOf(fillForm(args, tool, changes, added)), {
      env: { a: 1, 'b c': 2, n: 3 },
    });
  });

  it('a group that may lack is added with what it needs, and left out again', () => {
    const tool = objectOf({ who: { anyOf: [person, { type: 'null' }] }, at: person }, ['who']);
    const args = { at: { name: 'x' }, who: null };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, change(args, tool, 'at', 'toggle'))), {
      who: null,
    });
    const added = change(args, tool, 'who', 'toggle');
    const filled = fillForm(args, tool, { 'who.name': 'N' }, added);
    assert.deepEqual(argsOf(filled), { at: { name: 'x' }, who: { name: 'N' } });
    assert.deepEqual(
      argsOf(fillForm(args, tool, {}, change(args, tool, 'who', 'toggle', added))),
      args,
    );
  });

  it('another kind has its own fields, keeps what both have, and drops the rest; coming back brings it back', () => {
    const kind = (name: string, properties: JsonValue, required: string[]) => ({
      type: 'object',
      properties: { kind: { const: name }, note: STRING, ...(properties as object) },
      required: ['kind', ...required],
      additionalProperties: false,
    });
    const by = {
      oneOf: [
        kind('by_id', { id: { type: 'number' } }, ['id']),
        kind('by_name', { id: STRING, exact: { type: 'boolean' } }, ['id']),
      ],
    };
    const tool = objectOf({ by }, ['by']);
    const args = { by: { id: 42, kind: 'by_id', note: 'n ' } };
    const union = nodesOf(fillForm(args, tool).plan).find((node) => node.type === 'union');
    assert.ok(union?.type === 'union');
    assert.deepEqual(union.kinds, ['By ID', 'By name']);
    const { draft } = fillForm(args, tool, { 'by.id': '43' });
    const other = { ...draft, kinds: { [union.id]: 1 } };
    assert.deepEqual(problemsOf(fillForm(args, tool, {}, other)), ['This needs a value.']);
    const named = fillForm(args, tool, { 'by.id': 'forty' }, other);
    assert.deepEqual(argsOf(named), { by: { id: 'forty', kind: 'by_name', note: 'n ' } });
    const back = { ...named.draft, kinds: { [union.id]: 0 } };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, back)), {
      by: { id: 43, kind: 'by_id', note: 'n ' },
    });
  });

  it('a value of two types keeps its own: the text 42 stays a text', () => {
    const tool = objectOf({ v: { anyOf: [STRING, { type: 'number' }] } }, ['v']);
    assert.deepEqual(argsOf(fillForm({ v: '42' }, tool, { v: '43' })), { v: '43' });
    assert.deepEqual(argsOf(fillForm({ v: 42 }, tool, { v: '43' })), { v: 43 });
  });

  it('a tuple, an intersection and a tree have a field for each value', () => {
    const tree = {
      type: 'object',
      properties: { name: STRING, next: { type: 'array', items: { $ref: '#/properties/tree' } } },
      required: ['name'],
    };
    const pair = { type: 'array', items: [STRING, { type: 'number' }], additionalItems: false };
    const both = {
      allOf: [
        { type: 'object', properties: { a: STRING } },
        { type: 'object', properties: { b: { type: 'boolean' } } },
      ],
    };
    const tool = objectOf({ tree, pair, both });
    const args = {
      both: { a: 'x', b: true },
      pair: ['p', 1],
      tree: { name: 'r', next: [{ name: 'c', next: [] }] },
    };
    const found = elements(args, tool);
    for (const id of ['both.b', 'pair.1', 'tree.next.0.name']) assert.ok(found[id], id);
    const changed = fillForm(args, tool, { 'pair.1': '2', 'tree.next.0.name': 'd' });
    assert.deepEqual(argsOf(changed), {
      ...args,
      pair: ['p', 2],
      tree: { name: 'r', next: [{ name: 'd', next: [] }] },
    });
  });

  it('without a schema each value has the field of its own type, however malformed the schema', () => {
    const args = { a: 'x', b: true, c: [{ d: 1 }], e: null, f: { g: ['h'] } };
    const inferred = elements(args);
    assert.equal(inferred.a, 'plain_text_input');
    assert.equal(inferred.b, 'radio_buttons');
    assert.equal(inferred['c.0.d'], 'number_input');
    const odd = [
      { properties: null },
      { type: 7, properties: [] },
      { anyOf: 'x' },
      { properties: { a: 3, b: { $ref: '#' }, c: { $ref: '#/properties/c' } } },
      { allOf: [{ $ref: '%' }, 4] },
    ];
    for (const schema of odd as JsonValue[]) {
      assert.deepEqual(argsOf(fillForm(args, toolOf(schema))), args);
    }
  });
});

describe('what a form does not carry', () => {
  const secret = { type: 'object', properties: { user: STRING, password: STRING } };
  const tool = toolOf(
    {
      type: 'object',
      properties: {
        token: STRING,
        login: secret,
        pin: { type: 'string', format: 'password' },
        env: { type: 'object', additionalProperties: STRING },
        long: STRING,
        any: {},
      },
    },
    ['token', 'login.password', 'env.KEY', 'any.deep.key'],
  );
  const args = {
    any: { deep: { key: 'sec-1' } },
    env: { KEY: 'sec-2', OTHER: 'o' },
    login: { password: 'sec-3', user: 'u' },
    long: `${'l'.repeat(7_990)} the  end\n`,
    pin: 'sec-4',
    token: 'sec-5',
  };

  it('is named, never shown, and kept to the byte', () => {
    const { views } = fillForm(args, tool);
    const text = JSON.stringify(views);
    assert.ok(!/sec-\d|llll/.test(text));
    for (const said of [
      'Long: 8,000 characters, more than a form can hold',
      'Token: kept as it is (secret)',
      'KEY: kept as it is (secret)',
    ]) {
      assert.ok(text.includes(said.replace(': 8', ': kept as it is (8')), said);
    }
    const changed = fillForm(args, tool, { 'login.user': 'v' });
    assert.deepEqual(argsOf(changed), { ...args, login: { password: 'sec-3', user: 'v' } });
  });

  it('is out of reach of whatever a view sends: no secret, no other key, no other name', () => {
    const { plan, draft } = fillForm(args, tool);
    const kept = nodesOf(plan).filter(({ type }) => type === 'kept');
    assert.equal(kept.length, 6);
    const forged = {
      ...draft,
      fields: {
        ...draft.fields,
        evil: 'x',
        ...Object.fromEntries(kept.map(({ id }) => [id, 'stolen'])),
      },
    };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, forged)), args);
    assert.ok(fieldsOf(plan).every(({ initial }) => !String(initial).includes('KEY')));
  });

  it('leaves nothing to save where that is all', () => {
    const { views } = fillForm(
      { token: 'x' },
      toolOf({ properties: { token: STRING } }, ['token']),
    );
    assert.equal(views[0]?.submit, undefined);
    assert.match(JSON.stringify(views), /has nothing that a form can change/);
  });
});

describe('the pages of a form', () => {
  it('hold thirty fields each, and only the last one saves', () => {
    const args = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`f${i}`, `v${i} `]));
    const tool = objectOf(Object.fromEntries(Object.keys(args).map((key) => [key, STRING])));
    const { views } = fillForm(args, tool);
    assert.deepEqual(
      views.map((view) => [inputsOf(view).length, view.submit?.text]),
      [
        [30, 'Next page'],
        [30, 'Next page'],
        [10, 'Save and approve'],
      ],
    );
    assert.deepEqual(argsOf(fillForm(args, tool, { f0: 'a', f69: 'z' })), {
      ...args,
      f0: 'a',
      f69: 'z',
    });
  });

  it('stay small: sixty texts of three thousand characters are spread out', () => {
    const args = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`f${i}`, 'é'.repeat(3_000)]),
    );
    const { views } = fillForm(args, toolOf({}));
    assert.ok(views.every((view) => Buffer.byteLength(JSON.stringify(view)) < 250_000));
  });
});

describe('errors of a form', () => {
  const cases: readonly (readonly [
    what: string,
    path: readonly (string | number)[],
    message: string,
    on: string,
    said: RegExp,
  ])[] = [
    ['of one argument', ['end'], 'Too small.', 'end', /^Too small\.$/],
    ['of a nested path', ['to', 0, 'email'], 'Bad.', 'to.0.email', /^Bad\.$/],
    ['within a field', ['raw', 'a', 3], 'Bad.', 'raw', /^a\.3: Bad\.$/],
    ['of all together', [], 'end > start', 'start', /^The arguments together: end > start$/],
    ['of what is not in the form', ['elsewhere'], 'Bad.', 'start', /^elsewhere: Bad\.$/],
    ['without words', ['end'], ' ', 'end', /^This value is not valid\.$/],
    ['too long', ['end'], 'x'.repeat(2_500), 'end', /^x{299}…$/],
  ];
  const tool = objectOf({
    start: STRING,
    end: STRING,
    raw: { 'x-any': 1 },
    to: { type: 'array', items: { type: 'object', properties: { email: STRING } } },
  });
  const args = { end: 'e', raw: { a: [] }, start: 's', to: [{ email: 'x' }] };
  for (const [what, path, message, on, said] of cases) {
    it(`${what} stand on an input that is there`, () => {
      const { plan } = fillForm(args, tool);
      const inputs = new Set(fieldsOf(plan).map(({ id }) => id));
      const errors = toFormErrors(placeProblems([{ path, message }], plan), plan, inputs) ?? {};
      assert.deepEqual(Object.keys(errors), [fieldNamed(plan, on).id]);
      assert.match(Object.values(errors)[0] ?? '', said);
    });
  }

  it('of an input that is not in view stand nowhere: the form has to go there', () => {
    const { plan } = fillForm(args, tool);
    const problems = placeProblems([{ path: ['end'], message: 'Bad.' }], plan);
    assert.equal(toFormErrors(problems, plan, new Set([fieldNamed(plan, 'start').id])), undefined);
    assert.equal(toFormErrors(problems, plan, new Set()), undefined);
  });
});
