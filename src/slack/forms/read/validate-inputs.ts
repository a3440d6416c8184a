/**
 * Validates submitted values against the form that was shown. Slack's own clients enforce its
 * limits, but a payload may claim anything.
 */
import type { InputBlock, ModalView } from '@slack/types';
import { LIMITS } from '../../text/limits.ts';
import { isPayload, listAt, objectAt, type Payload } from '../../transport/payload.ts';
import { isDate, isTime } from './date-time.ts';
import { readFormNumber } from './parse-number.ts';

/** A problem with an input, by the id of its block. */
export interface InputProblem {
  readonly id: string;
  readonly message: string;
}

type Blocks = Readonly<ModalView['blocks']>;

/** Keeps only the values of inputs that the view has. */
export function valuesOfInputs(blocks: Blocks, values: Payload): Payload {
  const ids = blocks.filter(isInput).map(({ block_id: id = '' }) => id);
  return Object.fromEntries(
    ids.filter((id) => Object.hasOwn(values, id)).map((id) => [id, values[id]]),
  );
}

/**
 * Finds values that the inputs of a view can't have sent. With `isWhole`, required inputs must have
 * a value.
 */
export function validateInputs(
  blocks: Blocks,
  values: Payload,
  { isWhole }: { readonly isWhole: boolean },
): readonly InputProblem[] {
  return blocks.filter(isInput).flatMap((block) => {
    const { block_id: id = '', element, optional } = block;
    if (!Object.hasOwn(values, id)) return [];
    const found = checkField(element, objectAt(values, id));
    if (found !== EMPTY) return found === undefined ? [] : [{ id, message: found }];
    return isWhole && !optional ? [{ id, message: NEEDED }] : [];
  });
}

function checkField(element: Element, block: Payload): Found {
  const state = block[element.action_id ?? ''];
  return isPayload(state) ? checkState(element, state) : WRONG_TYPE;
}

function isInput(block: Blocks[number]): block is InputBlock {
  return block.type === 'input';
}

export const NEEDED = 'This needs a value.';
const WRONG_TYPE = 'This field can’t hold what was sent. Please fill it in again.';
const NOT_LISTED = 'Choose from the list.';
const EMPTY = Symbol('empty');

type Found = string | typeof EMPTY | undefined;
type Element = InputBlock['element'];

function checkState(element: Element, state: Payload): Found {
  const { type = element.type } = state;
  if (type !== element.type) return WRONG_TYPE;
  switch (element.type) {
    case 'plain_text_input':
      return checkText(state, (text) => checkLine(text, element));
    case 'email_text_input':
      return checkText(state, (text) => (EMAIL.test(text) ? undefined : NO_EMAIL));
    case 'url_text_input':
      return checkText(state, (text) => (URL_TEXT.test(text) ? undefined : NO_URL));
    case 'number_input':
      return checkText(state, (text) => checkNumber(text, element));
    case 'datepicker':
      return checkOne(state, 'selected_date', isDate, 'Choose a date.');
    case 'timepicker':
      return checkOne(state, 'selected_time', isTime, 'Choose a time.');
    case 'datetimepicker':
      return checkMoment(state);
    case 'static_select':
    case 'radio_buttons':
      return checkOption(state, new Set(element.options?.map(({ value }) => value)));
    case 'external_select':
      return checkOption(state, undefined);
    case 'checkboxes':
    case 'multi_static_select':
      return checkOptions(state, new Set(element.options?.map(({ value }) => value)));
    case 'multi_external_select':
      return checkOptions(state, undefined);
    case 'conversations_select':
      return checkOne(state, 'selected_conversation', isId, NOT_LISTED);
    case 'multi_users_select':
      return checkList(state.selected_users, (id) => typeof id === 'string' && isId(id));
    default:
      throw new Error(`The app has no form with a field of the type ${element.type}.`);
  }
}

export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const NO_EMAIL = 'Write an e-mail address, such as name@example.com.';
export const URL_TEXT = /^https?:\/\/\S+$/;
const NO_URL = 'Write a web address that begins with http:// or https://.';

function isId(text: string): boolean {
  return /^[A-Z][A-Z0-9]{1,39}$/.test(text);
}

/** Checks one text of a state. Slack sends null for an empty input. */
function checkOne(
  state: Payload,
  key: string,
  isRight: (text: string) => boolean,
  message: string,
): Found {
  const { [key]: value } = state;
  if (value === null || value === '') return EMPTY;
  if (typeof value !== 'string') return WRONG_TYPE;
  return isRight(value) ? undefined : message;
}

function checkText(state: Payload, check: (text: string) => string | undefined): Found {
  const { value } = state;
  if (value === null || value === '') return EMPTY;
  if (typeof value !== 'string') return WRONG_TYPE;
  return tooLong(value, LIMITS.inputText) ?? check(value);
}

function tooLong(text: string, most: number): string | undefined {
  if (text.length <= most) return undefined;
  const [limit, length] = [most, text.length].map((count) => count.toLocaleString('en-US'));
  return `At most ${limit} characters; this has ${length}.`;
}

function checkLine(
  text: string,
  element: Extract<Element, { type: 'plain_text_input' }>,
): string | undefined {
  const { multiline = false, max_length: most = LIMITS.inputText } = element;
  if (!multiline && /[\r\n]/.test(text)) return 'Write it on one line.';
  return tooLong(text, most);
}

function checkNumber(
  text: string,
  element: Extract<Element, { type: 'number_input' }>,
): string | undefined {
  const { min_value: min, max_value: max, is_decimal_allowed: isDecimal } = element;
  const reading = readFormNumber(text, {
    integer: !isDecimal,
    ...(min !== undefined && { min: Number(min) }),
    ...(max !== undefined && { max: Number(max) }),
  });
  return reading.ok ? undefined : reading.message;
}

function checkMoment({ selected_date_time: at }: Payload): Found {
  if (at === null) return EMPTY;
  const isMoment = Number.isSafeInteger(at) && /^[1-9][0-9]{9}$/.test(String(at));
  return isMoment ? undefined : 'Choose a date and a time.';
}

function checkOption(
  { selected_option: option }: Payload,
  offered: ReadonlySet<string | undefined> | undefined,
): Found {
  if (option === null) return EMPTY;
  if (!isPayload(option) || typeof option.value !== 'string') return WRONG_TYPE;
  return offered === undefined || offered.has(option.value) ? undefined : NOT_LISTED;
}

function checkOptions(state: Payload, offered: ReadonlySet<string | undefined> | undefined): Found {
  const { selected_options: options } = state;
  const chosen = listAt(state, 'selected_options').map(({ value }) => value);
  if (!Array.isArray(options) || chosen.length !== options.length) return WRONG_TYPE;
  return checkList(chosen, (value) => {
    return typeof value === 'string' && (offered === undefined || offered.has(value));
  });
}

/** Checks a list of values. None may appear twice. */
function checkList(values: unknown, isOne: (value: unknown) => boolean): Found {
  if (!Array.isArray(values)) return WRONG_TYPE;
  if (values.length === 0) return EMPTY;
  const isRight = values.every(isOne) && new Set(values).size === values.length;
  return isRight ? undefined : NOT_LISTED;
}
