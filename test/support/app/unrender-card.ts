/** Reads a card back: the data that its blocks show, and the arguments that they represent. */
import type { KnownBlock, RichTextBlock, RichTextList } from '@slack/types';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import { fromVisible } from '../../../src/domain/text/visible-text.ts';

interface ShownText {
  readonly text: string;
  readonly style?: { readonly code?: boolean; readonly bold?: boolean; readonly italic?: boolean };
}

interface ShownPiece {
  readonly label: string;
  readonly name: string | undefined;
  value: JsonValue | { readonly text: string; readonly isOurs: boolean };
}

/** The arguments on a card that shows no other data before them. */
export function unrenderArgs(blocks: readonly KnownBlock[]): JsonValue {
  const block = blocks.find((each) => each.type === 'rich_text');
  if (block === undefined) throw new Error('The card shows no data.');
  const pieces = readPieces(block as RichTextBlock);
  const [only] = pieces;
  if (only?.label === 'No arguments') return {};
  return Object.fromEntries(pieces.map(readArgument));
}

function readPieces(block: RichTextBlock): readonly ShownPiece[] {
  const pieces: ShownPiece[] = [];
  for (const element of block.elements) {
    const last = pieces.at(-1);
    if (element.type === 'rich_text_list') {
      if (last) last.value = readList(element);
      continue;
    }
    const texts = element.elements.map((each) => {
      if (each.type !== 'text') throw new Error(`A ${each.type} is no data.`);
      return each as ShownText;
    });
    if (element.type !== 'rich_text_section') {
      const text = texts.map((each) => each.text).join('');
      if (last) last.value = { text, isOurs: false };
      continue;
    }
    for (const line of splitLines(texts, '\n')) pieces.push(readLine(line));
  }
  return pieces;
}

function readLine(line: readonly ShownText[]): ShownPiece {
  const [first] = line;
  const name = first?.style?.code ? first.text : undefined;
  const label = line.find(({ style }) => style?.bold)?.text ?? '';
  const at = line.findIndex(({ style, text }) => text === ' ' && style === undefined);
  const value = at === -1 ? undefined : line[at + 1];
  const isOurs = value?.style?.italic === true;
  return { label, name, value: { text: value?.text ?? '', isOurs } };
}

/** Numbered lines are a list, others an object; a line with names in bold is its own object. */
function readList({ style, elements }: RichTextList): JsonValue {
  const lines = elements.map((each) => each.elements as readonly ShownText[]);
  if (style === 'ordered') return lines.map(readItem);
  return Object.fromEntries(lines.map(readPair));
}

function readItem(line: readonly ShownText[]): JsonValue {
  if (!line[0]?.style?.bold) return readScalar(line[0]);
  return Object.fromEntries(splitLines(line, ' · ').map(readPair));
}

function readPair(line: readonly ShownText[]): readonly [string, JsonValue] {
  return [line[0]?.text ?? '', readScalar(line[2])];
}

function readScalar(element: ShownText | undefined): JsonValue {
  const { text = '', style } = element ?? {};
  return style?.italic ? (WORDS[text] ?? null) : readText(text);
}

function splitLines(texts: readonly ShownText[], end: string): readonly (readonly ShownText[])[] {
  const lines: ShownText[][] = [[]];
  for (const each of texts) {
    if (each.text === end && each.style === undefined) lines.push([]);
    else lines.at(-1)?.push(each);
  }
  return lines;
}

function readArgument({ label, name, value }: ShownPiece): readonly [string, JsonValue] {
  const [first = '', ...rest] = label.split(' · ');
  const isText = typeof value === 'object' && value !== null && 'isOurs' in value;
  if (!isText) {
    const key = name === undefined ? keyOf(first) : JSON.parse(fromVisible(name));
    return [key, value as JsonValue];
  }
  const { text, isOurs } = value as { readonly text: string; readonly isOurs: boolean };
  if (first.startsWith('an argument with a long name')) {
    const end = text.indexOf('\n');
    const key = JSON.parse(fromVisible(text.slice(0, end)));
    return [key, readValue(rest.join(' · '), text.slice(end + 1), isWord(text.slice(end + 1)))];
  }
  const read = readValue(rest.join(' · '), text, isOurs);
  return name === undefined ? [keyOf(first), read] : [JSON.parse(fromVisible(name)), read];
}

/** The labels of the arguments in these tests are their capitalized names. */
function keyOf(label: string): string {
  return `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

const WORDS: Readonly<Record<string, JsonValue>> = {
  '(none)': null,
  '(empty)': '',
  '(empty list)': [],
  '(no values)': {},
};

function isWord(text: string): boolean {
  return Object.hasOwn(WORDS, text);
}

function readValue(type: string, text: string, isOurs: boolean): JsonValue {
  if (isOurs) return WORDS[text] ?? null;
  return /^(?:list|group) of /.test(type) ? JSON.parse(fromVisible(text)) : readText(text);
}

function readText(shown: string): JsonValue {
  const text = fromVisible(shown);
  if (text === 'yes' || text === 'no') return text === 'yes';
  if (/^"[\s\S]*"$/.test(text)) return JSON.parse(text);
  return /^\S+$/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Text of others; the name of a program is in such quotes too, but we have chosen its characters. */
const QUOTED = /(?<!(?:program|graph|server) )“(?:`[^`]*`|[^”]*)”/g;

/** Everything in a message or view that is not shown as data: labels, our own text, ids. Text of others is plain in rich text and quoted elsewhere, ours is bold or italic. */
export function outsideData(value: unknown): unknown {
  return withoutData(value, false);
}

function withoutData(value: unknown, isRich: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutData(each, isRich));
  if (typeof value !== 'object' || value === null) return value;
  const { type = '', style, text } = value as { type?: string; style?: unknown; text?: unknown };
  const isTheirs = isRich && type === 'text' && !isOurStyle(style);
  if (isTheirs) return type;
  if (type === 'mrkdwn' || (type === 'plain_text' && typeof text === 'string')) {
    return { ...value, text: String(text).replaceAll(QUOTED, '“”') };
  }
  const isIn = isRich || type.startsWith('rich_text');
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutData(each, isIn)]),
  );
}

function isOurStyle(style: unknown): boolean {
  const { bold, italic } = (style ?? {}) as { bold?: boolean; italic?: boolean };
  return bold === true || italic === true;
}

/** The action ids of the buttons of a message or view, in order. */
export function actionIds(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(actionIds);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'action_id' ? [String(each)] : actionIds(each),
  );
}

const GLUE: ReadonlySet<string> = new Set([' ', '\n', ' · ']);

/** All data that a message or view shows, text by text. */
export function dataTexts(value: unknown): readonly string[] {
  return dataIn(value, false);
}

function dataIn(value: unknown, isRich: boolean): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => dataIn(each, isRich));
  if (typeof value !== 'object' || value === null) return [];
  const { type = '', style, text } = value as { type?: string; style?: unknown; text?: unknown };
  if (isRich && type === 'text') {
    return isOurStyle(style) || GLUE.has(String(text)) ? [] : [String(text)];
  }
  if (type === 'mrkdwn' || type === 'plain_text') {
    return [...String(text).matchAll(QUOTED)].map(([quoted]) =>
      quoted.replaceAll(/^“`?|`?”$/g, ''),
    );
  }
  const isIn = isRich || type.startsWith('rich_text');
  return Object.values(value).flatMap((each) => dataIn(each, isIn));
}
