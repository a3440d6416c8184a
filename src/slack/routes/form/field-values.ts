/** Reads the initial values of a form's fields, and fills values in. */
import type { InputBlock, KnownBlock } from '@slack/types';
import { isPayload, objectAt, type Payload } from '../../transport/payload.ts';

/** For each type of input, Slack's property for its value in the state and in the block. */
const NAMES: Readonly<Record<string, readonly [state: string, initial: string]>> = {
  plain_text_input: ['value', 'initial_value'],
  number_input: ['value', 'initial_value'],
  static_select: ['selected_option', 'initial_option'],
  multi_static_select: ['selected_options', 'initial_options'],
  multi_external_select: ['selected_options', 'initial_options'],
  checkboxes: ['selected_options', 'initial_options'],
  multi_users_select: ['selected_users', 'initial_users'],
  conversations_select: ['selected_conversation', 'initial_conversation'],
};

/** Returns the state of untouched fields, by block id. */
export function initialFieldValues(blocks: readonly KnownBlock[]): Payload {
  const found = blocks.filter(isInput).map(({ block_id: id = '', element }) => {
    const [state, initial] = namesOf(element.type);
    const value = asPayload(element)[initial] ?? (initial.endsWith('s') ? [] : null);
    return [id, { [actionOf(element)]: { type: element.type, [state]: value } }];
  });
  return Object.fromEntries(found);
}

/** Fills values into their fields; others stay unchanged. */
export function fillBlocks(blocks: readonly KnownBlock[], values: Payload): KnownBlock[] {
  return blocks.map((block) => {
    const id = block.block_id ?? '';
    if (!isInput(block) || !Object.hasOwn(values, id)) return block;
    const { element } = block;
    const [state, initial] = namesOf(element.type);
    const value = objectAt(objectAt(values, id), actionOf(element))[state];
    const { [initial]: _before, ...rest } = asPayload(element);
    const isEmpty = value == null || value === '' || (Array.isArray(value) && value.length === 0);
    const filled = isEmpty ? rest : { ...rest, [initial]: value };
    return { ...block, element: filled as unknown as InputBlock['element'] };
  });
}

function namesOf(type: string): readonly [state: string, initial: string] {
  const names = NAMES[type];
  if (names === undefined) throw new Error(`The form of a route has no field of type ${type}.`);
  return names;
}

function isInput(block: KnownBlock): block is InputBlock {
  return block.type === 'input';
}

function asPayload(element: InputBlock['element']): Payload {
  return isPayload(element) ? element : {};
}

function actionOf({ action_id: id = '' }: { readonly action_id?: string }): string {
  return id;
}
