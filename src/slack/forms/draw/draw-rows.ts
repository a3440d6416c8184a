/** Renders the nodes of a form as rows of blocks that stay together on one page. */
import type { Button, KnownBlock } from '@slack/types';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { findLookAlikes, type LookAlike } from '../../cards/look-alikes/look-alikes.ts';
import { truncateText } from '../../schema/field-labels.ts';
import { LIMITS } from '../../text/limits.ts';
import { ACTIONS } from '../../transport/ids.ts';
import type {
  Entries,
  Entry,
  Field,
  FormNode,
  Group,
  UneditedValue,
  Union,
} from '../plan/form-node.ts';
import { buildField, buildKindChoice } from './draw-field.ts';

/** Blocks that stay together. `holdsNext` keeps a heading on the page of the row after it. */
export interface Row {
  /** The id of its node. */
  readonly id: string;
  readonly blocks: readonly KnownBlock[];
  readonly inputs: number;
  readonly holdsNext: boolean;
}

/** Renders a node and all nodes below it. */
export function toRows(node: FormNode, depth = 0): readonly Row[] {
  switch (node.type) {
    case 'field':
      return [fieldRow(node)];
    case 'kept':
      return node.why === '' ? [] : [textRow(node.id, describeUneditedValue(node))];
    case 'group':
      return groupRows(node, depth);
    case 'entries':
      return entriesRows(node, depth);
    case 'union':
      return unionRows(node, depth);
  }
}

function fieldRow(field: Field): Row {
  const blocks = [...buildTextWarning(field), buildField(field)];
  return { id: field.id, blocks, inputs: 1, holdsNext: false };
}

const MAX_WARNINGS = 3;

/** Warns above a field about characters in its text that readers can't see or could mistake. */
function buildTextWarning({ initial, typed, label }: Field): readonly KnownBlock[] {
  const text = typed ?? initial;
  if (typeof text !== 'string') return [];
  const { hidden } = toVisible(text);
  const lookAlikes = findLookAlikes(text).filter(({ isUsual, shown }) => !isUsual && shown !== '');
  const more = lookAlikes.length - MAX_WARNINGS;
  const lines = [
    ...(hidden === 0 ? [] : [describeHidden(hidden)]),
    ...lookAlikes.slice(0, MAX_WARNINGS).map(describeLookAlike),
    ...(more > 0 ? [more === 1 ? '1 more look-alike' : `${more} more look-alikes`] : []),
  ];
  if (lines.length === 0) return [];
  return [{ type: 'context', elements: [plain(`⚠ ${label}: ${lines.join('; ')}.`)] }];
}

function describeHidden(hidden: number): string {
  return hidden === 1
    ? '1 character can’t be seen as it is'
    : `${hidden} characters can’t be seen as they are`;
}

function describeLookAlike({ shown, description, other }: LookAlike): string {
  return `“${shown}” ${description}${other === undefined ? '' : ` “${other}”`}`;
}

function describeUneditedValue({ label, why }: Pick<UneditedValue, 'label' | 'why'>): string {
  return `${label}: kept as it is (${why}).`;
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}

function textRow(id: string, text: string): Row {
  return {
    id,
    blocks: [{ type: 'context', elements: [plain(truncateText(text, 500))] }],
    inputs: 0,
    holdsNext: false,
  };
}

/** Top-level parts start with a divider; headings within them are bold text. */
function headingBlocks(text: string, depth: number, beside?: Button): readonly KnownBlock[] {
  const isPart = depth === 1;
  const line: readonly KnownBlock[] = isPart ? [{ type: 'divider' }] : [];
  if (isPart && beside === undefined) return [...line, { type: 'header', text: plain(text) }];
  return [
    ...line,
    {
      type: 'section',
      ...(beside !== undefined && { block_id: `${beside.value}.${beside.action_id}` }),
      text: boldText(text),
      expand: true,
      ...(beside !== undefined && { accessory: beside }),
    },
  ];
}

/** Only text without markup is bold; other text stays plain. */
function boldText(text: string) {
  const isPlain = /^(?:[\p{L}\p{N} ().,:-]|(?<=\w)_(?=\w))+$/u.test(text) && !text.includes('://');
  return isPlain ? ({ type: 'mrkdwn', text: `*${text}*`, verbatim: true } as const) : plain(text);
}

function button(action_id: string, text: string, value: string, label: string): Button {
  const accessibility_label = truncateText(label, LIMITS.buttonText);
  return { type: 'button', action_id, text: plain(text), value, accessibility_label };
}

function headingRow(node: Group | Entries, head: readonly KnownBlock[], holdsNext: boolean): Row {
  const about: KnownBlock = { type: 'context', elements: [plain(node.hint)] };
  const blocks = node.hint === '' ? head : [...head, about];
  return { id: node.id, blocks, inputs: 0, holdsNext };
}

function groupRows(node: Group, depth: number): readonly Row[] {
  const children = inParts(node.children.map((child) => child.node)).flatMap((child) =>
    toRows(child, depth + 1),
  );
  if (!node.heading) return children;
  const head = headingBlocks(headOf(node), depth, node.mayToggle ? toggleOf(node) : undefined);
  return [headingRow(node, head, children.length > 0), ...children];
}

/** Puts parts last, so that no single field seems to belong to one. */
function inParts(nodes: readonly FormNode[]): readonly FormNode[] {
  const isPart = (node: FormNode) => node.type === 'group' || node.type === 'entries';
  return [...nodes.filter((node) => !isPart(node)), ...nodes.filter(isPart)];
}

function headOf({ label, off, present }: Group): string {
  if (present) return label;
  return `${label}: ${off === null ? 'nothing (null)' : 'not set'}`;
}

function toggleOf({ id, label, present }: Group): Button {
  const verb = present ? 'Leave Out' : 'Add';
  return button(ACTIONS.formToggle, verb, id, `${verb}: ${label}`);
}

function entriesRows(node: Entries, depth: number): readonly Row[] {
  const count = node.items.length;
  // Deeper lists need no heading, because their entries repeat the name.
  const isNamed = depth > 1 && count > 0 && node.hint === '';
  const head = headingBlocks(count === 0 ? `${node.label}: none` : node.label, depth);
  const verb = count === 0 ? 'Add One' : 'Add Another';
  const add: Row = {
    id: node.id,
    blocks: [
      {
        type: 'actions',
        block_id: `${node.id}.${ACTIONS.formAdd}`,
        elements: [button(ACTIONS.formAdd, verb, node.id, `${verb}: ${node.label}`)],
      },
    ],
    inputs: 0,
    holdsNext: false,
  };
  return [
    ...(isNamed ? [] : [headingRow(node, head, count > 0 || node.mayAdd)]),
    ...node.items.flatMap((item) => entryRows(node, item, depth + 1)),
    ...(node.mayAdd ? [add] : []),
  ];
}

function entryRows(node: Entries, entry: Entry, depth: number): readonly Row[] {
  const { label, name, id } = entry;
  const inner = entry.node.type === 'group' ? { ...entry.node, heading: false } : entry.node;
  const isKept = inner.type === 'kept' && inner.why !== '';
  const remove = button(ACTIONS.formRemove, 'Remove', `${node.id} ${id}`, `Remove: ${label}`);
  const head: Row = {
    id: entry.node.id,
    blocks: headingBlocks(
      isKept ? describeUneditedValue({ ...inner, label }) : label,
      depth,
      node.mayRemove ? remove : undefined,
    ),
    inputs: 0,
    holdsNext: !isKept,
  };
  if (isKept) return [head];
  return [head, ...(name === undefined ? [] : [fieldRow(name)]), ...toRows(inner, depth)];
}

function unionRows(node: Union, depth: number): readonly Row[] {
  const choice: Row = { id: node.id, blocks: [buildKindChoice(node)], inputs: 1, holdsNext: true };
  return [choice, ...toRows(node.node, depth)];
}
