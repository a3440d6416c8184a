import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../../src/playground/workspace/blocks/limits.ts';
import { validateMessage } from '../../../../src/playground/workspace/blocks/validate-blocks.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const button = (changes: object = {}) => ({ type: 'button', text: plain('Go'), ...changes });
const option = (value: string, text = 'x') => ({ text: plain(text), value });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const input = (element: object) => ({ type: 'input', label: plain('Label'), element });

/** Blocks made from a length, exactly at a limit. One more must be refused at the pointer. */
const AT_LIMIT: Record<string, { max: number; make: (size: number) => object; at: string }> = {
  'section text': {
    max: LIMITS.sectionText.max,
    make: (size) => ({ type: 'section', text: mrkdwn(long(size)) }),
    at: '/blocks/0/text/text',
  },
  'section fields': {
    max: LIMITS.sectionFields.max,
    make: (size) => ({ type: 'section', fields: times(size, () => mrkdwn('x')) }),
    at: '/blocks/0/fields',
  },
  'a field': {
    max: LIMITS.sectionField.max,
    make: (size) => ({ type: 'section', fields: [mrkdwn(long(size))] }),
    at: '/blocks/0/fields/0/text',
  },
  header: {
    max: LIMITS.headerText.max,
    make: (size) => ({ type: 'header', text: plain(long(size)) }),
    at: '/blocks/0/text/text',
  },
  'context elements': {
    max: LIMITS.contextElements.max,
    make: (size) => ({ type: 'context', elements: times(size, () => mrkdwn('x')) }),
    at: '/blocks/0/elements',
  },
  'actions elements': {
    max: LIMITS.actionsElements.max,
    make: (size) => actions(...times(size, () => button())),
    at: '/blocks/0/elements',
  },
  'button text': {
    max: LIMITS.buttonText.max,
    make: (size) => actions(button({ text: plain(long(size)) })),
    at: '/blocks/0/elements/0/text/text',
  },
  'button value': {
    max: LIMITS.buttonValue.max,
    make: (size) => actions(button({ value: long(size) })),
    at: '/blocks/0/elements/0/value',
  },
  'action id': {
    max: LIMITS.actionId.max,
    make: (size) => actions(button({ action_id: long(size) })),
    at: '/blocks/0/elements/0/action_id',
  },
  'block id': {
    max: LIMITS.blockId.max,
    make: (size) => ({ type: 'divider', block_id: long(size) }),
    at: '/blocks/0/block_id',
  },
  'confirm title': {
    max: LIMITS.confirmTitle.max,
    make: (size) => actions(button({ confirm: { title: plain(long(size)), text: plain('x') } })),
    at: '/blocks/0/elements/0/confirm/title/text',
  },
  'overflow options': {
    max: LIMITS.overflowOptions.max,
    make: (size) => actions({ type: 'overflow', options: times(size, (i) => option(`${i}`)) }),
    at: '/blocks/0/elements/0/options',
  },
  'select options': {
    max: LIMITS.selectOptions.max,
    make: (size) => actions({ type: 'static_select', options: times(size, (i) => option(`${i}`)) }),
    at: '/blocks/0/elements/0/options',
  },
  'option text': {
    max: LIMITS.optionText.max,
    make: (size) => actions({ type: 'overflow', options: [option('a', long(size))] }),
    at: '/blocks/0/elements/0/options/0/text/text',
  },
  'option value': {
    max: LIMITS.optionValue.max,
    make: (size) => actions({ type: 'overflow', options: [option(long(size))] }),
    at: '/blocks/0/elements/0/options/0/value',
  },
  'radio options': {
    max: LIMITS.choiceOptions.max,
    make: (size) => actions({ type: 'radio_buttons', options: times(size, (i) => option(`${i}`)) }),
    at: '/blocks/0/elements/0/options',
  },
  'data table rows': {
    max: LIMITS.dataTableRows.max,
    make: (size) => ({
      type: 'data_table',
      caption: 'x',
      rows: times(size, () => [{ type: 'raw_text', text: 'x' }]),
    }),
    at: '/blocks/0/rows',
  },
  'markdown text': {
    max: LIMITS.markdownTotal.max,
    make: (size) => ({ type: 'markdown', text: long(size) }),
    at: '/blocks/0/text',
  },
  'table rows': {
    max: LIMITS.tableRows.max,
    make: (size) => ({ type: 'table', rows: times(size, () => [{ type: 'raw_text', text: 'x' }]) }),
    at: '/blocks/0/rows',
  },
  'feedback in context actions': {
    max: LIMITS.contextActionsElements.max,
    make: (size) => ({
      type: 'context_actions',
      elements: times(size, () => ({ type: 'icon_button', icon: 'trash', text: plain('x') })),
    }),
    at: '/blocks/0/elements',
  },
};

for (const [name, { max, make, at }] of Object.entries(AT_LIMIT)) {
  test(`${name}: ${max} fits, one more is refused`, () => {
    assert.deepEqual(validateMessage({ blocks: [make(max)] }), []);
    const pointers = validateMessage({ blocks: [make(max + 1)] }).map(({ pointer }) => pointer);
    assert.ok(pointers.includes(at), `refused at ${pointers}, not at ${at}`);
  });
}

/** The error, and the message that Slack would return. */
const WRONG: Record<string, { blocks: unknown; says: RegExp }> = {
  'an unknown block': { blocks: [{ type: 'nonsense' }], says: /unsupported type: nonsense/ },
  'a block without a type': { blocks: [{}], says: /unsupported type: none/ },
  'an unknown member': {
    blocks: [{ type: 'divider', colour: 'red' }],
    says: /additional property: colour/,
  },
  'an inherited name as a member': {
    blocks: [{ type: 'divider', toString: 1 }],
    says: /additional property: toString/,
  },
  'an inherited name as a type': {
    blocks: [{ type: 'constructor' }],
    says: /unsupported type: constructor/,
  },
  'a section of nothing': { blocks: [{ type: 'section' }], says: /text or fields/ },
  'an empty text': { blocks: [{ type: 'section', text: mrkdwn('') }], says: /more than 0/ },
  'a text of blanks': { blocks: [{ type: 'section', text: mrkdwn('  \n') }], says: /more than 0/ },
  'mrkdwn in a header': { blocks: [{ type: 'header', text: mrkdwn('x') }], says: /plain_text/ },
  'an input in actions': {
    blocks: [actions({ type: 'plain_text_input' })],
    says: /unsupported type: plain_text_input/,
  },
  'no elements': { blocks: [actions()], says: /no fewer than 1/ },
  'a block id twice': {
    blocks: [
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ],
    says: /block_id "a" already exists/,
  },
  'an action id twice in a block': {
    blocks: [actions(button({ action_id: 'a' }), button({ action_id: 'a' }))],
    says: /action_id "a" already exists/,
  },
  'a style of our own': {
    blocks: [actions(button({ style: 'warning' }))],
    says: /primary, danger/,
  },
  'a script as a link': {
    blocks: [actions(button({ url: 'javascript:alert(1)' }))],
    says: /must be a URL/,
  },
  'an initial option that is none': {
    blocks: [
      actions({ type: 'static_select', options: [option('a')], initial_option: option('b') }),
    ],
    says: /exactly match/,
  },
  'options beside groups': {
    blocks: [actions({ type: 'static_select', options: [option('a')], option_groups: [] })],
    says: /either options or option_groups/,
  },
  'a number input without its flag': {
    blocks: [input({ type: 'number_input' })],
    says: /is_decimal_allowed/,
  },
  'bounds the wrong way round': {
    blocks: [
      input({ type: 'number_input', is_decimal_allowed: false, min_value: '2', max_value: '1' }),
    ],
    says: /min_value <=/,
  },
  'a number as a bound': {
    blocks: [input({ type: 'number_input', is_decimal_allowed: false, min_value: 2 })],
    says: /number as text/,
  },
  'an initial value beyond max_length': {
    blocks: [input({ type: 'plain_text_input', initial_value: 'abc', max_length: 2 })],
    says: /less than 3 characters/,
  },
  'two tables': {
    blocks: times(2, () => ({ type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] })),
    says: /only one table/,
  },
  'markdown that is too long together': {
    blocks: times(2, () => ({ type: 'markdown', text: long(6_001) })),
    says: /markdown blocks must have less than 12001/,
  },
  'more than 50 blocks': {
    blocks: times(51, () => ({ type: 'divider' })),
    says: /no more than 50/,
  },
  'what is no array': { blocks: {}, says: /must be an array/ },
};

for (const [name, { blocks, says }] of Object.entries(WRONG)) {
  test(`${name} is refused`, () => {
    const messages = validateMessage({ blocks }).map(({ message }) => message);
    assert.ok(
      messages.some((message) => says.test(message)),
      `said: ${messages.join('; ') || 'nothing'}`,
    );
  });
}

test('texts of all blocks together are limited, except for response URLs', () => {
  const blocks = times(5, () => ({ type: 'section', text: mrkdwn(long(2_500)) }));
  assert.deepEqual(
    validateMessage({ blocks }).map(({ code }) => code),
    ['msg_blocks_too_long'],
  );
  assert.deepEqual(validateMessage({ blocks }, { textLimit: false }), []);
});

test('every limit has a reason', () => {
  for (const [name, { why }] of Object.entries(LIMITS)) {
    assert.ok(why.length > 10, `${name} has no reason`);
  }
});
