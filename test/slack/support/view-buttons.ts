/** A button of a view: its label and what a click sends. */
export interface PressedButton {
  readonly actionId: string;
  readonly blockId: string;
  readonly accessibility_label?: string;
  readonly text?: { readonly text: string };
}

/** Lists the buttons of a view. */
export function viewButtons(blocks: readonly object[]): readonly PressedButton[] {
  return blocks.flatMap((block) => {
    const {
      accessory,
      elements = [],
      block_id = '',
    } = block as {
      accessory?: { action_id: string };
      elements?: readonly { action_id: string }[];
      block_id?: string;
    };
    return [...(accessory === undefined ? [] : [accessory]), ...elements]
      .filter((each) => 'action_id' in each)
      .map((each) => ({ ...each, actionId: each.action_id, blockId: block_id }));
  });
}
