import { createHash } from 'node:crypto';
import { WOULD_FAIL_PREFIX } from '../../../domain/calls/stored-preview.ts';
import { diffLines } from '../../../domain/text/line-diff.ts';
import type { Preview } from '../../../domain/tools/tool.ts';
import { fileChangedError } from './change-file.ts';
import type { FileEntry, PathEntry } from './inspect-path.ts';
import { WorkspaceError } from './open-folder.ts';

/** Larger diffs are slow and useless to readers. Pure deletions are fast to compute. */
const MAX_CHANGED_LINES = 700;
const MAX_DELETED_LINES = 2_000;

/** Fingerprints the entry at a path: it changes with the content. */
export function fileBasisOf(found: PathEntry): string {
  const hash = createHash('sha256').update(found.kind);
  if (found.kind === 'file') {
    hash.update(`\0${found.size}\0${found.digest}\0${found.touched ?? ''}`);
  }
  if (found.kind === 'folder') hash.update(`\0${found.isEmpty}`);
  return hash.digest('hex').slice(0, 32);
}

/** Throws if the entry changed since the preview that people saw. */
export function assertBasisUnchanged(
  file: string,
  found: PathEntry,
  basis: string | undefined,
): void {
  if (basis === undefined || fileBasisOf(found) === basis) return;
  throw fileChangedError(file);
}

/**
 * Turns a failure into a preview with its own basis: if the run would later succeed, people are
 * asked again.
 */
export async function previewOrFailure(make: () => Promise<Preview>): Promise<Preview> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const basis = createHash('sha256').update(error.message).digest('hex').slice(0, 32);
    return { text: `${WOULD_FAIL_PREFIX}${error.message}`, basis };
  }
}

/** Escapes a path like JSON, so that it stays on one line. */
export function quotePath(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

/** Shows a change of one file as a unified diff. `after` is undefined for a deletion. */
export function previewChange(
  file: string,
  before: Exclude<PathEntry, { kind: 'folder' }>,
  after: string | undefined,
): string {
  const name = quotePath(file);
  if (before.kind === 'nothing') return describeNewFile(after ?? '');
  const { isCut, text } = before;
  const deletes = after === undefined ? `${describeDeletion(name, before)}\n` : '';
  if (text === undefined || isCut)
    return deletes.trimEnd() || describeWholeFile(name, before, after);
  if (text === after) return `Changes nothing: ${name} has this text already.`;
  const patch = diffLines(text, after ?? '', {
    context: 3,
    maxChanged: after === undefined ? MAX_DELETED_LINES : MAX_CHANGED_LINES,
    names: [name, after === undefined ? '/dev/null' : name],
  });
  return `${deletes}${patch ?? describeWholeFile(name, before, after)}`;
}

/** Only the size: the arguments already show the path and text. */
function describeNewFile(text: string): string {
  return `Creates a new file (${describeBytes(Buffer.byteLength(text))}).`;
}

function describeBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}

function describeDeletion(name: string, file: FileEntry): string {
  const changed = new Date(file.modifiedAt).toISOString().slice(0, 16).replace('T', ' at ');
  return `Permanently deletes ${name}: ${describeBytes(file.size)}${describeKind(file)}, last changed on ${changed} UTC.`;
}

function describeKind({ text, isCut }: FileEntry): string {
  if (text === undefined) return ', not text';
  return isCut ? ', too large to show' : '';
}

function describeWholeFile(name: string, before: FileEntry, after: string | undefined): string {
  const why = before.text === undefined ? 'not text' : 'too large for a diff';
  if (after === undefined) return 'Its text is too long to show here.';
  return `Replaces ${name} (${before.size} bytes, ${why}) with ${Buffer.byteLength(after)} bytes of text.`;
}
