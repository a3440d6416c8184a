import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import { encodeCardToken } from '../../domain/digest.ts';
import type { JsonValue } from '../../domain/json.ts';
import { toPlainWords } from '../cards/card-facts.ts';
import { toVisible } from '../cards/visible-text.ts';
import { VIEWS } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { type FormField, type FormTool, type KeptField, planForm } from './form-fields.ts';

/** Builds the form in which a call's arguments are changed; what it can't carry is named and kept. */
export function buildEditForm(call: Call, tool: FormTool): ModalView {
  const { fields, kept } = planForm(call, tool);
  const intro =
    fields.length === 0
      ? `${toPlainWords(call.tool)} has nothing that a form can change.`
      : `${toPlainWords(call.tool)}: saving approves what stands here, as far as you may approve it. Earlier approvals no longer count.`;
  const blocks: KnownBlock[] = [
    { type: 'section', text: { type: 'plain_text', text: intro, emoji: false }, expand: true },
    ...fields.map(buildField),
    ...buildKept(kept),
  ];
  return {
    type: 'modal',
    callback_id: VIEWS.edit,
    private_metadata: encodeCardToken(call),
    title: { type: 'plain_text', text: 'Edit the call' },
    close: { type: 'plain_text', text: 'Cancel' },
    ...(fields.length === 0 ? {} : { submit: { type: 'plain_text', text: 'Save and approve' } }),
    blocks,
  };
}

const MAX_LABEL = 100;
const MAX_HINT = 300;

function buildField(field: FormField): InputBlock {
  const hint = hintOf(field);
  return {
    type: 'input',
    block_id: field.blockId,
    label: {
      type: 'plain_text',
      text: shorten(toVisible(field.key).text, MAX_LABEL),
      emoji: false,
    },
    // An empty text is a value: the form must let it through as it came.
    optional: field.kind !== 'choice' && (!field.required || field.initial.trim() === ''),
    ...(hint === '' ? {} : { hint: { type: 'plain_text', text: hint, emoji: false } }),
    element: buildElement(field),
  };
}

function hintOf(field: FormField): string {
  const parts = [field.description === undefined ? '' : shorten(field.description, MAX_HINT)];
  if (field.kind === 'json') parts.push('Written as JSON.');
  if (field.value === '') parts.push('Empty text now.');
  return parts.filter((part) => part.trim() !== '').join(' ');
}

/** From this length on a text gets several lines. */
const LONG = 80;

function buildElement(field: FormField): InputBlock['element'] {
  const initial = field.initial === '' ? {} : { initial_value: field.initial };
  switch (field.kind) {
    case 'choice':
      return buildChoice(field);
    case 'number':
      return {
        type: 'number_input',
        action_id: field.actionId,
        is_decimal_allowed: true,
        ...initial,
      };
    case 'text':
    case 'json':
      return {
        type: 'plain_text_input',
        action_id: field.actionId,
        multiline:
          field.kind === 'json' || field.initial.includes('\n') || field.initial.length > LONG,
        max_length: LIMITS.inputText,
        ...initial,
      };
  }
}

function buildChoice(field: FormField): InputBlock['element'] {
  const options = buildOptions(field.options);
  const chosen = options[field.options.indexOf(field.value)];
  return {
    type: 'static_select',
    action_id: field.actionId,
    options,
    ...(chosen === undefined ? {} : { initial_option: chosen }),
  };
}

/** Texts that would look alike are numbered; the value is the place in the list, never the text. */
function buildOptions(values: readonly (JsonValue | undefined)[]): PlainTextOption[] {
  const texts = values.map((value) => shorten(optionText(value), LIMITS.optionText));
  return texts.map((text, i) => {
    const alike = texts.filter((each) => each === text).length > 1;
    const number = ` (#${i + 1})`;
    const shown = alike ? `${shorten(text, LIMITS.optionText - number.length)}${number}` : text;
    return { text: { type: 'plain_text', text: shown, emoji: false }, value: String(i) };
  });
}

function optionText(value: JsonValue | undefined): string {
  if (value === undefined) return '(not set)';
  if (value === '') return '(empty text)';
  return typeof value === 'string' ? toVisible(value).text : JSON.stringify(value);
}

function buildKept(kept: readonly KeptField[]): KnownBlock[] {
  if (kept.length === 0) return [];
  const shown = kept.slice(0, 30).map(({ key, why }) => {
    return `${shorten(toVisible(key).text, 60)}: ${why}`;
  });
  const rest = kept.length > shown.length ? [`and ${kept.length - shown.length} more`] : [];
  const text = ['Kept as they are:', ...shown, ...rest].join('\n');
  return [
    { type: 'divider' },
    {
      type: 'section',
      text: { type: 'plain_text', text: shorten(text, LIMITS.sectionText), emoji: false },
      expand: true,
    },
  ];
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
