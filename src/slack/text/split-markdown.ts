/**
 * Splits Markdown into parts of at most `max` characters. It prefers the end of a paragraph, then of
 * a list item, a line, a word. A cut code block is closed and reopened, and a cut table repeats its
 * head, so that each part renders by itself.
 */
export function splitMarkdown(text: string, max: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  let opener = '';
  while (opener.length + rest.length > max) {
    const all = `${opener}${rest}`;
    const cut = cutAt(all, max - FENCE_ROOM);
    const head = all.slice(0, cut);
    const fence = openFence(head);
    parts.push(fence === undefined ? head.trimEnd() : `${head.trimEnd()}\n${fence.marks}`);
    rest = all.slice(cut).replace(fence === undefined ? /^\n+/ : /^\n/, '');
    opener = fence === undefined ? tableHead(head, rest) : `${fence.line.slice(0, MAX_OPENER)}\n`;
    // A repeated head must leave room for new text.
    if (opener.length > max / 3) opener = '';
  }
  parts.push(`${opener}${rest}`);
  return parts.filter((part) => part.trim() !== '');
}

/** A closing fence and its line break. */
const FENCE_ROOM = 40;
/** Longer info strings of a code fence are cut when it is reopened. */
const MAX_OPENER = 100;
const FENCE = /^ {0,3}(`{3,20}|~{3,20})([^\n]*)$/;
/** A top-level list item; its content is indented below it. */
const ITEM = /\n(?=(?:[-*+]|\d{1,9}[.)]) )/g;
const TABLE_ROW = /^ {0,3}\|/;
const TABLE_RULE = /^ {0,3}\|?(?: *:?-+:? *\|)+(?: *:?-+:?)? *$/;

function cutAt(text: string, room: number): number {
  const head = text.slice(0, room);
  const paragraph = paragraphEnd(head, room / 2);
  if (paragraph !== undefined) return paragraph + 1;
  const item = [...head.matchAll(ITEM)].at(-1)?.index ?? -1;
  if (item > room / 2) return item + 1;
  const line = head.lastIndexOf('\n');
  if (line > room / 2) return line + 1;
  const word = head.lastIndexOf(' ');
  if (word > room / 2) return word + 1;
  // Never split a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(head) ? room - 1 : room;
}

/** Returns the last end of a paragraph after `least`, outside code blocks. */
function paragraphEnd(head: string, least: number): number | undefined {
  let end: number | undefined;
  let open: Fence | undefined;
  let at = 0;
  for (const line of head.split('\n')) {
    open = fenceAfter(line, open);
    at += line.length;
    if (at > least && open === undefined && head.startsWith('\n\n', at)) end = at;
    at += 1;
  }
  return end;
}

interface Fence {
  readonly line: string;
  readonly marks: string;
}

function openFence(text: string): Fence | undefined {
  let open: Fence | undefined;
  for (const line of text.split('\n')) open = fenceAfter(line, open);
  return open;
}

/** Returns the code block that is open after a line, given the one open before it. */
function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, marks, info = ''] = FENCE.exec(line) ?? [];
  if (marks === undefined) return open;
  if (open === undefined) return { line: line.trim(), marks };
  return marks.startsWith(open.marks) && info.trim() === '' ? undefined : open;
}

/** Returns the head of the table that is cut between these texts, with line breaks; empty if none is cut. */
function tableHead(before: string, after: string): string {
  if (!before.endsWith('\n') || !TABLE_ROW.test(after)) return '';
  const lines = before.trimEnd().split('\n');
  const first = lines.findLastIndex((line) => !TABLE_ROW.test(line)) + 1;
  const [names, rule] = lines.slice(first);
  if (names === undefined || rule === undefined || !TABLE_RULE.test(rule)) return '';
  return `${names}\n${rule}\n`;
}
