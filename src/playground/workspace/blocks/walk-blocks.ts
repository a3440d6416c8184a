import { isJson, type Json, toRecords, toText } from '../json-value.ts';

/** An interactive element and its block. */
export interface PlacedElement {
  readonly blockId: string;
  readonly block: Json;
  readonly element: Json;
}

/**
 * Lists the interactive elements of blocks in reading order, including those inside cards and
 * containers.
 */
export function listElements(blocks: readonly Json[]): readonly PlacedElement[] {
  return blocks.flatMap((block) => {
    if (block.type === 'container') {
      return listElements(toRecords(block.child_blocks));
    }
    if (block.type === 'carousel') {
      return listElements(toRecords(block.elements));
    }
    return elementsOf(block).map((element) => ({
      blockId: toText(block.block_id),
      block,
      element,
    }));
  });
}

function elementsOf(block: Json): readonly Json[] {
  switch (block.type) {
    case 'actions':
    case 'context_actions':
      return toRecords(block.elements);
    case 'card':
      return toRecords(block.actions);
    case 'section':
      return isJson(block.accessory) && block.accessory.type !== 'image' ? [block.accessory] : [];
    case 'input':
      return isJson(block.element) ? [block.element] : [];
    default:
      return [];
  }
}

/** Returns whether an element with this action id is visible. */
export function hasElement(
  blocks: readonly Json[],
  { actionId, blockId }: { readonly actionId: string; readonly blockId?: string },
): boolean {
  return findPlaced(blocks, actionId, blockId).length > 0;
}

function findPlaced(
  blocks: readonly Json[],
  actionId: string,
  blockId: string | undefined,
): readonly PlacedElement[] {
  return listElements(blocks).filter(
    (placed) =>
      placed.element.action_id === actionId &&
      (blockId === undefined || placed.blockId === blockId),
  );
}

/** Returns the element with this action id. Throws if there is none, or several and no block id. */
export function findElement(
  blocks: readonly Json[],
  actionId: string,
  blockId?: string,
): PlacedElement {
  const found = findPlaced(blocks, actionId, blockId);
  const [first] = found;
  if (first === undefined) {
    const ids = listElements(blocks)
      .map((placed) => toText(placed.element.action_id))
      .join(', ');
    throw new Error(`No element with the action id "${actionId}" is visible there; only: ${ids}.`);
  }
  if (found.length > 1) {
    throw new Error(`"${actionId}" occurs ${found.length} times; pass the block id.`);
  }
  return first;
}

/** Assigns missing block ids and action ids, as Slack does on arrival. */
export function assignIds(blocks: readonly Json[], newId: () => string): readonly Json[] {
  return blocks.map((block) => {
    const withId = { ...block, block_id: toText(block.block_id) || newId() };
    switch (block.type) {
      case 'container':
        return { ...withId, child_blocks: assignIds(toRecords(block.child_blocks), newId) };
      case 'carousel':
        return { ...withId, elements: assignIds(toRecords(block.elements), newId) };
      case 'actions':
      case 'context_actions':
        return {
          ...withId,
          elements: toRecords(block.elements).map((e) => withActionId(e, newId)),
        };
      case 'card':
        return block.actions === undefined
          ? withId
          : { ...withId, actions: toRecords(block.actions).map((e) => withActionId(e, newId)) };
      case 'section':
        return isJson(block.accessory)
          ? { ...withId, accessory: withActionId(block.accessory, newId) }
          : withId;
      case 'input':
        return isJson(block.element)
          ? { ...withId, element: withActionId(block.element, newId) }
          : withId;
      default:
        return withId;
    }
  });
}

function withActionId(element: Json, newId: () => string): Json {
  return element.type === 'image' || toText(element.action_id) !== ''
    ? element
    : { ...element, action_id: newId() };
}
