/** Values as people read them: no types, and still no two values that look the same. */
import type { JsonValue } from '../../../domain/json/json.ts';

/** How a text is set: as it is, as characters that matter one by one, in a box of its own, or as words of ours. */
export type TextStyle = 'plain' | 'code' | 'box' | 'ours';

/** A value in one text. */
export interface FormattedValue {
  readonly text: string;
  readonly set: TextStyle;
}

const NULL = '(none)';
const EMPTY = '(empty)';
const EMPTY_LIST = '(empty list)';
const EMPTY_OBJECT = '(no values)';
const WORDS: ReadonlySet<string> = new Set([NULL, EMPTY, EMPTY_LIST, EMPTY_OBJECT]);
const YES_OR_NO: ReadonlySet<string> = new Set(['yes', 'no']);

/** Shows a value that has no parts; undefined for one that has. A text that could be another value is in quotes, except where the schema takes only texts. */
export function formatScalar(
  value: JsonValue,
  { isText = false }: { readonly isText?: boolean } = {},
): FormattedValue | undefined {
  if (value === null) return ours(NULL);
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no', set: 'plain' };
  if (typeof value === 'number') return { text: JSON.stringify(value), set: 'plain' };
  if (typeof value === 'string') return showText(value, isText);
  if (Object.keys(value).length > 0) return undefined;
  return ours(Array.isArray(value) ? EMPTY_LIST : EMPTY_OBJECT);
}

function ours(text: string): FormattedValue {
  return { text, set: 'ours' };
}

function showText(value: string, isText: boolean): FormattedValue {
  if (value === '') return ours(EMPTY);
  const text = isAmbiguousText(value, isText) ? JSON.stringify(value) : value;
  return { text, set: textStyleOf(value) };
}

function isAmbiguousText(text: string, isText: boolean): boolean {
  if (/^".*"$/s.test(text) || WORDS.has(text)) return true;
  const isWord = /^\S+$/.test(text);
  return !isText && isWord && (YES_OR_NO.has(text) || !Number.isNaN(Number(text)));
}

/** Tells how a text is set: what has indentation or columns, a diff or a command, is in a box; prose is no code. */
export function textStyleOf(text: string): TextStyle {
  if (/ {2}|\t|^ |^[-+@]{1,3} ?.*\n|^\$ /m.test(text)) return 'box';
  return /\s/.test(text) || !/[`*~<>{}|\\]/.test(text) ? 'plain' : 'code';
}
