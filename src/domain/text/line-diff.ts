/** The difference of two texts as people read it: a unified diff, made in a few milliseconds or not at all. */
import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';

/** More lines between the first and the last difference take long to compare. */
const MAX_LINES = 10_000;

/** Shows a change line by line; undefined where it would take long. Only line feeds end a line. */
export function diffLines(
  before: string,
  after: string,
  how: {
    /** How many lines around a change are shown. */
    readonly context: number;
    /** The number of removed and added lines beyond which nothing is shown; time grows with its square. */
    readonly maxChanged: number;
    /** What the two texts are called; without them the patch has no head. */
    readonly names?: readonly [string, string];
  },
): string | undefined {
  const { from, tail } = changedPart(before, after, how.context);
  const parts = [before, after].map((text) => text.slice(from, text.length - tail));
  const [old = '', now = ''] = parts;
  if (parts.some((text) => linesIn(text) > MAX_LINES)) return undefined;
  const patch = structuredPatch(...(how.names ?? ['', '']), old, now, undefined, undefined, {
    context: how.context,
    maxEditLength: how.maxChanged,
  });
  if (patch === undefined) return undefined;
  const skipped = linesIn(before.slice(0, from));
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped,
  }));
  const text = formatPatch(
    { ...patch, hunks },
    how.names === undefined ? OMIT_HEADERS : FILE_HEADERS_ONLY,
  );
  // The space before an empty line, and the last line break, are no part of the texts.
  return text.replaceAll(/(?<=^|\n) (?=\n|$)/g, '').replace(/\n$/, '');
}

/** Where the texts begin to differ, and how much their ends share: whole lines, those to be shown around a change left in. */
function changedPart(
  before: string,
  after: string,
  context: number,
): { readonly from: number; readonly tail: number } {
  const [head, tail] = sharedEnds(before, after);
  let from = startOfLine(before, head);
  for (let i = 0; i < context; i += 1) from = startOfLine(before, from - 1);
  let end = before.length - tail;
  // The line in which the last difference stands, and those after it.
  for (let i = 0; i <= context; i += 1) end = endOfLine(before, end);
  return { from, tail: before.length - end };
}

/** How many characters two texts share at their beginning, and of the rest at their end. */
function sharedEnds(one: string, other: string): readonly [number, number] {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one.charCodeAt(head) === other.charCodeAt(head)) head += 1;
  const isShared = (n: number) =>
    one.charCodeAt(one.length - n) === other.charCodeAt(other.length - n);
  let tail = 0;
  while (tail < shorter - head && isShared(tail + 1)) tail += 1;
  return [head, tail];
}

function startOfLine(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed + 1;
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
