import type { KnownBlock, RichTextBlock } from '@slack/types';
import type { DataPiece } from './render-args.ts';

/** Pieces as they fit a card: what is cut says so in its label, what is left out is counted. */
export interface FittedPieces {
  readonly pieces: readonly DataPiece[];
  readonly leftOut: number;
  /** Whether everything is shown. */
  readonly whole: boolean;
}

/** A line takes as much of a phone's screen as this many characters. */
const LINE = 30;

/** How much room a text takes: many short lines push what stands below them off the screen. */
function roomOf(text: string): number {
  return text.length + LINE * (text.split('\n').length - 1);
}

/** Returns how many characters of a text fit into so much room. */
function lengthWithin(text: string, room: number): number {
  let left = room;
  let length = 0;
  for (const line of text.split('\n')) {
    if (line.length > left) return length + Math.max(0, left);
    left -= line.length + 1 + LINE;
    length += line.length + 1;
  }
  return Math.min(length, text.length);
}

/** A rest too small to say anything with is not begun. */
const WORTH_STARTING = 200;

/** Fits pieces into so many characters, in their order. */
export function fitPieces(
  pieces: readonly DataPiece[],
  room: { readonly characters: number; readonly each: number; readonly count: number },
): FittedPieces {
  const fitted: DataPiece[] = [];
  let left = room.characters;
  let whole = true;
  for (const piece of pieces) {
    const fits = piece.label.length + roomOf(piece.text) <= left && piece.text.length <= room.each;
    if (fitted.length === room.count || (!fits && left < WORTH_STARTING)) {
      return { pieces: fitted, leftOut: pieces.length - fitted.length, whole: false };
    }
    const shown = fits
      ? piece
      : cutPiece(
          piece,
          Math.min(lengthWithin(piece.text, left - piece.label.length - 60), room.each),
        );
    whole &&= fits;
    left -= shown.label.length + roomOf(shown.text);
    fitted.push(shown);
  }
  return { pieces: fitted, leftOut: 0, whole };
}

/** Cuts a piece's text and says so in its label. */
export function cutPiece(piece: DataPiece, max: number): DataPiece {
  if (piece.text.length <= max) return piece;
  const text = piece.text.slice(0, cutBefore(piece.text, Math.max(1, max)));
  const label = `${piece.label} · ${count(text.length)} of ${count(piece.text.length)} characters shown`;
  return { ...piece, text, label };
}

/** Returns the last place at or before `at` that tears neither an escape nor a character apart. */
export function cutBefore(text: string, at: number): number {
  const head = text.slice(0, at);
  const torn = /\\(?:u(?:\{[0-9a-f x]*)?)?$/.exec(head);
  if (torn !== null && torn.index > 0) return torn.index;
  return /[\uD800-\uDBFF]$/.test(head) && at > 1 ? at - 1 : at;
}

/** Writes a number as people read it. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Makes the block of one piece: our label, then the text as data. */
export function buildPiece(piece: DataPiece): KnownBlock {
  const block: RichTextBlock = {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [{ type: 'text', text: piece.label, style: { bold: true } }],
      },
    ],
  };
  if (piece.text !== '') {
    block.elements.push({
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text: piece.text }],
    });
  }
  return block;
}

/** Sums what of pieces can't be seen as it is. */
export function sumPieces(
  pieces: readonly DataPiece[],
): Pick<DataPiece, 'hidden' | 'masked' | 'guessed'> {
  const sum = (key: 'hidden' | 'masked' | 'guessed') =>
    pieces.reduce((total, piece) => total + piece[key], 0);
  return { hidden: sum('hidden'), masked: sum('masked'), guessed: sum('guessed') };
}
