import type { KnownBlock, RichTextBlock } from '@slack/types';
import type { DataPiece } from './render-args.ts';

/** Pieces as they fit a card: what is cut says so in its label, what is left out is counted. */
export interface FittedPieces {
  readonly pieces: readonly DataPiece[];
  readonly leftOut: number;
  /** Whether everything is shown. */
  readonly whole: boolean;
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
    const length = piece.label.length + piece.text.length;
    const fits = length <= left && piece.text.length <= room.each;
    if (fitted.length === room.count || (!fits && left < WORTH_STARTING)) {
      return { pieces: fitted, leftOut: pieces.length - fitted.length, whole: false };
    }
    const shown = fits
      ? piece
      : cutPiece(piece, Math.min(left - piece.label.length - 60, room.each));
    whole &&= fits;
    left -= shown.label.length + shown.text.length;
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

/** Sums what is hidden and what is masked in pieces. */
export function sumPieces(pieces: readonly DataPiece[]): { hidden: number; masked: number } {
  return {
    hidden: pieces.reduce((sum, piece) => sum + piece.hidden, 0),
    masked: pieces.reduce((sum, piece) => sum + piece.masked, 0),
  };
}
