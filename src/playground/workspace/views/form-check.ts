import { LIMITS } from '../blocks/limits.ts';
import { type Json, toText } from '../json-value.ts';
import { listOffering, type Offered, type Typed, toElementState } from './form-state.ts';

/** Returns the errors that Slack's client reports before submission, by block id. */
export function checkForm(
  blocks: readonly Json[],
  typed: Typed,
  offered: Offered = {},
): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const { blockId, block, element } of listOffering(blocks, offered)) {
    const actionId = toText(element.action_id);
    const problem =
      block.type === 'input'
        ? checkField(block, element, toElementState(element, typed[blockId]?.[actionId]))
        : undefined;
    if (problem !== undefined) {
      errors[blockId] = problem;
    }
  }
  return errors;
}

function checkField(block: Json, element: Json, state: Json): string | undefined {
  const value = Object.entries(state).find(([key]) => key !== 'type')?.[1];
  const isEmpty =
    value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  if (isEmpty) {
    return block.optional === true ? undefined : 'Please complete this required field.';
  }
  return CHECKS[toText(element.type)]?.(toText(value), element);
}

const CHECKS: Readonly<Record<string, (value: string, element: Json) => string | undefined>> = {
  plain_text_input: checkLength,
  number_input: checkNumber,
  email_text_input: (value) =>
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? undefined : 'Must be a valid email address.',
  url_text_input: (value) => (/^https?:\/\/\S+$/.test(value) ? undefined : 'Must be a valid URL.'),
};

function checkLength(value: string, element: Json): string | undefined {
  const min = Number(element.min_length ?? 0);
  const max = Number(element.max_length ?? LIMITS.inputText.max);
  if (value.length < min) {
    return `Must be at least ${min} characters long.`;
  }
  return value.length > max ? `Must be at most ${max} characters long.` : undefined;
}

function checkNumber(value: string, element: Json): string | undefined {
  const pattern = element.is_decimal_allowed === true ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  if (!pattern.test(value)) {
    return element.is_decimal_allowed === true ? 'Must be a number.' : 'Must be a whole number.';
  }
  if (element.min_value !== undefined && Number(value) < Number(element.min_value)) {
    return `Must be at least ${element.min_value}.`;
  }
  return element.max_value !== undefined && Number(value) > Number(element.max_value)
    ? `Must be at most ${element.max_value}.`
    : undefined;
}
