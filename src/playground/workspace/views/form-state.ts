import { isStateful } from '../blocks/element-rules.ts';
import { listElements, type PlacedElement } from '../blocks/walk-blocks.ts';
import { type Json, toRecords, toText, toTexts } from '../json-value.ts';

/** The value that a person entered into a field: one, several, or none. */
export type Entered = string | readonly string[] | null;

/** Entered values, by block id and action id. Untouched fields are missing. */
export type Typed = Readonly<Record<string, Readonly<Record<string, Entered>>>>;

/** Options offered by external selects so far, by block id and action id. */
export type Offered = Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>;

/**
 * Returns the `state.values` of all elements with a value. Untouched ones have their initial value.
 */
export function collectState(blocks: readonly Json[], typed: Typed, offered: Offered = {}): Json {
  const values: Record<string, Record<string, Json>> = {};
  for (const { blockId, element } of listOffering(blocks, offered)) {
    if (isStateful(element)) {
      const actionId = toText(element.action_id);
      values[blockId] = {
        ...values[blockId],
        [actionId]: toElementState(element, typed[blockId]?.[actionId]),
      };
    }
  }
  return values;
}

/** Lists the interactive elements. External selects get their options as `offered`. */
export function listOffering(blocks: readonly Json[], offered: Offered): readonly PlacedElement[] {
  return listElements(blocks).map((placed) => ({
    ...placed,
    element: {
      ...placed.element,
      offered: offered[placed.blockId]?.[toText(placed.element.action_id)] ?? [],
    },
  }));
}

/** Returns the state of an element. `entered` is undefined for an untouched one. */
export function toElementState(element: Json, entered: Entered | undefined): Json {
  const type = toText(element.type);
  const simple = SIMPLE_FIELDS[type];
  if (simple !== undefined) {
    const value = entered === undefined ? element[simple.initial] : toOne(entered);
    return { type, [simple.state]: toSimpleValue(type, value) };
  }
  const ids = ID_LISTS[type];
  if (ids !== undefined) {
    const chosen = entered === undefined ? toTexts(element[ids.initial]) : toMany(entered);
    return { type, [ids.state]: chosen };
  }
  return { type, ...(OTHER_STATES[type]?.(element, entered) ?? { files: [] }) };
}

type StateOf = (element: Json, entered: Entered | undefined) => Json;

const manyOptions: StateOf = (element, entered) => ({
  selected_options:
    entered === undefined
      ? toRecords(element.initial_options)
      : toMany(entered).map((value) => optionOf(element, value)),
});

const oneOption: StateOf = (element, entered) => {
  if (entered === undefined) {
    return { selected_option: element.initial_option ?? null };
  }
  const value = toOne(entered);
  return { selected_option: value === null ? null : optionOf(element, value) };
};

const OTHER_STATES: Readonly<Record<string, StateOf>> = {
  checkboxes: manyOptions,
  multi_static_select: manyOptions,
  multi_external_select: manyOptions,
  radio_buttons: oneOption,
  static_select: oneOption,
  external_select: oneOption,
  rich_text_input: (element, entered) => ({ rich_text_value: toRichText(element, entered) }),
};

interface Field {
  readonly state: string;
  readonly initial: string;
}

const TEXT_FIELD: Field = { state: 'value', initial: 'initial_value' };

const SIMPLE_FIELDS: Readonly<Record<string, Field>> = {
  plain_text_input: TEXT_FIELD,
  email_text_input: TEXT_FIELD,
  url_text_input: TEXT_FIELD,
  number_input: TEXT_FIELD,
  datepicker: { state: 'selected_date', initial: 'initial_date' },
  timepicker: { state: 'selected_time', initial: 'initial_time' },
  datetimepicker: { state: 'selected_date_time', initial: 'initial_date_time' },
  users_select: { state: 'selected_user', initial: 'initial_user' },
  channels_select: { state: 'selected_channel', initial: 'initial_channel' },
  conversations_select: { state: 'selected_conversation', initial: 'initial_conversation' },
};

const ID_LISTS: Readonly<Record<string, Field>> = {
  multi_users_select: { state: 'selected_users', initial: 'initial_users' },
  multi_channels_select: { state: 'selected_channels', initial: 'initial_channels' },
  multi_conversations_select: {
    state: 'selected_conversations',
    initial: 'initial_conversations',
  },
};

function toOne(entered: Entered): string | null {
  if (entered === null || entered === '') {
    return null;
  }
  if (typeof entered === 'string') {
    return entered;
  }
  throw new Error(`The field takes one value, not ${entered.length}.`);
}

function toMany(entered: Entered): readonly string[] {
  if (entered === null || entered === '') {
    return [];
  }
  return typeof entered === 'string' ? [entered] : entered;
}

function toSimpleValue(type: string, value: unknown): unknown {
  if (value === undefined || value === null || value === '') {
    return null;
  }
  return type === 'datetimepicker' ? Number(value) : value;
}

/** Returns the option with this value. Throws if the person could not choose it. */
export function optionOf(element: Json, value: string): Json {
  const options = [
    ...toRecords(element.options),
    ...toRecords(element.option_groups).flatMap((group) => toRecords(group.options)),
    // Options that an external select has offered.
    ...toRecords(element.offered),
    ...toRecords([element.initial_option]),
    ...toRecords(element.initial_options),
  ];
  const found = options.find((option) => option.value === value);
  if (found === undefined) {
    const values = options.map((option) => toText(option.value)).join(', ');
    throw new Error(
      `"${value}" is not a choice of ${toText(element.action_id)}; it has ${values}.`,
    );
  }
  return found;
}

function toRichText(element: Json, entered: Entered | undefined): unknown {
  if (entered === undefined) {
    return element.initial_value ?? null;
  }
  const text = toOne(entered);
  return text === null
    ? null
    : {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
      };
}

/** Merges new values into the entered ones. Keys are block ids, or unique action ids. */
export function enterValues(
  blocks: readonly Json[],
  typed: Typed,
  values: Readonly<Record<string, Entered>>,
  offered: Offered = {},
): Typed {
  const fields = listOffering(blocks, offered).filter(({ element }) => isStateful(element));
  let next = typed;
  for (const [key, entered] of Object.entries(values)) {
    const { blockId, element } = findField(fields, key);
    const actionId = toText(element.action_id);
    // Throws at once if the person could not enter this value.
    toElementState(element, entered);
    next = { ...next, [blockId]: { ...next[blockId], [actionId]: entered } };
  }
  return next;
}

function findField(fields: readonly PlacedElement[], key: string): PlacedElement {
  const byBlock = fields.filter((field) => field.blockId === key);
  const found =
    byBlock.length > 0 ? byBlock : fields.filter(({ element }) => element.action_id === key);
  const [first] = found;
  if (first === undefined) {
    const ids = fields.map((field) => field.blockId).join(', ');
    throw new Error(`The view has no field "${key}"; it has the blocks ${ids}.`);
  }
  if (found.length > 1) {
    throw new Error(`"${key}" matches ${found.length} fields; pass a block id with one field.`);
  }
  return first;
}
