import { addCounts, NO_SECRETS } from '../../../domain/secrets/mask-secrets.ts';
import { BUDGET } from '../../text/limits.ts';
import type { ShownArgument } from './render-arguments.ts';
import { shortenEscapeRuns } from './shorten-escapes.ts';

/**
 * Values fitted to a card. Labels of truncated values say so, and long runs of escapes are
 * shortened.
 */
export interface FittedValues {
  readonly pieces: readonly ShownArgument[];
  readonly leftOut: number;
  /** Whether every value is shown in full. */
  readonly whole: boolean;
}

const ROW: number = BUDGET.cardRow;

/** Returns how many rows of a phone's screen a text takes. */
export function rowsOf(text: string): number {
  return text
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / ROW)), 0);
}

/** Returns how many characters of a text fit into a number of rows. */
function lengthWithin(text: string, rows: number): number {
  let left = rows;
  let length = 0;
  for (const line of text.split('\n')) {
    if (left <= 0) return Math.max(0, length - 1);
    const needs = Math.max(1, Math.ceil(line.length / ROW));
    if (needs > left) return length + left * ROW;
    left -= needs;
    length += line.length + 1;
  }
  return text.length;
}

function rowsOfPiece(piece: ShownArgument): number {
  const { label, list, name = '', text } = piece;
  const head = `${name}${label}`;
  if (list !== undefined) {
    const lines = list.lines.map((line) =>
      rowsOf(line.map((each) => ('text' in each ? each.text : '')).join('')),
    );
    return 1 + lines.reduce((sum, rows) => sum + rows, 0);
  }
  if (isInline(piece)) return rowsOf(`${head} ${text}`);
  return (head === '' ? 0 : 1) + rowsOf(text);
}

/** Tells whether a value is on the same line as its label. */
export function isInline({ list, set, text }: ShownArgument): boolean {
  return list === undefined && set !== 'box' && !text.includes('\n');
}

/** With fewer rows left, no further value is started. */
const WORTH_STARTING = 2;

/** Fits values into a number of rows, in order. */
export function fitValues(
  pieces: readonly ShownArgument[],
  room: {
    readonly rows: number;
    /** The most rows for one value. */
    readonly each: (piece: ShownArgument) => number;
    readonly count: number;
  },
): FittedValues {
  const fitted: ShownArgument[] = [];
  let left = room.rows;
  let whole = true;
  for (const piece of pieces) {
    const most = Math.min(left, room.each(piece));
    const shown = fitPiece(piece, most);
    if (fitted.length === room.count || (shown === undefined && left < WORTH_STARTING)) {
      return { pieces: fitted, leftOut: pieces.length - fitted.length, whole: false };
    }
    const cut = shown ?? cutRows(piece, Math.max(WORTH_STARTING, most));
    whole &&= shown !== undefined && shown.text === piece.text;
    left -= rowsOfPiece(cut);
    fitted.push(cut);
  }
  return { pieces: fitted, leftOut: 0, whole };
}

/** Returns a value that fits, line by line if possible; undefined if it must be truncated. */
function fitPiece(piece: ShownArgument, rows: number): ShownArgument | undefined {
  const { list: _list, ...plain } = piece;
  const short = { ...plain, text: shortenEscapeRuns(piece.text, rows * ROW) };
  return [piece, short].find((each) => {
    return each.text === short.text && rowsOfPiece(each) <= rows;
  });
}

function cutRows({ list: _list, ...piece }: ShownArgument, rows: number): ShownArgument {
  const text = shortenEscapeRuns(piece.text, rows * ROW);
  return truncateValue(piece, lengthWithin(text, Math.max(1, rows - 1)));
}

/**
 * Shortens a value's text: first long runs of escapes, then its end, which the label says. `whole`
 * is the original length if it was already truncated.
 */
export function truncateValue<Piece extends ShownArgument>(
  piece: Piece,
  max: number,
  whole = 0,
): Piece {
  const short = shortenEscapeRuns(piece.text, max);
  if (Math.max(short.length, whole) <= max) return { ...piece, text: short };
  const text = short.slice(0, safeCutIndex(short, Math.max(1, max)));
  const label = `${piece.label === '' ? '' : `${piece.label} · `}${formatCount(text.length)} of ${formatCount(Math.max(piece.text.length, whole))} characters shown`;
  return { ...piece, text, label };
}

/** Returns the last index at or before `at` that splits neither an escape nor a character. */
export function safeCutIndex(text: string, at: number): number {
  const head = text.slice(0, at);
  const torn = /\\(?:u(?:\{[0-9a-z ]*)?)?$/.exec(head);
  if (torn !== null && torn.index > 0) return torn.index;
  return /[\uD800-\uDBFF]$/.test(head) && at > 1 ? at - 1 : at;
}

/** Formats a number with thousands separators. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Totals of what readers can't see directly. */
export type HiddenCharacterSums = Pick<ShownArgument, 'hidden' | 'secrets' | 'depth' | 'foreign'>;

/** Sums what readers can't see directly, and takes the greatest depth. */
export function sumHiddenCharacters(pieces: readonly ShownArgument[]): HiddenCharacterSums {
  return {
    hidden: pieces.reduce((total, { hidden }) => total + hidden, 0),
    secrets: pieces.reduce((total, { secrets }) => addCounts(total, secrets), NO_SECRETS),
    depth: Math.max(0, ...pieces.map(({ depth }) => depth)),
    foreign: pieces.map(({ foreign }) => foreign).join('\n'),
  };
}
