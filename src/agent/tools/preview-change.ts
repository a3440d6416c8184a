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
  const text = before.kind === 'nothing' ? '' : before.text;
  if (text === undefined || (before.kind === 'file' && before.isCut)) {
    return sayWhole(name, before, after);
  }
  if (before.kind === 'file' && text === after)
    return `Changes nothing: ${name} has this text already.`;
  const patch = createTwoFilesPatch(
    before.kind === 'nothing' ? '/dev/null' : name,
    after === undefined ? '/dev/null' : name,
    text,
    after ?? '',
    undefined,
    undefined,
    { context: 3, maxEditLength: MAX_CHANGED_LINES, headerOptions: FILE_HEADERS_ONLY },
  );
  return patch ?? sayWhole(name, before, after);
}

function sayWhole(name: string, before: Found, after: string | undefined): string {
  const size = before.kind === 'file' ? before.size : 0;
  const is = `${name} (${size} bytes, ${before.kind === 'file' && before.text === undefined ? 'not text' : 'too large for a diff'})`;
  if (after === undefined) return `Deletes ${is}.`;
  return `Replaces ${is} with ${Buffer.byteLength(after)} bytes of text.`;
}
