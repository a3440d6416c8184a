/** Reads a card back: what its blocks show as data, and the arguments that they stand for. */
import type { KnownBlock, RichTextBlock } from '@slack/types';
import type { JsonValue } from '../../src/domain/json.ts';
import { fromVisible } from '../../src/domain/visible-text.ts';

interface ShownPiece {
  readonly label: string;
  readonly name: string | undefined;
  readonly text: string;
}

/** The arguments that a card shows, which shows nothing else as data before them. */
export function unrenderArgs(blocks: readonly KnownBlock[]): JsonValue {
  const block = blocks.find((each) => each.type === 'rich_text');
  if (block === undefined) throw new Error('The card shows no data.');
  const pieces = readPieces(block as RichTextBlock).filter(
    ({ label }) => label !== 'What it would do',
  );
  const [only] = pieces;
  if (only?.label === 'No arguments') return {};
  return Object.fromEntries(pieces.map(readArgument));
}

function readPieces(block: RichTextBlock): readonly ShownPiece[] {
  const pieces: { label: string; name: string | undefined; text: string }[] = [];
  for (const element of block.elements) {
    const texts = element.elements.map((each) => {
      if (each.type !== 'text') throw new Error(`A ${each.type} is no data.`);
      return each as { text: string; style?: { code?: boolean; bold?: boolean } };
    });
    if (element.type === 'rich_text_preformatted') {
      const last = pieces.at(-1);
      if (last) last.text = texts.map(({ text }) => text).join('');
      continue;
    }
    for (const line of splitLines(texts)) {
      const name = line[0]?.style?.code ? line[0].text : undefined;
      const label = line.find(({ style }) => style?.bold)?.text ?? '';
      const data = line.slice(name === undefined ? 0 : 1).find(({ style }) => style?.code);
      pieces.push({ label, name, text: data?.text ?? '' });
    }
  }
  return pieces;
}

function splitLines<T extends { readonly text: string; readonly style?: unknown }>(
  texts: readonly T[],
): readonly (readonly T[])[] {
  const lines: T[][] = [[]];
  for (const each of texts) {
    if (each.text === '\n' && each.style === undefined) lines.push([]);
    else lines.at(-1)?.push(each);
  }
  return lines;
}

function readArgument({ label, name, text }: ShownPiece): readonly [string, JsonValue] {
  const [first = '', ...rest] = label.split(' · ');
  if (first.startsWith('an argument with a long name')) {
    const end = text.indexOf('\n');
    return [
      JSON.parse(fromVisible(text.slice(0, end))),
      readValue(rest.join(), text.slice(end + 1)),
    ];
  }
  if (name === undefined) return [first, readValue(rest.join(' · '), text)];
  return [JSON.parse(fromVisible(name)), readValue(rest.join(' · '), text)];
}

function readValue(type: string, text: string): JsonValue {
  if (type === '' || /^(?:begins|ends) with /.test(type)) return fromVisible(text);
  if (type === 'null') return null;
  if (type === 'empty text') return '';
  if (type === 'empty list') return [];
  if (type === 'empty object') return {};
  return JSON.parse(fromVisible(text));
}

/** All of a message or view that is not shown as data: labels, our own words, ids. */
export function outsideData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outsideData);
  if (typeof value !== 'object' || value === null) return value;
  const { type, style } = value as { type?: string; style?: { code?: boolean } };
  if (type === 'rich_text_preformatted' || (type === 'text' && style?.code === true)) return type;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, outsideData(each)]));
}

/** Ids of the buttons of a message or view, in order. */
export function actionIds(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(actionIds);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'action_id' ? [String(each)] : actionIds(each),
  );
}

/** All that a message or view shows as data, text by text. */
export function dataTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(dataTexts);
  if (typeof value !== 'object' || value === null) return [];
  const { type, style, text, elements } = value as {
    type?: string;
    style?: { code?: boolean };
    text?: string;
    elements?: readonly { text?: string }[];
  };
  if (type === 'rich_text_preformatted') {
    return [(elements ?? []).map((each) => each.text ?? '').join('')];
  }
  if (type === 'text' && style?.code === true) return [text ?? ''];
  return Object.values(value).flatMap(dataTexts);
}
