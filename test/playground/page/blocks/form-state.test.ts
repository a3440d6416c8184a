import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownBlock } from '@slack/types';
import { withState } from '../../../../src/playground/page/blocks/form-state.ts';

const label = { type: 'plain_text' as const, text: 'L' };

const input = (
  blockId: string,
  element: Extract<KnownBlock, { type: 'input' }>['element'],
): KnownBlock => ({ type: 'input', block_id: blockId, label, element });

test('the current values of the fields become their initial values', () => {
  const option = { text: { type: 'plain_text' as const, text: 'A' }, value: 'a' };
  const blocks = [
    input('text', { type: 'plain_text_input', action_id: 'x', initial_value: 'old' }),
    input('date', { type: 'datepicker', action_id: 'x' }),
    input('boxes', { type: 'checkboxes', action_id: 'x', options: [option] }),
  ];
  const state = {
    text: { x: { type: 'plain_text_input', value: 'new' } },
    date: { x: { type: 'datepicker', selected_date: '2026-12-24' } },
    boxes: { x: { type: 'checkboxes', selected_options: [option] } },
  };
  assert.deepEqual(withState(blocks, state), [
    input('text', { type: 'plain_text_input', action_id: 'x', initial_value: 'new' }),
    input('date', { type: 'datepicker', action_id: 'x', initial_date: '2026-12-24' }),
    input('boxes', {
      type: 'checkboxes',
      action_id: 'x',
      options: [option],
      initial_options: [option],
    }),
  ]);
});

test('an emptied field starts empty, and a field without state stays as it is', () => {
  const blocks = [
    input('text', { type: 'plain_text_input', action_id: 'x', initial_value: 'old' }),
    input('other', { type: 'plain_text_input', action_id: 'x', initial_value: 'kept' }),
  ];
  assert.deepEqual(withState(blocks, { text: { x: { type: 'plain_text_input', value: null } } }), [
    input('text', { type: 'plain_text_input', action_id: 'x' }),
    blocks[1],
  ]);
});
