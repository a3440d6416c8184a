import type { KnownBlock } from '@slack/types';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Puts what stands in a view's fields into its blocks as initial values, so that a form that is
 * drawn anew (after a reload, or when somebody else was acted as meanwhile) shows what it would send.
 */
export function withState(blocks: readonly KnownBlock[], state: Fields): readonly KnownBlock[] {
  return blocks.map((block) => {
    const held = asFields(state[block.block_id ?? '']);
    if (held === undefined) return block;
    if (block.type === 'input') {
      return { ...block, element: fill(block.element, held) };
    }
    if (block.type === 'actions') {
      return { ...block, elements: block.elements.map((element) => fill(element, held)) };
    }
    if (block.type === 'section' && block.accessory !== undefined) {
      return { ...block, accessory: fill(block.accessory, held) };
    }
    return block;
  });
}

function fill<T extends { action_id?: string } | object>(element: T, held: Fields): T {
  const actionId = 'action_id' in element ? String(element.action_id) : '';
  const state = asFields(held[actionId]);
  if (state === undefined) return element;
  const filled: Record<string, unknown> = { ...element };
  for (const [key, value] of Object.entries(state)) {
    const initial = initialKey(key);
    if (initial === undefined) continue;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (isEmpty) delete filled[initial];
    else filled[initial] = value;
  }
  // Only initial values differ, so it is still the same kind of element.
  return filled as T;
}

/** `selected_date` is what `initial_date` became, `value` what `initial_value` became. */
function initialKey(stateKey: string): string | undefined {
  if (stateKey === 'value') return 'initial_value';
  if (stateKey.startsWith('selected_')) return stateKey.replace('selected_', 'initial_');
  return undefined;
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
