/** Finds the lines of a text that contain another one. Takes linear time, even for repetitive texts. */

import { isLowSurrogate } from '../../../domain/text/characters.ts';
import { bordersOf, matchEndsIn } from '../../../domain/text/find-substrings.ts';

/** Longer lines are shown in part. */
const MAX_LINE = 300;
/** What a shortened line shows before its match. */
const LEAD = 50;

/** A line to show. */
export interface FoundLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False for a line of the context. */
  readonly isMatch: boolean;
}

export interface LineSearch {
  /** Whether a short text, like a name, contains the searched one. */
  isIn(text: string): boolean;
  /** Returns the first `most` lines with a match, and the lines around them. */
  find(content: string, most: number): readonly FoundLine[];
}

/**
 * Makes texts comparable without regard to case. Works on each character alone, so that lines keep
 * their numbers; lower case would not, because of the Greek final sigma.
 */
export function ignoringCase(text: string): string {
  return text.toUpperCase();
}

/** Prepares a search for a text of one line. */
export function createLineSearch(options: {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Lines to show before and after each match. */
  readonly contextLines: number;
}): LineSearch {
  const { contextLines, ignoreCase } = options;
  const fold = (text: string) => (ignoreCase ? ignoringCase(text) : text);
  const sought = fold(options.text);
  const borders = bordersOf(sought);
  /** Where the first match starts in a folded text. */
  const startIn = (folded: string): number | undefined => {
    if (folded.length < sought.length) return undefined;
    const [end] = matchEndsIn(folded, sought, borders, 1);
    return end === undefined ? undefined : end - sought.length;
  };

  return {
    isIn: (text) => startIn(fold(text)) !== undefined,
    find(content, most) {
      const all = fold(content);
      if (startIn(all) === undefined) return [];
      const lines = linesOf(content);
      const folded = ignoreCase ? linesOf(all) : lines;
      const starts = new Map<number, number>();
      for (let at = 0; at < folded.length && starts.size < most; at += 1) {
        const start = startIn(folded[at] ?? '');
        if (start !== undefined) starts.set(at, start);
      }
      return withContext(starts.keys(), contextLines, lines.length).map((at) => {
        const line = lines[at] ?? '';
        const start = starts.get(at);
        const text = shorten(line, start === undefined ? 0 : indexOf(line, start, fold));
        return { number: at + 1, text, isMatch: start !== undefined };
      });
    },
  };
}

/** Splits a text into lines, without their ends. A last line break begins no line. */
function linesOf(content: string): readonly string[] {
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Adds the indexes around each index, without repeating any. */
function withContext(found: Iterable<number>, around: number, end: number): readonly number[] {
  const all: number[] = [];
  let next = 0;
  for (const at of found) {
    const to = Math.min(end, at + around + 1);
    for (next = Math.max(next, at - around); next < to; next += 1) all.push(next);
  }
  return all;
}

/** Converts an index of the folded line: folding may make a character longer. */
function indexOf(line: string, start: number, fold: (text: string) => string): number {
  if (line.length <= MAX_LINE) return 0;
  let passed = 0;
  let at = 0;
  for (const char of line) {
    if (passed >= start) break;
    passed += fold(char).length;
    at += char.length;
  }
  return at;
}

/** Shortens a long line to the part around a match, and never splits a character. */
function shorten(line: string, start: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= MAX_LINE) return text;
  const from = wholeAt(text, Math.max(0, Math.min(start - LEAD, text.length - MAX_LINE)));
  const to = wholeAt(text, from + MAX_LINE);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function wholeAt(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at;
}
