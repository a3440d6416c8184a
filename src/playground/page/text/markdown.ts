/**
 * Parses the part of Markdown that Slack's `markdown` block and streamed answers support. HTML is
 * not supported and stays visible text.
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
import type { MarkdownBlock, MarkdownItem } from './markdown-block.ts';
import { parseMarkdownInline } from './markdown-inline.ts';
import { readTable } from './markdown-table.ts';

/** The result of a reader: the block and the number of the line after it. */
interface Parsed {
  readonly block: MarkdownBlock;
  readonly next: number;
}

type Reader = (lines: readonly string[], at: number, depth: number) => Parsed | undefined;

const MAX_DEPTH = 8;
const BULLET = /^( *)(?:([-*+])|(\d{1,9})[.)])(?: +|$)/;

/** Parses Markdown into blocks. Never throws. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  return parseLines(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

function parseLines(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const parsed = readBlock(lines, at, depth) ?? readParagraph(lines, at, depth);
    blocks.push(parsed.block);
    at = parsed.next;
  }
  return blocks;
}

function readBlock(lines: readonly string[], at: number, depth: number): Parsed | undefined {
  for (const read of READERS) {
    const parsed = read(lines, at, depth);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

const readFence: Reader = (lines, at) => {
  const open = /^( {0,3})(`{3,}|~{3,})[^`]*$/.exec(lines[at] ?? '');
  if (open === null) return undefined;
  const [, indent = '', mark = ''] = open;
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? '', mark)) end += 1;
  const inside = lines.slice(at + 1, end).map((line) => cutIndent(line, indent.length));
  return {
    block: { kind: 'fence', text: inside.join('\n') },
    next: Math.min(end + 1, lines.length),
  };
};

function closesFence(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && /^(?:`+|~+)$/.test(text);
}

const readHeading: Reader = (lines, at) => {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(lines[at] ?? '');
  if (match === null) return undefined;
  const children = parseMarkdownInline(match[2] ?? '');
  return { block: { kind: 'heading', level: (match[1] ?? '').length, children }, next: at + 1 };
};

const readRule: Reader = (lines, at) =>
  /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/.test(lines[at] ?? '')
    ? { block: { kind: 'rule' }, next: at + 1 }
    : undefined;

const readQuote: Reader = (lines, at, depth) => {
  if (depth >= MAX_DEPTH || !/^ {0,3}>/.test(lines[at] ?? '')) return undefined;
  let next = at;
  while (/^ {0,3}>/.test(lines[next] ?? '')) next += 1;
  const inside = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { block: { kind: 'quote', blocks: parseLines(inside, depth + 1) }, next };
};

const readList: Reader = (lines, at, depth) => {
  const first = BULLET.exec(lines[at] ?? '');
  if (depth >= MAX_DEPTH || first === null) return undefined;
  const ordered = first[3] !== undefined;
  const indent = (first[1] ?? '').length;
  const items: MarkdownItem[] = [];
  let next = at;
  while (startsItem(lines[next], ordered, indent)) {
    const end = endOfItem(lines, next, indent);
    items.push(readItem(lines.slice(next, end), depth));
    next = end;
    while (lines[next]?.trim() === '' && startsItem(lines[next + 1], ordered, indent)) next += 1;
  }
  return { block: { kind: 'list', ordered, start: Number(first[3] ?? 1), items }, next };
};

function startsItem(line: string | undefined, ordered: boolean, indent: number): boolean {
  const match = BULLET.exec(line ?? '');
  if (match === null || line === undefined || readRule([line], 0, 0) !== undefined) return false;
  return (match[3] !== undefined) === ordered && (match[1] ?? '').length < indent + 2;
}

// An item includes indented lines, and blank lines before them.
function endOfItem(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') continue;
    const isDeeper = line.length - line.trimStart().length >= indent + 2;
    const isLazy = next === end && lines[next - 1]?.trim() !== '' && !startsBlock(lines, next);
    if (!isDeeper && !isLazy) break;
    end = next + 1;
  }
  return end;
}

function readItem(lines: readonly string[], depth: number): MarkdownItem {
  const marker = BULLET.exec(lines[0] ?? '')?.[0] ?? '';
  const first = (lines[0] ?? '').slice(marker.length);
  const task = /^\[([ xX])\] +/.exec(first);
  const content = first.slice(task?.[0].length ?? 0);
  const inside = [content, ...lines.slice(1).map((line) => cutIndent(line, marker.length))];
  const blocks = parseLines(inside, depth + 1);
  return task === null ? { blocks } : { checked: task[1] !== ' ', blocks };
}

function cutIndent(line: string, width: number): string {
  const indent = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, width));
}

const READERS: readonly Reader[] = [
  readFence,
  readHeading,
  readRule,
  readQuote,
  readList,
  readTable,
];

// Checks only the line. Parsing the block here would parse each list once per item.
function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (/^ {0,3}(?:#{1,6}(?:[ \t]|$)|>|`{3,}|~{3,})/.test(line) || BULLET.test(line)) return true;
  return readRule(lines, at, 0) !== undefined || readTable(lines, at) !== undefined;
}

function readParagraph(lines: readonly string[], at: number, depth: number): Parsed {
  let next = at + 1;
  while (next < lines.length && (lines[next] ?? '').trim() !== '') {
    if (depth < MAX_DEPTH && startsBlock(lines, next)) break;
    next += 1;
  }
  const text = lines
    .slice(at, next)
    .map((line) => line.trimStart().replace(/(?: {2,}|\\)$/, ''))
    .join('\n');
  return { block: { kind: 'paragraph', children: parseMarkdownInline(text) }, next };
}
