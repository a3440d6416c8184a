/** Draws values: our labels are bold, the data never is. */
import type {
  KnownBlock,
  RichTextBlockElement,
  RichTextElement,
  RichTextSection,
} from '@slack/types';
import { isInline } from './fit-values.ts';
import type { FormattedList } from './format-list.ts';
import type { ShownArgument } from './render-arguments.ts';

/**
 * Builds the block of several values. Rich text is never parsed:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
export function buildValueBlock(pieces: readonly ShownArgument[]): KnownBlock[] {
  const elements: RichTextBlockElement[] = [];
  let line: RichTextElement[] = [];
  const endLine = () => {
    if (line.length > 0) elements.push({ type: 'rich_text_section', elements: line });
    line = [];
  };
  for (const piece of pieces) {
    const label = labelOf(piece);
    if (label.length > 0 && line.length > 0) line.push({ type: 'text', text: '\n' });
    line.push(...label);
    if (isInline(piece)) line.push(...valueElements(piece, label.length > 0));
    else {
      endLine();
      elements.push(boxOf(piece));
    }
  }
  endLine();
  return elements.length === 0 ? [] : [{ type: 'rich_text', elements }];
}

function valueElements(piece: ShownArgument, isLabeled: boolean): readonly RichTextElement[] {
  if (piece.text === '') return [];
  return isLabeled ? [{ type: 'text', text: ' ' }, elementOf(piece)] : [elementOf(piece)];
}

function elementOf({ set, text }: ShownArgument): RichTextElement {
  if (set === 'ours') return { type: 'text', text, style: { italic: true } };
  return set === 'code' ? asCode(text) : { type: 'text', text };
}

function boxOf({ list, set, text }: ShownArgument): RichTextBlockElement {
  if (list !== undefined) return listOf(list);
  const elements = [{ type: 'text' as const, text }];
  const type = set === 'box' ? ('rich_text_preformatted' as const) : ('rich_text_quote' as const);
  return { type, elements };
}

function listOf({ isNumbered, lines }: FormattedList): RichTextBlockElement {
  const elements = lines.map(
    (line): RichTextSection => ({ type: 'rich_text_section', elements: [...line] }),
  );
  return { type: 'rich_text_list', style: isNumbered ? 'ordered' : 'bullet', elements };
}

function labelOf(piece: ShownArgument): readonly RichTextElement[] {
  const { list, name, type = '' } = piece;
  // A list needs no type: its lines show what it is.
  const label = [piece.label, list === undefined ? type : '']
    .filter((each) => each !== '')
    .join(' · ');
  if (name === undefined) return label === '' ? [] : [bold(label)];
  return [asCode(name), ...(label === '' ? [] : [bold(` · ${label}`)])];
}

function bold(text: string): RichTextElement {
  return { type: 'text', text, style: { bold: true } };
}

/** Formats a text as inline code. */
export function asCode(text: string): RichTextElement {
  return { type: 'text', text, style: { code: true } };
}

/** Builds a quotation with our label above it. */
export function buildQuote(piece: ShownArgument): KnownBlock {
  return {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: [bold(piece.label)] },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: piece.text }] },
    ],
  };
}
