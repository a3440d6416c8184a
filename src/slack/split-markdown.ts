/**
 * Splits Markdown into parts of at most `max` characters, at a paragraph's end where there is one,
 * else at a line's, else at a word's. A code fence that is cut is closed and opened again, so that
 * each part stands by itself.
 */
export function splitMarkdown(text: string, max: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  let opener = '';
  while (opener.length + rest.length > max) {
    const room = max - opener.length - FENCE_ROOM;
    const cut = cutAt(rest, room);
    const head = `${opener}${rest.slice(0, cut)}`;
    const fence = openFence(head);
    parts.push(fence === undefined ? head.trimEnd() : `${head.trimEnd()}\n${fence.marks}`);
    rest = rest.slice(cut).replace(fence === undefined ? /^\n+/ : /^\n/, '');
    opener = fence === undefined ? '' : `${fence.line.slice(0, MAX_OPENER)}\n`;
  }
  parts.push(`${opener}${rest}`);
  return parts.filter((part) => part.trim() !== '');
}

/** A closing fence and its line break. */
const FENCE_ROOM = 40;
/** A longer line is no language name; its fence opens without it. */
const MAX_OPENER = 100;
const FENCE = /^ {0,3}(`{3,20}|~{3,20})([^\n]*)$/;

function cutAt(text: string, room: number): number {
  const head = text.slice(0, room);
  const paragraph = head.lastIndexOf('\n\n');
  if (paragraph > room / 2) return paragraph + 1;
  const line = head.lastIndexOf('\n');
  if (line > room / 2) return line + 1;
  const word = head.lastIndexOf(' ');
  if (word > room / 2) return word + 1;
  // A pair of surrogates stays together.
  return /[\uD800-\uDBFF]$/.test(head) ? room - 1 : room;
}

function openFence(text: string): { readonly line: string; readonly marks: string } | undefined {
  let open: { line: string; marks: string } | undefined;
  for (const line of text.split('\n')) {
    const [, marks, info = ''] = FENCE.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === undefined) open = { line: line.trim(), marks };
    else if (marks.startsWith(open.marks) && info.trim() === '') open = undefined;
  }
  return open;
}
