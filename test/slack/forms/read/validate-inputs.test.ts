/** A submission is validated against the form as it was drawn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InputBlock } from '@slack/types';
import {
  validateInputs,
  valuesOfInputs,
} from '../../../../src/slack/forms/read/validate-inputs.ts';

type Element = InputBlock['element'];

const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value }) as const;
const OPTIONS = [option('a'), option('b')];
const text = (patch: object = {}) => ({ type: 'plain_text_input', ...patch }) as Element;
const chosen = (...values: readonly unknown[]) => values.map((value) => ({ value }));

function problemOf(element: Element, state: unknown, isWhole = true, optional = false) {
  const block: InputBlock = {
    type: 'input',
    block_id: 'f',
    optional,
    label: { type: 'plain_text', text: 'Field' },
    element: { ...element, action_id: 'v' },
  };
  const values = { f: { v: state } };
  const [problem, ...more] = validateInputs([block], values, { isWhole });
  assert.deepEqual(more, []);
  return problem?.message;
}

const LIST = 'Choose from the list.';
const FIELD = 'This field can’t hold what was sent. Please fill it in again.';

/** An element, its submitted value, and the expected error; undefined if the value is accepted. */
const CASES: readonly (readonly [string, Element, unknown, string | RegExp | undefined])[] = [
  ['3,000 characters', text(), { value: 'x'.repeat(3_000) }, undefined],
  ['3,001 characters', text(), { value: 'x'.repeat(3_001) }, /At most 3,000.*this has 3,001/],
  ['301 of 300', text({ max_length: 300 }), { value: 'x'.repeat(301) }, /At most 300/],
  ['two lines in one', text(), { value: 'a\nb' }, 'Write it on one line.'],
  ['two lines in several', text({ multiline: true }), { value: 'a\nb' }, undefined],
  ['no text', text(), { value: null }, 'This needs a value.'],
  ['a text that is a list', text(), { value: ['a'] }, FIELD],
  ['a text that is a choice', text(), { selected_option: option('a') }, FIELD],
  ['the state of another element', text(), { type: 'number_input', value: '1' }, FIELD],
  ['no state', text(), undefined, FIELD],
  ['e-mail', { type: 'email_text_input' }, { value: 'a@b.example' }, undefined],
  ['no e-mail', { type: 'email_text_input' }, { value: 'somebody' }, /e-mail address/],
  ['an address', { type: 'url_text_input' }, { value: 'https://a.example' }, undefined],
  ['no address', { type: 'url_text_input' }, { value: 'javascript:alert(1)' }, /web address/],
  ['1e3', number(), { value: '1e3' }, /whole number/],
  ['a fraction', number(), { value: '1.5' }, /whole number/],
  ['less than the least', number({ min_value: '1' }), { value: '0' }, 'Write 1 or more.'],
  ['more than the most', number({ max_value: '50' }), { value: '51' }, 'Write 50 or less.'],
  ['a whole number', number({ min_value: '1', max_value: '50' }), { value: '50' }, undefined],
  ['a decimal', number({ is_decimal_allowed: true }), { value: '19.90' }, undefined],
  ['a number as such', number(), { value: 5 }, FIELD],
  ['a day', { type: 'datepicker' }, { selected_date: '2026-02-28' }, undefined],
  ['a day that is none', { type: 'datepicker' }, { selected_date: '2026-02-30' }, /a date/],
  ['a time', { type: 'timepicker' }, { selected_time: '23:59' }, undefined],
  ['a time that is none', { type: 'timepicker' }, { selected_time: '24:00' }, /a time/],
  ['a moment', { type: 'datetimepicker' }, { selected_date_time: 1_700_000_000 }, undefined],
  ['a moment far off', { type: 'datetimepicker' }, { selected_date_time: 17e12 }, /a date and/],
  ['a moment as a text', { type: 'datetimepicker' }, { selected_date_time: '1' }, /a date and/],
  ['an option', select('static_select'), { selected_option: option('a') }, undefined],
  ['another option', select('static_select'), { selected_option: option('c') }, LIST],
  ['another button', select('radio_buttons'), { selected_option: option('c') }, LIST],
  ['several of one', select('static_select'), { selected_options: chosen('a') }, FIELD],
  ['options', select('checkboxes'), { selected_options: chosen('b', 'a') }, undefined],
  ['one option twice', select('checkboxes'), { selected_options: chosen('a', 'a') }, LIST],
  ['one of several', select('checkboxes'), { selected_option: option('a') }, FIELD],
  ['other options', select('multi_static_select'), { selected_options: chosen('a', 'c') }, LIST],
  ['no options', select('checkboxes'), { selected_options: [] }, 'This needs a value.'],
  ['options that are none', select('checkboxes'), { selected_options: ['a'] }, FIELD],
  ['a found option', { type: 'external_select' }, { selected_option: option('z') }, undefined],
  [
    'a found option without a value',
    { type: 'external_select' },
    { selected_option: { value: 5 } },
    FIELD,
  ],
  [
    'found options',
    { type: 'multi_external_select' },
    { selected_options: chosen('y', 'z') },
    undefined,
  ],
  [
    'a found option twice',
    { type: 'multi_external_select' },
    { selected_options: chosen('z', 'z') },
    LIST,
  ],
  ['a channel', { type: 'conversations_select' }, { selected_conversation: 'C1' }, undefined],
  ['no channel', { type: 'conversations_select' }, { selected_conversation: '#general' }, LIST],
  ['people', { type: 'multi_users_select' }, { selected_users: ['U1', 'U2'] }, undefined],
  ['no people', { type: 'multi_users_select' }, { selected_users: ['<!channel>'] }, LIST],
];

function number(patch: object = {}): Element {
  return { type: 'number_input', is_decimal_allowed: false, ...patch };
}

function select(type: 'static_select' | 'radio_buttons' | 'checkboxes' | 'multi_static_select') {
  return { type, options: OPTIONS } as unknown as Element;
}

describe('an input of a form', () => {
  for (const [what, element, state, expected] of CASES) {
    it(`of type ${element.type} ${expected === undefined ? 'accepts' : 'refuses'} ${what}`, () => {
      const found = problemOf(element, state);
      if (expected instanceof RegExp) assert.match(found ?? '', expected);
      else assert.equal(found, expected);
    });
  }

  it('needs a value if Slack requires one: on submission, and not while it is filled in', () => {
    const empty = { value: null };
    assert.equal(problemOf(text(), empty, true, false), 'This needs a value.');
    assert.equal(problemOf(text(), empty, true, true), undefined);
    assert.equal(problemOf(text(), empty, false, false), undefined);
  });

  it('is read only if the form has it: other values are ignored', () => {
    const block: InputBlock = {
      type: 'input',
      block_id: 'f',
      label: { type: 'plain_text', text: 'Field' },
      element: text(),
    };
    const values = JSON.parse('{"f":1,"g":2,"__proto__":{"h":3},"constructor":4}');
    assert.deepEqual(valuesOfInputs([block], values), { f: 1 });
  });
});
