/** Builds the input block of one form field. */
import type { InputBlock, PlainTextOption } from '@slack/types';
import type { JsonValue } from '../../../domain/json/json.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { truncateText } from '../../schema/field-labels.ts';
import { LIMITS } from '../../text/limits.ts';
import { ACTIONS } from '../../transport/ids.ts';
import type { Field, Union, Widget } from '../plan/form-node.ts';
import { isDate, isTime } from '../read/date-time.ts';

type Element = InputBlock['element'];

/** Builds the input of a field with its current value. */
export function buildField(field: Field): InputBlock {
  const { hint } = field;
  return {
    type: 'input',
    block_id: field.id,
    label: plain(field.label),
    // An empty text can be a valid value, so Slack must not require input.
    optional: !field.insists,
    ...(hint === '' ? {} : { hint: plain(hint) }),
    element: buildElement(field),
  };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}

/** Builds the choice between the variants of a union. Choosing one redraws the form. */
export function buildKindChoice(union: Union): InputBlock {
  const options = union.kinds.map((text, i) => ({ text: plain(text), value: String(i) }));
  const chosen = options[union.chosen];
  return {
    type: 'input',
    block_id: union.id,
    label: plain(union.label),
    dispatch_action: true,
    ...(union.hint === '' ? {} : { hint: plain(union.hint) }),
    element: {
      type: 'static_select',
      action_id: ACTIONS.formKind,
      options,
      ...(chosen === undefined ? {} : { initial_option: chosen }),
    },
  };
}

function buildElement(field: Field): Element {
  const { widget, actionId: action_id } = field;
  const raw = field.typed ?? field.initial;
  if (widget.kind === 'choice') return buildChoice(widget.options, action_id, textOf(raw));
  if (widget.kind === 'many') return buildMany(widget.options, action_id, raw);
  const text = textOf(raw);
  const initial = text === '' ? {} : { initial_value: text };
  switch (widget.kind) {
    case 'email':
      return { type: 'email_text_input', action_id, ...initial };
    case 'url':
      return { type: 'url_text_input', action_id, ...initial };
    case 'number':
      return buildNumber(widget, action_id, text);
    case 'date':
      return { type: 'datepicker', action_id, ...(isDate(text) && { initial_date: text }) };
    case 'time':
      return { type: 'timepicker', action_id, ...(isTime(text) && { initial_time: text }) };
    case 'moment':
      return {
        type: 'datetimepicker',
        action_id,
        ...(/^[0-9]{10}$/.test(text) && { initial_date_time: Number(text) }),
      };
    default:
      return {
        type: 'plain_text_input',
        action_id,
        multiline: widget.kind !== 'text' || widget.multiline || text.includes('\n'),
        max_length: widget.kind === 'text' ? Math.max(widget.max, text.length) : LIMITS.inputText,
        ...initial,
      };
  }
}

function textOf(raw: string | readonly string[]): string {
  return typeof raw === 'string' ? raw : '';
}

const PLAIN_NUMBER = /^-?[0-9]{1,15}(?:\.[0-9]{1,10})?$/;

/** A number that Slack's number field would reject gets a text field. */
function buildNumber(
  { integer, min, max }: Extract<Widget, { kind: 'number' }>,
  action_id: string,
  text: string,
): Element {
  const isWithin = (min ?? -Infinity) <= Number(text) && Number(text) <= (max ?? Infinity);
  const fits =
    text === '' || (PLAIN_NUMBER.test(text) && isWithin && !(integer && text.includes('.')));
  const initial = text === '' ? {} : { initial_value: text };
  if (!fits)
    return { type: 'plain_text_input', action_id, multiline: false, max_length: 400, ...initial };
  return {
    type: 'number_input',
    action_id,
    is_decimal_allowed: !integer,
    ...(min !== undefined && PLAIN_NUMBER.test(String(min)) && { min_value: String(min) }),
    ...(max !== undefined && PLAIN_NUMBER.test(String(max)) && { max_value: String(max) }),
    ...initial,
  };
}

type Option = JsonValue | undefined;

function buildChoice(options: readonly Option[], action_id: string, raw: string): Element {
  const chosen = /^[0-9]+$/.test(raw) ? optionAt(options, Number(raw)) : undefined;
  const initial = chosen === undefined ? {} : { initial_option: chosen };
  if (options.length > LIMITS.selectOptions) {
    return {
      type: 'external_select',
      action_id,
      min_query_length: 1,
      placeholder: plain('Type to search'),
      ...initial,
    };
  }
  const all = options.map((_, i) => optionAt(options, i));
  const isBoolean = options.every(
    (option) => option === undefined || option === null || typeof option === 'boolean',
  );
  if (isBoolean) return { type: 'radio_buttons', action_id, options: all, ...initial };
  return { type: 'static_select', action_id, options: all, ...initial };
}

function buildMany(
  options: readonly JsonValue[],
  action_id: string,
  raw: string | readonly string[],
): Element {
  const places = typeof raw === 'string' ? [] : raw.map(Number);
  const chosen = places
    .filter((place) => place < options.length)
    .map((place) => optionAt(options, place));
  const initial = chosen.length === 0 ? {} : { initial_options: chosen };
  if (options.length > LIMITS.selectOptions) {
    return {
      type: 'multi_external_select',
      action_id,
      min_query_length: 1,
      placeholder: plain('Type to search'),
      ...initial,
    };
  }
  const all = options.map((_, i) => optionAt(options, i));
  if (options.length <= LIMITS.boxes)
    return { type: 'checkboxes', action_id, options: all, ...initial };
  return { type: 'multi_static_select', action_id, options: all, ...initial };
}

/** Builds one option. Duplicate texts are numbered. The value is the index, never the text. */
export function optionAt(options: readonly Option[], place: number): PlainTextOption {
  const text = shortText(options[place]);
  const duplicates = duplicateLabelsOf(options);
  const number = ` (#${place + 1})`;
  const shown = duplicates.has(text)
    ? `${truncateText(text, LIMITS.optionText - number.length)}${number}`
    : text;
  return { text: plain(shown), value: String(place) };
}

const DUPLICATES = new WeakMap<readonly Option[], ReadonlySet<string>>();

/** Returns the texts that more than one option has. */
function duplicateLabelsOf(options: readonly Option[]): ReadonlySet<string> {
  const known = DUPLICATES.get(options);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const option of options) {
    const text = shortText(option);
    if (seen.has(text)) duplicates.add(text);
    seen.add(text);
  }
  DUPLICATES.set(options, duplicates);
  return duplicates;
}

function shortText(option: Option): string {
  return truncateText(optionText(option), LIMITS.optionText);
}

/** Returns the full text of an option. Different values have different texts. */
export function optionText(value: Option): string {
  if (value === undefined) return '(not set)';
  if (value === null) return 'Nothing (null)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'string') return toVisible(JSON.stringify(value)).text;
  return value.trim() === ''
    ? `(empty text${value === '' ? '' : `: ${value.length} blanks`})`
    : toVisible(value).text;
}
