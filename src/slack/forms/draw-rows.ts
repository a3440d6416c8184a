/** The nodes of a form as rows of blocks that stay together on one page. */
import type { Button, KnownBlock } from '@slack/types';
import { ACTIONS } from '../ids.ts';
import { buildField, buildKindChoice } from './draw-field.ts';
import { shorten } from './form-labels.ts';
import type { Entries, Entry, Field, FormNode, Group, Union } from './form-node.ts';

/** Blocks that stay together; `holdsNext` keeps a heading with what it heads. */
export interface Row {
  /** The node that it shows. */
  readonly id: string;
  readonly blocks: readonly KnownBlock[];
  readonly inputs: number;
  readonly holdsNext: boolean;
}

/** Draws a node and all below it. */
export function toRows(node: FormNode, depth = 0): readonly Row[] {
  switch (node.type) {
    case 'field':
      return [fieldRow(node)];
    case 'kept':
      return node.why === '' ? [] : [textRow(node.id, `${node.label}: kept as it is (${node.why}).`)];
    case 'group':
      return groupRows(node, depth);
    case 'entries':
      return entriesRows(node, depth);
    case 'union':
      return unionRows(node, depth);
  }
}

function fieldRow(field: Field): Row {
  return { id: field.id, blocks: [buildField(field)], inputs: 1, holdsNext: false };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}

function textRow(id: string, text: string): Row {
  return {
    id,
    blocks: [{ type: 'context', elements: [plain(shorten(text, 500))] }],
    inputs: 0,
    holdsNext: false,
  };
}

/** A heading is bold in a rich text, where nothing of its text is markup. */
function headingBlocks(text: string, depth: number): readonly KnownBlock[] {
  const bold = { type: 'text', text, style: { bold: true } } as const;
  return [
    ...(depth <= 1 ? [{ type: 'divider' } as const] : []),
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [bold] }] },
  ];
}

function button(action_id: string, text: string, value: string): Button {
  return { type: 'button', action_id, text: plain(shorten(text, 70)), value };
}

function buttonsRow(id: string, blockId: string, buttons: readonly Button[]): Row {
  return { id, blocks: [{ type: 'actions', block_id: blockId, elements: [...buttons] }], inputs: 0, holdsNext: false };
}

function headingRow(node: Group | Entries, text: string, depth: number, holdsNext: boolean): Row {
  const blocks = [...headingBlocks(text, depth)];
  if (node.hint !== '') blocks.push({ type: 'context', elements: [plain(node.hint)] });
  return { id: node.id, blocks, inputs: 0, holdsNext };
}

function groupRows(node: Group, depth: number): readonly Row[] {
  const children = node.children.flatMap((child) => toRows(child.node, depth + 1));
  if (!node.heading) return children;
  const word = node.present ? 'Leave out' : 'Add';
  const toggle = buttonsRow(node.id, `${node.id}.on`, [button(ACTIONS.formToggle, `${word}: ${node.label}`, node.id)]);
  const none = node.off === null ? 'nothing (null)' : 'not set';
  const head = node.present ? node.label : `${node.label}: ${none}`;
  return [
    headingRow(node, head, depth + 1, children.length > 0 || node.mayToggle),
    ...children,
    ...(node.mayToggle ? [toggle] : []),
  ];
}

function entriesRows(node: Entries, depth: number): readonly Row[] {
  const count = node.items.length;
  const head = count === 0 ? `${node.label}: none` : node.label;
  const add = buttonsRow(node.id, `${node.id}.add`, [button(ACTIONS.formAdd, `Add to: ${node.label}`, node.id)]);
  return [
    headingRow(node, head, depth + 1, count > 0 || node.mayAdd),
    ...node.items.flatMap((item) => entryRows(node, item, depth + 2)),
    ...(node.mayAdd ? [add] : []),
  ];
}

function entryRows(node: Entries, entry: Entry, depth: number): readonly Row[] {
  const inner = entry.node.type === 'group' ? { ...entry.node, heading: false } : entry.node;
  const rows = [...(entry.name === undefined ? [] : [fieldRow(entry.name)]), ...toRows(inner, depth)];
  const isPlain = entry.name === undefined && inner.type === 'field';
  const head: Row = { id: entry.node.id, blocks: headingBlocks(entry.label, depth), inputs: 0, holdsNext: true };
  const remove = buttonsRow(entry.node.id, `${node.id}.rm.${entry.id}`, [
    button(ACTIONS.formRemove, `Remove: ${entry.label}`, `${node.id} ${entry.id}`),
  ]);
  return [...(isPlain ? [] : [head]), ...rows, ...(node.mayRemove ? [remove] : [])];
}

function unionRows(node: Union, depth: number): readonly Row[] {
  const choice: Row = { id: node.id, blocks: [buildKindChoice(node)], inputs: 1, holdsNext: true };
  return [choice, ...toRows(node.node, depth)];
}
