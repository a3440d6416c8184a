import { createHash } from 'node:crypto';
import { WOULD_FAIL } from '../../../domain/calls/stored-preview.ts';
import { showPatch } from '../../../domain/text/line-diff.ts';
import type { Preview } from '../../../domain/tools/tool.ts';
import { sayChanged } from './change-file.ts';
import type { Found, FoundFile } from './inspect-path.ts';
import { WorkspaceError } from './open-folder.ts';

/** Beyond this many changed lines a difference takes long and tells nobody anything; lines that are only removed are quickly found. */
const MAX_CHANGED_LINES = 700;
const MAX_DELETED_LINES = 2_000;

/** Names what stands at a path now: another for any other bytes. */
export function basisOf(found: Found): string {
  const hash = createHash('sha256').update(found.kind);
  if (found.kind === 'file') {
    hash.update(`\0${found.size}\0${found.digest}\0${found.touched ?? ''}`);
  }
  if (found.kind === 'folder') hash.update(`\0${found.isEmpty}`);
  return hash.digest('hex').slice(0, 32);
}

/** Throws when what stands at a path is not what people saw a preview of. */
export function assertBasis(file: string, found: Found, basis: string | undefined): void {
  if (basis === undefined || basisOf(found) === basis) return;
  throw sayChanged(file);
}

/** Says why a run would fail as things stand; that is bound too, so that nothing runs unseen once it would not. */
export async function previewOrWhyNot(make: () => Promise<Preview>): Promise<Preview> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const basis = createHash('sha256').update(error.message).digest('hex').slice(0, 32);
    return { text: `${WOULD_FAIL}${error.message}`, basis };
  }
}

/** Writes a path in one line, as JSON does. */
export function pathInLine(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

/** Shows a change to one file as a unified diff; `after` is undefined when it is deleted. */
export function previewChange(
  file: string,
  before: Exclude<Found, { kind: 'folder' }>,
  after: string | undefined,
): string {
  const name = pathInLine(file);
  if (before.kind === 'nothing') return sayNew(after ?? '');
  const { isCut, text } = before;
  const deletes = after === undefined ? `${sayDeletion(name, before)}\n` : '';
  if (text === undefined || isCut) return deletes.trimEnd() || sayWhole(name, before, after);
  if (text === after) return `Changes nothing: ${name} has this text already.`;
  const patch = showPatch(text, after ?? '', {
    context: 3,
    maxChanged: after === undefined ? MAX_DELETED_LINES : MAX_CHANGED_LINES,
    names: [name, after === undefined ? '/dev/null' : name],
  });
  return `${deletes}${patch ?? sayWhole(name, before, after)}`;
}

/** The path and text of a new file are among the arguments: they need no repetition. */
function sayNew(text: string): string {
  return `Makes a new file (${sayBytes(Buffer.byteLength(text))}).`;
}

function sayBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}

function sayDeletion(name: string, file: FoundFile): string {
  const changed = new Date(file.modifiedAt).toISOString().slice(0, 16).replace('T', ' at ');
  return `Deletes ${name} for good: ${sayBytes(file.size)}${sayKind(file)}, last changed on ${changed} UTC.`;
}

function sayKind({ text, isCut }: FoundFile): string {
  if (text === undefined) return ', not text';
  return isCut ? ', too large to be shown' : '';
}

function sayWhole(name: string, before: FoundFile, after: string | undefined): string {
  const why = before.text === undefined ? 'not text' : 'too large for a diff';
  if (after === undefined) return 'Its text is too long to be shown here.';
  return `Replaces ${name} (${before.size} bytes, ${why}) with ${Buffer.byteLength(after)} bytes of text.`;
}
