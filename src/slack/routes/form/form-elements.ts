import type { InputBlock, PlainTextOption } from '@slack/types';
import type { UserGroup } from '../../people/user-groups.ts';
import { LIMITS } from '../../text/limits.ts';
import { FIELD } from '../route-ids.ts';

/** Builds the option of a user group. */
export function groupOption({ handle, id }: UserGroup): PlainTextOption {
  return inputOption(`@${handle}`, id);
}

/** Builds an option. */
export function inputOption(label: string, value: string): PlainTextOption {
  return { text: plainText(label.slice(0, LIMITS.optionText)), value };
}

/** Builds a text field of one line. */
export function textInput(options: {
  readonly initial?: string;
  readonly placeholder?: string;
  readonly max_length?: number;
}): InputBlock['element'] {
  const { initial = '', placeholder, max_length = LIMITS.inputText } = options;
  return {
    type: 'plain_text_input',
    action_id: FIELD,
    max_length,
    ...(placeholder !== undefined && { placeholder: plainText(placeholder) }),
    ...(initial !== '' && { initial_value: initial }),
  };
}

/** Builds an input block. */
export function labeledInput(
  id: string,
  label: string,
  element: InputBlock['element'],
  { hint, isOptional = false }: { readonly hint?: string; readonly isOptional?: boolean } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plainText(label),
    element,
    ...(isOptional && { optional: true }),
    ...(hint !== undefined && { hint: plainText(hint) }),
  };
}

/** Builds a text without markup. */
export function plainText(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}
