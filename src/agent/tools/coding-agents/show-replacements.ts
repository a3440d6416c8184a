import { diffLines } from '../../../domain/text/line-diff.ts';
import { quotePath } from '../files/preview-change.ts';

/** Beyond this many changed lines a difference tells nobody anything. */
const MAX_CHANGED_LINES = 700;

/** A text that is put in the place of another one. */
export interface Replacement {
  readonly old: string;
  readonly now: string;
  /** All occurrences, not only the first. */
  readonly isAll?: boolean | undefined;
}

/** A last line that does not end would be said to. */
const toLines = (text: string): string => (text === '' ? '' : `${text}\n`);

/** Shows replacements in a file that is not ours to read, as unified diffs without line numbers; undefined where one would take long. */
export function diffReplacements(file: string, all: readonly Replacement[]): string | undefined {
  const name = quotePath(file);
  const shown: string[] = [`--- ${name}\n+++ ${name}`];
  for (const { old, now, isAll } of all) {
    const patch = diffLines(toLines(old), toLines(now), {
      context: 3,
      maxChanged: MAX_CHANGED_LINES,
    });
    if (patch === undefined) return undefined;
    // Its line in the file is not known here.
    const head = isAll ? '@@ all occurrences @@' : '@@';
    shown.push(patch === '' ? `${head}\n (no change)` : patch.replaceAll(/^@@ .*$/gm, head));
  }
  return shown.join('\n');
}
