import { createHash } from 'node:crypto';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Preview } from '../../domain/tool.ts';
import { WorkspaceError } from './open-folder.ts';
import type { Found } from './workspace.ts';

/** Beyond this many changed lines a diff costs seconds and tells nobody anything. */
const MAX_CHANGED_LINES = 2_000;

/** Names what stands at a path now: the same for the same bytes, as far as they are read. */
export function basisOf(found: Found): string {
  const hash = createHash('sha256').update(found.kind);
  if (found.kind === 'file') hash.update(`\0${found.size}\0${found.digest}`);
  if (found.kind === 'folder') hash.update(`\0${found.isEmpty}`);
  return hash.digest('hex').slice(0, 32);
}

/** Throws when what stands at a path is not what people saw a preview of. */
export function assertBasis(file: string, found: Found, basis: string | undefined): void {
  if (basis === undefined || basisOf(found) === basis) return;
  throw new WorkspaceError(
    `${file} has changed since the card showed what would happen to it. Nothing was done; look at it and ask anew.`,
  );
}

/** Says why a run would fail as things stand; that is bound too, so that nothing runs unseen once it would not. */
export async function previewOrWhyNot(make: () => Promise<Preview>): Promise<Preview> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const basis = createHash('sha256').update(error.message).digest('hex').slice(0, 32);
    return { text: `As things stand, this would fail: ${error.message}`, basis };
  }
}

/** Shows a change to one file as a unified diff; `after` is undefined when it is deleted. */
export function previewChange(
  file: string,
  before: Exclude<Found, { kind: 'folder' }>,
  after: string | undefined,
): string {
  const name = JSON.stringify(file).slice(1, -1);
  if (before.kind === 'nothing') return sayNew(name, after ?? '');
  const { isCut, text } = before;
  const deletes = after === undefined ? `${sayDeletion(name, before)}\n` : '';
  if (text === undefined || isCut) return deletes.trimEnd() || sayWhole(name, before, after);
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
  const shown = patch?.replaceAll(/^ $/gm, '');
  return `${deletes}${shown ?? sayWhole(name, before, after)}`.trimEnd();
}

/** The text of a new file is among the arguments: it needs no difference. */
function sayNew(name: string, text: string): string {
  return `Makes a new file: ${name} (${sayBytes(Buffer.byteLength(text))}).`;
}

function sayBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}

function sayDeletion(name: string, file: Extract<Found, { kind: 'file' }>): string {
  const changed = new Date(file.modifiedAt).toISOString().slice(0, 16).replace('T', ' at ');
  return `Deletes ${name} for good: ${sayBytes(file.size)}${sayKind(file)}, last changed on ${changed} UTC.`;
}

function sayKind({ text, isCut }: Extract<Found, { kind: 'file' }>): string {
  if (text === undefined) return ', not text';
  return isCut ? ', too large to be shown' : '';
}

function sayWhole(
  name: string,
  before: Extract<Found, { kind: 'file' }>,
  after: string | undefined,
): string {
  const why = before.text === undefined ? 'not text' : 'too large for a diff';
  if (after === undefined) return 'Its text is too long to be shown here.';
  return `Replaces ${name} (${before.size} bytes, ${why}) with ${Buffer.byteLength(after)} bytes of text.`;
}
