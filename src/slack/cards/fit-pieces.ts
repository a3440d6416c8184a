import type { KnownBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import { addCounts, NO_SECRETS } from '../../domain/mask-secrets.ts';
import type { DataPiece } from './render-args.ts';

/** Pieces as they fit a card: what is cut says so in its label, what is left out is counted, and long runs of escapes are one mark each. */
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

function labelRoom({ label, name = '' }: DataPiece): number {
  return label.length + name.length;
}

/** Longer runs of escapes push what stands behind them off the screen. */
const MAX_RUN = 100;

/** Writes each long run of escapes as one mark with the number of its characters, so that both ends of a text stay readable; looks no further than `most` characters of the result. */
function shortenRuns(visible: string, most: number): string {
  let shown = '';
  let from = 0;
  for (let at = visible.indexOf(ESCAPE); at !== -1 && shown.length + at - from <= most; ) {
    const { end, characters } = runFrom(visible, at);
    if (end - at > MAX_RUN) {
      // Nobody else writes what begins as an escape does.
      shown += `${visible.slice(from, at)}${ESCAPE}${characters} invisible characters}`;
      from = end;
    }
    at = visible.indexOf(ESCAPE, end);
  }
  return shown + visible.slice(from);
}

const ESCAPE = '\\u{';
/** Any but that of a backslash, which is part of what is written. */
const ONE_ESCAPE = /\\u\{(?!5c\})[0-9a-f]+(?: x([0-9]+))?\}/y;
const BLANKS = /[ \n]*/y;

/** Where a run of escapes ends, with nothing but blanks between them, and how many characters it stands for. */
function runFrom(visible: string, from: number): { end: number; characters: number } {
  let end = from + ESCAPE.length;
  let characters = 0;
  let blanks = 0;
  ONE_ESCAPE.lastIndex = from;
  for (;;) {
    const found = ONE_ESCAPE.exec(visible);
    if (found === null) return { end, characters };
    characters += blanks + Number(found[1] ?? 1);
    end = ONE_ESCAPE.lastIndex;
    BLANKS.lastIndex = end;
    blanks = BLANKS.exec(visible)?.[0].length ?? 0;
    ONE_ESCAPE.lastIndex = end + blanks;
  }
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
    const text = shortenRuns(piece.text, room.each);
    const fits = labelRoom(piece) + roomOf(text) <= left && text.length <= room.each;
    if (fitted.length === room.count || (!fits && left < WORTH_STARTING)) {
      return { pieces: fitted, leftOut: pieces.length - fitted.length, whole: false };
    }
    const shown = fits
      ? { ...piece, text }
      : cutPiece(piece, Math.min(lengthWithin(text, left - labelRoom(piece) - 60), room.each));
    whole &&= fits && text === piece.text;
    left -= labelRoom(shown) + roomOf(shown.text);
    fitted.push(shown);
  }
  return { pieces: fitted, leftOut: 0, whole };
}

/** Shortens a piece's text: long runs of escapes, then its end, which its label says; `whole` is its length where it has been cut before. */
export function cutPiece(piece: DataPiece, max: number, whole = 0): DataPiece {
  const short = shortenRuns(piece.text, max);
  if (Math.max(short.length, whole) <= max) return { ...piece, text: short };
  const text = short.slice(0, cutBefore(short, Math.max(1, max)));
  const label = `${piece.label === '' ? '' : `${piece.label} · `}${count(text.length)} of ${count(Math.max(piece.text.length, whole))} characters shown`;
  return { ...piece, text, label };
}

/** Returns the last place at or before `at` that tears neither an escape nor a character apart. */
export function cutBefore(text: string, at: number): number {
  const head = text.slice(0, at);
  const torn = /\\(?:u(?:\{[0-9a-z ]*)?)?$/.exec(head);
  if (torn !== null && torn.index > 0) return torn.index;
  return /[\uD800-\uDBFF]$/.test(head) && at > 1 ? at - 1 : at;
}

/** Writes a number as people read it. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** So much text, in one line, needs no box of its own. */
const MAX_INLINE = 100;

/** Tells whether a piece stands behind its label; runs of spaces keep a box, in which they are as wide as they are. */
function isInline({ text }: DataPiece): boolean {
  return text.length <= MAX_INLINE && !/\n| {2}/.test(text);
}

/**
 * Makes the block of pieces: labels of ours, and what they name as data. Neither code nor a box
 * parses markup: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
export function buildPieces(pieces: readonly DataPiece[]): KnownBlock[] {
  const elements: RichTextBlockElement[] = [];
  let line: RichTextElement[] = [];
  const endLine = () => {
    if (line.length > 0) elements.push({ type: 'rich_text_section', elements: line });
    line = [];
  };
  for (const piece of pieces) {
    if (line.length > 0) line.push({ type: 'text', text: '\n' });
    line.push(...labelOf(piece));
    if (isInline(piece)) {
      if (piece.text !== '') line.push({ type: 'text', text: ' ' }, asCode(piece.text));
      continue;
    }
    endLine();
    elements.push({
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text: piece.text }],
    });
  }
  endLine();
  return elements.length === 0 ? [] : [{ type: 'rich_text', elements }];
}

function labelOf({ label, name }: DataPiece): readonly RichTextElement[] {
  if (name === undefined) return [bold(label)];
  return [asCode(name), ...(label === '' ? [] : [bold(` · ${label}`)])];
}

function bold(text: string): RichTextElement {
  return { type: 'text', text, style: { bold: true } };
}

/** Makes text that shows as it is. */
export function asCode(text: string): RichTextElement {
  return { type: 'text', text, style: { code: true } };
}

/** Makes the block of somebody's words: our label, then a quotation. */
export function buildQuote(piece: DataPiece): KnownBlock {
  return {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: [bold(piece.label)] },
      { type: 'rich_text_quote', elements: [asCode(piece.text)] },
    ],
  };
}

/** What of data can't be seen as it is. */
export type PieceSums = Pick<DataPiece, 'hidden' | 'secrets' | 'depth' | 'foreign'>;

/** Sums what of pieces can't be seen as it is; and the greatest depth. */
export function sumPieces(pieces: readonly DataPiece[]): PieceSums {
  return {
    hidden: pieces.reduce((total, { hidden }) => total + hidden, 0),
    secrets: pieces.reduce((total, { secrets }) => addCounts(total, secrets), NO_SECRETS),
    depth: Math.max(0, ...pieces.map(({ depth }) => depth)),
    foreign: pieces.map(({ foreign }) => foreign).join('\n'),
  };
}
