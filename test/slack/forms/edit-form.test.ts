import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InputBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import type { JsonValue } from '../../../src/domain/json.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildEditForm } from '../../../src/slack/forms/edit-form.ts';
import { toFormErrors } from '../../../src/slack/forms/form-errors.ts';
import type { FormTool } from '../../../src/slack/forms/form-fields.ts';
import { parseEditForm } from '../../../src/slack/forms/parse-edit-form.ts';
import { aCall } from '../../support/a-call.ts';

const TOOL: FormTool = {
  secrets: ['token', 'headers.Authorization'],
  schema: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'Who gets it.' },
      note: { type: 'string' },
      count: { type: 'integer' },
      urgent: { type: 'boolean' },
      kind: {
        type: 'string',
        enum: ['a', 'b', `${'long '.repeat(30)}1`, `${'long '.repeat(30)}2`],
      },
      level: { enum: [1, 2, null] },
      tags: { type: 'array', items: { type: 'string' } },
      token: { type: 'string' },
      headers: { type: 'object' },
    },
    required: ['to', 'count'],
  },
};

describe('the edit form', () => {
  it('changes nothing when it is left untouched', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '',
        '  ',
        'a\nb',
        'a\r\n',
        '\u200b',
        'y'.repeat(3_001),
        'z'.repeat(3_000),
        ' x ',
      ),
    );
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    const args = fc.record(
      {
        to: text,
        count: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        note: text,
        urgent: fc.boolean(),
        kind: fc.oneof(fc.constantFrom('a', 'b', `${'long '.repeat(30)}2`), text),
        level: fc.oneof(fc.constantFrom(1, 2, null), json),
        tags: fc.array(text, { maxLength: 4 }),
        token: text,
        headers: json,
        __proto__: json,
        'odd key': json,
      },
      { requiredKeys: ['to', 'count'] },
    );
    fc.assert(
      fc.property(args, (value) => {
        const canonical = JSON.parse(JSON.stringify(value)) as JsonValue;
        const call = aCall({ args: JSON.stringify(canonical) });
        const form = buildEditForm(call, TOOL);
        assert.deepEqual(validateView(form), []);
        const parsed = parseEditForm(call, TOOL, untouched(form));
        assert.ok(parsed.ok);
        assert.deepEqual(parsed.args, canonical);
      }),
      { numRuns: 1_000 },
    );
  });

  it('changes the field that was changed, and no other', () => {
    const args = { to: 'ann', count: 2, urgent: false, kind: 'a', tags: ['x'] };
    const call = aCall({ args: JSON.stringify(args) });
    const change = (patch: Record<string, string>) => {
      const parsed = parseEditForm(call, TOOL, touched(buildEditForm(call, TOOL), patch));
      return parsed.ok ? parsed.args : parsed.errors;
    };
    assert.deepEqual(change({ to: 'bob' }), { ...args, to: 'bob' });
    assert.deepEqual(change({ count: '-3.5' }), { ...args, count: -3.5 });
    assert.deepEqual(change({ urgent: '0' }), { ...args, urgent: true });
    assert.deepEqual(change({ kind: '3' }), { ...args, kind: `${'long '.repeat(30)}2` });
    assert.deepEqual(change({ tags: '["y", "z"]' }), { ...args, tags: ['y', 'z'] });
    assert.deepEqual(change({ note: 'new' }), { ...args, note: 'new' });
    assert.deepEqual(change({ level: '2' }), { ...args, level: null });
  });

  it('leaves an optional argument out when it is cleared or not set', () => {
    const call = aCall({ args: '{"count":1,"note":"n","to":"t","urgent":true}' });
    const form = buildEditForm(call, TOOL);
    const parsed = parseEditForm(call, TOOL, touched(form, { note: '', urgent: '2' }));
    assert.deepEqual(parsed.ok && parsed.args, { count: 1, to: 't' });
  });

  it('says where JSON is wrong, refuses numbers that lose digits, and an unknown choice', () => {
    const call = aCall({ args: '{"count":1,"tags":[],"to":"t"}' });
    const form = buildEditForm(call, TOOL);
    const errors = (patch: Record<string, string>) => {
      const parsed = parseEditForm(call, TOOL, touched(form, patch));
      return parsed.ok ? {} : parsed.errors;
    };
    assert.match(errors({ tags: '["a",\n]' })['arg.6'] ?? '', /^Line 2, column \d+: ./);
    assert.match(errors({ count: '12345678901234567890' })['arg.2'] ?? '', /^Write a number: ./);
    assert.match(errors({ count: '' })['arg.2'] ?? '', /needs a value/);
    assert.match(errors({ kind: '77' })['arg.4'] ?? '', /Choose one/);
    assert.match(errors({ tags: '{"a":1,"a":2}' })['arg.6'] ?? '', /Line 1/);
  });

  it('ignores what no field of the form sent: a secret stays, a new key does not come in', () => {
    const call = aCall({ args: '{"count":1,"to":"t","token":"k-0001"}' });
    const form = buildEditForm(call, TOOL);
    assert.ok(!JSON.stringify(form).includes('k-0001'));
    const values = {
      ...untouched(form),
      'arg.7': { token: { value: '****' } },
      evil: { evil: { value: 'x' } },
    };
    const parsed = parseEditForm(call, TOOL, values);
    assert.deepEqual(parsed.ok && parsed.args, { count: 1, to: 't', token: 'k-0001' });
  });

  it('names what it keeps: long texts, secrets, and what is beyond forty fields', () => {
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, `v${i}`]));
    const args = { count: 1, to: 'x'.repeat(8_000), token: 's', ...long };
    const call = aCall({ args: JSON.stringify(args) });
    const form = buildEditForm(call, TOOL);
    assert.deepEqual(validateView(form), []);
    const text = JSON.stringify(form);
    assert.match(text, /to: 8,000 characters, more than a form can hold/);
    assert.match(text, /token: secret/);
    assert.match(text, /the form is full/);
    const parsed = parseEditForm(call, TOOL, untouched(form));
    assert.deepEqual(parsed.ok && parsed.args, args);
  });

  it('numbers choices that look alike', () => {
    const call = aCall({ args: '{"count":1,"to":"t"}' });
    const kind = inputs(buildEditForm(call, TOOL)).find(({ block_id }) => block_id === 'arg.4');
    const options = kind?.element.type === 'static_select' ? kind.element.options : [];
    const texts = (options ?? []).map(({ text }) => text.text);
    assert.equal(new Set(texts).size, 5);
    assert.ok(texts.every((each) => each.length <= 75));
  });

  it('turns more than a hundred choices into a text field', () => {
    const many = Array.from({ length: 250 }, (_, i) => `m${i}`);
    const tool = { secrets: [], schema: { properties: { m: { type: 'string', enum: many } } } };
    const form = buildEditForm(aCall({ args: '{"m":"m7"}' }), tool);
    assert.equal(inputs(form)[0]?.element.type, 'plain_text_input');
    assert.deepEqual(validateView(form), []);
  });

  it('writes a text that a text field would change as JSON', () => {
    const call = aCall({ args: JSON.stringify({ count: 1, note: 'a\u200bb', to: 'a\r\nb' }) });
    const text = inputs(buildEditForm(call, TOOL)).map(({ element }) =>
      'initial_value' in element ? element.initial_value : '',
    );
    assert.deepEqual(text.slice(0, 3), ['"a\\r\\nb"', '"a\\u200bb"', '1']);
  });

  it('has no Save when there is nothing to change', () => {
    const form = buildEditForm(aCall({ args: '{}' }), { secrets: [], schema: {} });
    assert.equal(form.submit, undefined);
    assert.deepEqual(validateView(form), []);
  });
});

describe('errors of a form', () => {
  const fields = [
    { key: 'to', blockId: 'arg.0' },
    { key: 'end', blockId: 'arg.1' },
  ];
  const cases: readonly [
    string,
    Parameters<typeof toFormErrors>[0],
    Readonly<Record<string, RegExp>>,
  ][] = [
    ['of one argument', [{ path: ['end'], message: 'Too small.' }], { 'arg.1': /^Too small\.$/ }],
    [
      'of a nested path',
      [{ path: ['to', 0, 'email'], message: 'Bad.' }],
      { 'arg.0': /^0\.email: Bad\.$/ },
    ],
    [
      'of all together',
      [{ path: [], message: 'end > start' }],
      { 'arg.0': /^The arguments together: end > start$/ },
    ],
    [
      'of what is not in the form',
      [{ path: ['kept'], message: 'Bad.' }],
      { 'arg.0': /^kept: Bad\.$/ },
    ],
    ['without words', [{ path: ['to'], message: ' ' }], { 'arg.0': /^This value is not valid\.$/ }],
    ['too long', [{ path: ['to'], message: 'x'.repeat(2_500) }], { 'arg.0': /^x{299}…$/ }],
    [
      'two of one',
      [
        { path: ['to'], message: 'A.' },
        { path: ['to'], message: 'B.' },
      ],
      { 'arg.0': /^A\. B\.$/ },
    ],
  ];
  for (const [what, problems, expected] of cases) {
    it(`${what} stand on an input that is there`, () => {
      const errors = toFormErrors(problems, fields);
      assert.deepEqual(Object.keys(errors), Object.keys(expected));
      for (const [blockId, shape] of Object.entries(expected))
        assert.match(errors[blockId] ?? '', shape);
    });
  }
});

function inputs(form: ModalView): readonly InputBlock[] {
  return form.blocks.filter((block): block is InputBlock => block.type === 'input');
}

/** What Slack sends when a person presses Save at once. */
function untouched(form: ModalView): Record<string, Record<string, unknown>> {
  return touched(form, {});
}

function touched(form: ModalView, patch: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    inputs(form).map(({ block_id: blockId = '', element }) => {
      const actionId = element.action_id ?? '';
      const typed = patch[actionId];
      if (element.type === 'static_select') {
        const option = typed === undefined ? (element.initial_option ?? null) : { value: typed };
        return [blockId, { [actionId]: { type: element.type, selected_option: option } }];
      }
      const initial = 'initial_value' in element ? element.initial_value : undefined;
      const value = (typed ?? initial) || null;
      return [blockId, { [actionId]: { type: element.type, value } }];
    }),
  );
}
