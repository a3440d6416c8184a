import type { KnownBlock } from '@slack/types';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Copies the current values of a view's fields into its blocks as initial values. A form that is
 * drawn again, for example after a reload, then shows what it would send.
 */
export function withState(blocks: readonly KnownBlock[], state: Fields): readonly KnownBlock[] {
  return blocks.map((block) => {
    const blockState = asFields(state[block.block_id ?? '']);
    if (blockState === undefined) return block;
    if (block.type === 'input') {
      return { ...block, element: fill(block.element, blockState) };
    }
    if (block.type === 'actions') {
      return { ...block, elements: block.elements.map((element) => fill(element, blockState)) };
    }
    if (block.type === 'section' && block.accessory !== undefined) {
      return { ...block, accessory: fill(block.accessory, blockState) };
    }
    return block;
  });
}

function fill<T extends { action_id?: string } | object>(element: T, blockState: Fields): T {
  const actionId = 'action_id' in element ? String(element.action_id) : '';
  const state = asFields(blockState[actionId]);
  if (state === undefined) return element;
  const filled: Record<string, unknown> = { ...element };
  for (const [key, value] of Object.entries(state)) {
    const initial = initialKey(key);
    if (initial === undefined) continue;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (isEmpty) delete filled[initial];
    else filled[initial] = value;
  }
  // Only initial values differ, so the type is unchanged.
  return filled as T;
}

/**
 * Maps a state key to its initial key: `selected_date` to `initial_date`, `value` to
 * `initial_value`.
 */
function initialKey(stateKey: string): string | undefined {
  if (stateKey === 'value') return 'initial_value';
  if (stateKey.startsWith('selected_')) return stateKey.replace('selected_', 'initial_');
  return undefined;
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
