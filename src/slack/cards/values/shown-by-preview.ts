/** Finds the arguments that a call's preview already shows. */
import { type JsonValue, readStoredJson } from '../../../domain/json/json.ts';
import type { ArgumentsContext } from './render-arguments.ts';

/**
 * Returns the arguments that need not be repeated below the preview: the tool declares them, and
 * they appear word for word.
 */
export function shownByPreview(
  args: string,
  preview: string,
  { previewed = [] }: Pick<ArgumentsContext, 'previewed'>,
): ReadonlySet<string> {
  if (previewed.length === 0 || preview === '') return new Set();
  const value = readStoredJson(args);
  if (typeof value !== 'object' || value === null) return new Set();
  const sides = sidesOf(preview);
  const isThere = (each: JsonValue | undefined) =>
    typeof each === 'string' && each !== '' && sides.some((side) => side.includes(each));
  return new Set(previewed.filter((key) => isThere((value as { [key: string]: JsonValue })[key])));
}

const HUNK = /^@@ .* @@$/;

/** Returns the text before and after the change of a unified diff; any other preview as it is. */
function sidesOf(preview: string): readonly string[] {
  const lines = preview.split('\n');
  const first = lines.findIndex((line) => HUNK.test(line));
  if (first === -1) return [preview];
  const diff = lines.slice(first);
  return [sideOf('-', diff), sideOf('+', diff)];
}

function sideOf(sign: '-' | '+', diff: readonly string[]): string {
  const isOfIt = (line = '\0') => line === '' || line.startsWith(' ') || line.startsWith(sign);
  return diff
    .map((line, i) => {
      // The text between two hunks is not shown.
      if (HUNK.test(line)) return '\0';
      if (!isOfIt(line)) return '';
      const isLast = diff[i + 1]?.startsWith(NO_BREAK) ?? false;
      return isLast ? line.slice(1) : `${line.slice(1)}\n`;
    })
    .join('');
}

/** How a diff marks a last line without a line break. */
const NO_BREAK = '\\ No newline';

const HEAD = /(?<=^|\n)--- (.+)\n\+\+\+ (.+)\n(?=@@ )/;

/** Removes the file names from a diff if the arguments already name the one file. */
export function withoutFileNames(args: string, preview: string): string {
  const [head, before = '', after = ''] = HEAD.exec(preview) ?? [];
  if (head === undefined || (before !== after && after !== '/dev/null')) return preview;
  const value = readStoredJson(args);
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [];
  const isNamed = values.some((each) => JSON.stringify(each).slice(1, -1) === before);
  return isNamed ? preview.replace(head, () => '') : preview;
}
