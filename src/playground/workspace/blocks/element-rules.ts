import { type Json, toRecords, toText } from '../json-value.ts';
import { LIMITS } from './limits.ts';
import {
  about,
  any,
  bool,
  byType,
  list,
  matching,
  oneOf,
  plain,
  type Rule,
  rich,
  type Shape,
  shape,
  str,
  whole,
} from './rules.ts';

const url = matching(/^(https?|slack|mailto|tel):\S+$/i, 'a URL');
const httpUrl = matching(/^https?:\/\/\S+$/, 'an http(s) URL');
const style = oneOf('primary', 'danger');
const id = str({ min: 1, max: 255, why: 'any Slack id' });
const ids = list({ max: 100, why: 'as many as a menu holds' }, id);
const anyText = str({ max: 3000, why: 'the length of a text object' });

const confirm = shape({
  required: { text: rich(LIMITS.confirmText) },
  optional: {
    title: plain(LIMITS.confirmTitle),
    confirm: plain(LIMITS.confirmButton),
    deny: plain(LIMITS.confirmButton),
    style,
  },
});

function option(text: Rule): Rule {
  return shape({
    required: { text, value: str(LIMITS.optionValue) },
    optional: { description: rich(LIMITS.optionDescription), url: str(LIMITS.url) },
  });
}

const menuOption = option(plain(LIMITS.optionText));
const choiceOption = option(rich(LIMITS.optionText));
const optionGroup = shape({
  required: { label: plain(LIMITS.groupLabel), options: list(LIMITS.selectOptions, menuOption) },
});

/** An interactive element. All of them may have these fields. */
function actionable({ required = {}, optional = {}, whole: check }: Shape): Rule {
  return shape({
    required: { type: any, ...required },
    optional: { action_id: str(LIMITS.actionId), confirm, focus_on_load: bool, ...optional },
    ...(check === undefined ? {} : { whole: check }),
  });
}

const placeholder = plain(LIMITS.placeholder);
const maxSelected = whole({ min: 1, max: 100, why: 'as many as a menu holds' });
const dispatchConfig = shape({
  optional: {
    trigger_actions_on: list(
      { min: 1, max: 2, why: 'there are two' },
      oneOf('on_enter_pressed', 'on_character_entered'),
    ),
  },
});

/** Initial options must exactly match one of the options. */
const initialAmongOptions = about((element, pointer, report) => {
  const options = [
    ...toRecords(element.options),
    ...toRecords(element.option_groups).flatMap((group) => toRecords(group.options)),
  ].map((known) => JSON.stringify(known));
  const initial = [element.initial_option, ...toRecords(element.initial_options)];
  for (const chosen of initial.filter((one) => one !== undefined)) {
    if (!options.includes(JSON.stringify(chosen))) {
      const at = element.initial_option === undefined ? 'initial_options' : 'initial_option';
      report(`${pointer}/${at}`, 'invalid_value', 'must exactly match one of the options');
    }
  }
});

const menuOptions = about((element, pointer, report) => {
  if ((element.options === undefined) === (element.option_groups === undefined)) {
    report(pointer, 'invalid_value', 'must have either options or option_groups');
  }
  initialAmongOptions(element, pointer, report);
});

const staticMenu = {
  placeholder,
  options: list(LIMITS.selectOptions, menuOption),
  option_groups: list(LIMITS.optionGroups, optionGroup),
};

const textBounds = about((element, pointer, report) => {
  const { min_length: min, max_length: max } = element;
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    report(pointer, 'invalid_value', 'min_length must not be greater than max_length');
  }
  if (typeof max === 'number' && toText(element.initial_value).length > max) {
    report(`${pointer}/initial_value`, 'too_long', `must be less than ${max + 1} characters`);
  }
});

const numberText = matching(/^-?\d+(\.\d+)?$/, 'a number as text');
const numberBounds = about((element, pointer, report) => {
  const bad = [
    [element.min_value, element.max_value],
    [element.min_value, element.initial_value],
    [element.initial_value, element.max_value],
  ].some(([low, high]) => low !== undefined && high !== undefined && Number(low) > Number(high));
  if (bad) {
    report(pointer, 'invalid_value', 'must have min_value <= initial_value <= max_value');
  }
});

const feedbackButton = shape({
  required: { text: plain(LIMITS.buttonText), value: str(LIMITS.buttonValue) },
  optional: { accessibility_label: str(LIMITS.accessibilityLabel) },
});

const imageElement = shape({
  required: { type: any, alt_text: str(LIMITS.altText) },
  optional: { image_url: httpUrl, slack_file: any },
  whole: about((element, pointer, report) => {
    if ((element.image_url === undefined) === (element.slack_file === undefined)) {
      report(pointer, 'missing_field', 'must have either image_url or slack_file');
    }
  }),
});

function select(optional: Shape['optional'], check?: Rule): Rule {
  return actionable({
    optional: { placeholder, ...optional },
    ...(check === undefined ? {} : { whole: check }),
  });
}

function input(optional: Shape['optional'], check?: Rule): Rule {
  return select({ dispatch_action_config: dispatchConfig, ...optional }, check);
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object */
const conversationFilter = shape({
  optional: {
    include: list(
      { min: 1, max: 4, why: 'there are four' },
      oneOf('im', 'mpim', 'private', 'public'),
    ),
    exclude_external_shared_channels: bool,
    exclude_bot_users: bool,
  },
  whole: about((value, pointer, report) => {
    if (Object.keys(value).length === 0) {
      report(pointer, 'missing_field', 'must have at least one of its fields');
    }
  }),
});

/** Every Block Kit element that an app may send, by type. */
export const ELEMENT_RULES = {
  button: actionable({
    required: { text: plain(LIMITS.buttonText) },
    optional: {
      value: str(LIMITS.buttonValue),
      url: (value, pointer, report) => {
        str(LIMITS.url)(value, pointer, report);
        url(value, pointer, report);
      },
      style,
      accessibility_label: str(LIMITS.accessibilityLabel),
    },
  }),
  checkboxes: actionable({
    required: { options: list(LIMITS.choiceOptions, choiceOption) },
    optional: { initial_options: list({ ...LIMITS.choiceOptions }, choiceOption) },
    whole: initialAmongOptions,
  }),
  radio_buttons: actionable({
    required: { options: list(LIMITS.choiceOptions, choiceOption) },
    optional: { initial_option: choiceOption },
    whole: initialAmongOptions,
  }),
  overflow: actionable({ required: { options: list(LIMITS.overflowOptions, menuOption) } }),
  datepicker: select({ initial_date: matching(/^\d{4}-\d{2}-\d{2}$/, 'a date YYYY-MM-DD') }),
  timepicker: select({
    initial_time: matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time HH:mm'),
    timezone: anyText,
  }),
  datetimepicker: actionable({
    optional: { initial_date_time: whole({ max: 9_999_999_999, why: 'ten digits' }) },
  }),
  static_select: select({ ...staticMenu, initial_option: menuOption }, menuOptions),
  multi_static_select: select(
    {
      ...staticMenu,
      initial_options: list(LIMITS.selectOptions, menuOption),
      max_selected_items: maxSelected,
    },
    menuOptions,
  ),
  external_select: select({ initial_option: menuOption, min_query_length: any }),
  multi_external_select: select({
    initial_options: list(LIMITS.selectOptions, menuOption),
    min_query_length: any,
    max_selected_items: maxSelected,
  }),
  users_select: select({ initial_user: id }),
  multi_users_select: select({ initial_users: ids, max_selected_items: maxSelected }),
  channels_select: select({ initial_channel: id, response_url_enabled: bool }),
  multi_channels_select: select({ initial_channels: ids, max_selected_items: maxSelected }),
  conversations_select: select({
    initial_conversation: id,
    default_to_current_conversation: bool,
    response_url_enabled: bool,
    filter: conversationFilter,
  }),
  multi_conversations_select: select({
    initial_conversations: ids,
    default_to_current_conversation: bool,
    max_selected_items: maxSelected,
    filter: conversationFilter,
  }),
  plain_text_input: input(
    {
      initial_value: str(LIMITS.inputText),
      multiline: bool,
      min_length: whole(LIMITS.inputText),
      max_length: whole({ ...LIMITS.inputText, min: 1 }),
    },
    textBounds,
  ),
  email_text_input: input({ initial_value: str(LIMITS.inputText) }),
  url_text_input: input({ initial_value: str(LIMITS.inputText) }),
  number_input: actionable({
    required: { is_decimal_allowed: bool },
    optional: {
      placeholder,
      dispatch_action_config: dispatchConfig,
      initial_value: numberText,
      min_value: numberText,
      max_value: numberText,
    },
    whole: numberBounds,
  }),
  rich_text_input: input({ initial_value: any, min_lines: any, max_lines: any }),
  file_input: actionable({ optional: { filetypes: any, max_files: whole(LIMITS.maxFiles) } }),
  workflow_button: actionable({
    required: { text: plain(LIMITS.buttonText), workflow: any },
    optional: { style, accessibility_label: str(LIMITS.accessibilityLabel) },
  }),
  feedback_buttons: actionable({
    required: { positive_button: feedbackButton, negative_button: feedbackButton },
  }),
  icon_button: actionable({
    required: { icon: anyText, text: plain(LIMITS.buttonText) },
    optional: {
      value: str(LIMITS.buttonValue),
      visible_to_user_ids: ids,
      accessibility_label: str(LIMITS.accessibilityLabel),
    },
  }),
  image: imageElement,
} as const satisfies Readonly<Record<string, Rule>>;

/** The type of an element that has a rule. */
export type ElementType = keyof typeof ELEMENT_RULES;

/** An element of one of these types. */
export function elementOf(...types: readonly ElementType[]): Rule {
  return byType(Object.fromEntries(types.map((type) => [type, ELEMENT_RULES[type]])));
}

/** An `http` or `https` URL. */
export const HTTP_URL: Rule = httpUrl;

/** Returns whether the element has a value in `state.values`. */
export function isStateful(element: Json): boolean {
  return !STATELESS.has(toText(element.type));
}

const STATELESS = new Set([
  'button',
  'overflow',
  'image',
  'workflow_button',
  'feedback_buttons',
  'icon_button',
]);
