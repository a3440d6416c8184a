import { diffLines } from '../../../domain/text/line-diff.ts';
import { quotePath } from '../files/preview-change.ts';

/** Larger diffs are useless to readers. */
const MAX_CHANGED_LINES = 700;

/** One text that replaces another. */
export interface Replacement {
  readonly old: string;
  readonly now: string;
  /** Whether it replaces all occurrences. */
  readonly isAll?: boolean | undefined;
}

/** Adds a final newline: otherwise the diff would mention that it is missing. */
const toLines = (text: string): string => (text === '' ? '' : `${text}\n`);

/**
 * Shows replacements in a file that we cannot read, as diffs without line numbers; undefined if a
 * diff is too large.
 */
export function diffReplacements(file: string, all: readonly Replacement[]): string | undefined {
  const name = quotePath(file);
  const shown: string[] = [`--- ${name}\n+++ ${name}`];
  for (const { old, now, isAll } of all) {
    const patch = diffLines(toLines(old), toLines(now), {
      context: 3,
      maxChanged: MAX_CHANGED_LINES,
    });
    if (patch === undefined) return undefined;
    // The line number in the file is unknown.
    const head = isAll ? '@@ all occurrences @@' : '@@';
    shown.push(patch === '' ? `${head}\n (no change)` : patch.replaceAll(/^@@ .*$/gm, head));
  }
  return shown.join('\n');
}
