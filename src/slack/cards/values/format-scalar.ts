/** Formats values for people, so that no two different values look the same. */
import type { JsonValue } from '../../../domain/json/json.ts';

/**
 * The style of a text: plain, code (where every character matters), a block of its own, or our own
 * text.
 */
export type TextStyle = 'plain' | 'code' | 'box' | 'ours';

/** A value as one text. */
export interface FormattedValue {
  readonly text: string;
  readonly set: TextStyle;
}

const NULL = '(none)';
const EMPTY = '(empty)';
const EMPTY_LIST = '(empty list)';
const EMPTY_OBJECT = '(no values)';
const PLACEHOLDERS: ReadonlySet<string> = new Set([NULL, EMPTY, EMPTY_LIST, EMPTY_OBJECT]);
const YES_OR_NO: ReadonlySet<string> = new Set(['yes', 'no']);

/**
 * Formats a value without parts; undefined for others. A text that could be taken for another type
 * is quoted, unless the schema only accepts texts.
 */
export function formatScalar(
  value: JsonValue,
  { isText = false }: { readonly isText?: boolean } = {},
): FormattedValue | undefined {
  if (value === null) return ownText(NULL);
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no', set: 'plain' };
  if (typeof value === 'number') return { text: JSON.stringify(value), set: 'plain' };
  if (typeof value === 'string') return showText(value, isText);
  if (Object.keys(value).length > 0) return undefined;
  return ownText(Array.isArray(value) ? EMPTY_LIST : EMPTY_OBJECT);
}

function ownText(text: string): FormattedValue {
  return { text, set: 'ours' };
}

function showText(value: string, isText: boolean): FormattedValue {
  if (value === '') return ownText(EMPTY);
  const text = isAmbiguousText(value, isText) ? JSON.stringify(value) : value;
  return { text, set: textStyleOf(value) };
}

function isAmbiguousText(text: string, isText: boolean): boolean {
  if (/^".*"$/s.test(text) || PLACEHOLDERS.has(text)) return true;
  const isWord = /^\S+$/.test(text);
  return !isText && isWord && (YES_OR_NO.has(text) || !Number.isNaN(Number(text)));
}

/**
 * Returns the style of a text. Indentation, columns, diffs and commands get a block; prose is
 * plain.
 */
export function textStyleOf(text: string): TextStyle {
  if (/ {2}|\t|^ |^[-+@]{1,3} ?.*\n|^\$ /m.test(text)) return 'box';
  return /\s/.test(text) || !/[`*~<>{}|\\]/.test(text) ? 'plain' : 'code';
}
