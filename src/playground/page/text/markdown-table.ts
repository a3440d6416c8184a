import type { Align, MarkdownBlock } from './markdown-block.ts';
import { parseMarkdownInline } from './markdown-inline.ts';

/** Parses a table that starts at the line. Returns undefined if there is none. */
export function readTable(
  lines: readonly string[],
  at: number,
): { block: MarkdownBlock; next: number } | undefined {
  const head = lines[at] ?? '';
  const rule = lines[at + 1] ?? '';
  if (!head.includes('|') || !/^ *\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/.test(rule)) {
    return undefined;
  }
  const header = splitRow(head);
  const align = splitRow(rule).map(readAlign);
  if (align.length !== header.length) return undefined;
  let next = at + 2;
  while ((lines[next] ?? '').includes('|')) next += 1;
  const rows = lines.slice(at + 2, next).map((line) => {
    const cells = splitRow(line);
    return header.map((_, column) => parseMarkdownInline(cells[column] ?? ''));
  });
  return { block: { kind: 'table', align, header: header.map(parseMarkdownInline), rows }, next };
}

function readAlign(cell: string): Align {
  if (/^:-+:$/.test(cell)) return 'center';
  return cell.endsWith(':') ? 'right' : 'left';
}

function splitRow(line: string): readonly string[] {
  const inside = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, '|'));
}
