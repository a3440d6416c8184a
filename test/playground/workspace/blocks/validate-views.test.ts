import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateView } from '../../../../src/playground/workspace/blocks/validate-blocks.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const option = (value: string, text = 'x') => ({ text: plain(text), value });
const input = (element: object) => ({ type: 'input', label: plain('Label'), element });
const modal = (changes: object = {}) => ({
  type: 'modal',
  title: plain('Title'),
  submit: plain('Save'),
  blocks: [],
  ...changes,
});

const WRONG_VIEWS: Record<string, { view: unknown; says: RegExp }> = {
  'a long title': { view: modal({ title: plain(long(25)) }), says: /less than 25/ },
  'a long submit': { view: modal({ submit: plain(long(25)) }), says: /less than 25/ },
  'no title': { view: { type: 'modal', blocks: [] }, says: /missing required field: title/ },
  'inputs without submit': {
    view: { type: 'modal', title: plain('x'), blocks: [input({ type: 'plain_text_input' })] },
    says: /missing required field: submit/,
  },
  'long metadata': { view: modal({ private_metadata: long(3001) }), says: /less than 3001/ },
  'more than 100 blocks': {
    view: modal({ blocks: times(101, () => ({ type: 'divider' })) }),
    says: /no more than 100/,
  },
  'a block for messages only': {
    view: modal({ blocks: [{ type: 'markdown', text: 'x' }] }),
    says: /unsupported type: markdown/,
  },
  'two elements in focus': {
    view: modal({
      blocks: times(2, () => input({ type: 'plain_text_input', focus_on_load: true })),
    }),
    says: /focus_on_load/,
  },
  'a title on a Home tab': {
    view: { type: 'home', title: plain('x'), blocks: [] },
    says: /additional property: title/,
  },
  'an id of a view': { view: modal({ id: 'V1' }), says: /additional property: id/ },
  'no view': { view: undefined, says: /must be an object/ },
};

for (const [name, { view, says }] of Object.entries(WRONG_VIEWS)) {
  test(`a view with ${name} is refused`, () => {
    const messages = validateView(view).map(({ message }) => message);
    assert.ok(
      messages.some((message) => says.test(message)),
      `said: ${messages.join('; ') || 'nothing'}`,
    );
  });
}

test('a form with every kind of field is accepted', () => {
  const options = [option('a')];
  const elements = [
    { type: 'plain_text_input', multiline: true, max_length: 3000, placeholder: plain('…') },
    { type: 'number_input', is_decimal_allowed: true, initial_value: '1.5', min_value: '-1' },
    { type: 'email_text_input' },
    { type: 'url_text_input' },
    { type: 'datepicker', initial_date: '2026-02-28' },
    { type: 'timepicker', initial_time: '23:59' },
    { type: 'datetimepicker', initial_date_time: 1_800_000_000 },
    { type: 'static_select', options, initial_option: options[0] },
    { type: 'multi_static_select', options, initial_options: options },
    { type: 'external_select', min_query_length: 1 },
    { type: 'checkboxes', options, initial_options: options },
    { type: 'radio_buttons', options },
    { type: 'users_select', initial_user: 'U0ADMIN' },
    { type: 'multi_conversations_select', filter: { include: ['public'] } },
    { type: 'file_input', max_files: 3 },
  ];
  assert.deepEqual(validateView(modal({ blocks: elements.map(input) })), []);
});

test('an alert is accepted only in a modal, and a table on Home but not in a modal', () => {
  const alert = (size: number) => ({
    type: 'alert',
    text: { type: 'mrkdwn', text: 'x'.repeat(size) },
  });
  const table = { type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] };
  const title = { type: 'plain_text', text: 'Title' };
  const pointers = (view: object) => validateView(view).map(({ pointer }) => pointer);
  assert.deepEqual(pointers({ type: 'modal', title, blocks: [alert(200)] }), []);
  assert.deepEqual(pointers({ type: 'modal', title, blocks: [alert(201)] }), [
    '/blocks/0/text/text',
  ]);
  assert.deepEqual(pointers({ type: 'home', blocks: [alert(1)] }), ['/blocks/0/type']);
  assert.deepEqual(pointers({ type: 'home', blocks: [table] }), []);
  assert.deepEqual(pointers({ type: 'modal', title, blocks: [table] }), ['/blocks/0/type']);
});
