/** Unified diffs for people, made within a few milliseconds or not at all. */
import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';

/** Comparing more lines between the first and the last difference takes too long. */
const MAX_LINES = 10_000;

/** Diffs two texts line by line; undefined if that takes too long. Only line feeds end a line. */
export function diffLines(
  before: string,
  after: string,
  how: {
    /** Unchanged lines shown around a change. */
    readonly context: number;
    /** No diff beyond this many removed and added lines; time grows with its square. */
    readonly maxChanged: number;
    /** Names of the two texts. Without them the diff has no header. */
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
  // The diff adds a space before empty lines and a final line break; remove both.
  return text.replaceAll(/(?<=^|\n) (?=\n|$)/g, '').replace(/\n$/, '');
}

/**
 * Returns the start of the first differing line and the length of the equal end, keeping context
 * lines.
 */
function changedPart(
  before: string,
  after: string,
  context: number,
): { readonly from: number; readonly tail: number } {
  const [head, tail] = sharedEnds(before, after);
  let from = startOfLine(before, head);
  for (let i = 0; i < context; i += 1) from = startOfLine(before, from - 1);
  let end = before.length - tail;
  // The line of the last difference, and the context after it.
  for (let i = 0; i <= context; i += 1) end = endOfLine(before, end);
  return { from, tail: before.length - end };
}

/** Returns how many characters two texts share at the start, and of the rest at the end. */
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
