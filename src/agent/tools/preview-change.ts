import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Found } from './workspace.ts';

/** Beyond this many changed lines a diff costs seconds and tells nobody anything. */
const MAX_CHANGED_LINES = 2_000;

/** Shows a change to one file as a unified diff; `after` is undefined when it is deleted. */
export function previewChange(
  file: string,
  before: Exclude<Found, { kind: 'folder' }>,
  after: string | undefined,
): string {
  const name = JSON.stringify(file).slice(1, -1);
  if (before.kind === 'nothing') return sayNew(name, after ?? '');
  const { isCut, text } = before;
  if (text === undefined || isCut) return sayWhole(name, before, after);
  if (text === after) return `Changes nothing: ${name} has this text already.`;
  const patch = createTwoFilesPatch(
    name,
    after === undefined ? '/dev/null' : name,
    text,
    after ?? '',
    undefined,
    undefined,
    { context: 3, maxEditLength: MAX_CHANGED_LINES, headerOptions: FILE_HEADERS_ONLY },
  );
  // The one space before an empty line says nothing, and would have to be made visible.
  return patch?.replaceAll(/^ $/gm, '') ?? sayWhole(name, before, after);
}

/** The text of a new file is among the arguments: it needs no difference. */
function sayNew(name: string, text: string): string {
  const bytes = Buffer.byteLength(text);
  return `Makes a new file: ${name} (${bytes} ${bytes === 1 ? 'byte' : 'bytes'}).`;
}

function sayWhole(
  name: string,
  before: Extract<Found, { kind: 'file' }>,
  after: string | undefined,
): string {
  const why = before.text === undefined ? 'not text' : 'too large for a diff';
  const is = `${name} (${before.size} bytes, ${why})`;
  if (after === undefined) return `Deletes ${is}.`;
  return `Replaces ${is} with ${Buffer.byteLength(after)} bytes of text.`;
}
