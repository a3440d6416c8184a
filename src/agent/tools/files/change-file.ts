/**
 * Changes files without destroying concurrent changes by others. A replaced or deleted file is kept under
 * another name until it has been compared with what was seen before.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rmdir, unlink } from 'node:fs/promises';
import {
  type FileEntry,
  hasSameBytes,
  inspectPath,
  notAFileError,
  type PathEntry,
} from './inspect-path.ts';
import { type OpenFolder, statIfPresent, WorkspaceError } from './open-folder.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Creates a file atomically under a free name. Returns false if the name is taken by now. */
export async function writeNewFile(
  folder: OpenFolder,
  name: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const draft = await writeDraft(folder, bytes, 0o666);
  try {
    return await moveToFree(folder.at(draft), folder.at(name));
  } finally {
    await removeIfThere(folder.at(draft));
  }
}

/** Replaces a file atomically. Rejects and keeps the file if it differs from `seen`. */
export async function replaceIfUnchanged(
  folder: OpenFolder,
  name: string,
  shown: string,
  { bytes, seen }: { readonly bytes: Uint8Array; readonly seen: FileEntry },
): Promise<void> {
  const before = await statIfPresent(folder.at(name));
  if (before?.isDirectory()) throw new WorkspaceError(`${shown} is a folder; name a file.`);
  if (before && !before.isFile()) throw notAFileError(shown);
  if (!before) throw fileChangedError(shown);
  const draft = await writeDraft(folder, bytes, before.mode & 0o777);
  try {
    await exchange(folder, { name, draft, shown, seen });
  } finally {
    await removeIfThere(folder.at(draft));
  }
}

interface Exchange {
  readonly name: string;
  readonly draft: string;
  readonly shown: string;
  readonly seen: FileEntry;
}

/**
 * Keeps the old file under a second name during the exchange, to compare it afterwards and restore
 * it.
 */
async function exchange(folder: OpenFolder, { name, draft, shown, seen }: Exchange): Promise<void> {
  const aside = newName('old');
  if (!(await tryLink(folder.at(name), folder.at(aside)))) {
    if (!(await isUnchanged(folder, name, seen))) throw fileChangedError(shown);
    await rename(folder.at(draft), folder.at(name));
    return;
  }
  const ours = await statIfPresent(folder.at(draft));
  await rename(folder.at(draft), folder.at(name));
  if (await isUnchanged(folder, aside, seen)) return await unlink(folder.at(aside));
  const now = await statIfPresent(folder.at(name));
  if (now?.ino !== ours?.ino) throw fileChangedError(shown, aside);
  await rename(folder.at(aside), folder.at(name));
  throw fileChangedError(shown);
}

/** Deletes a file or an empty folder. Rejects and keeps it if it differs from `seen`. */
export async function deleteIfUnchanged(
  folder: OpenFolder,
  name: string,
  shown: string,
  seen: Exclude<PathEntry, { kind: 'nothing' }>,
): Promise<void> {
  // rmdir refuses everything but an empty folder.
  if (seen.kind === 'folder') return await rmdir(folder.at(name));
  const aside = newName('old');
  await rename(folder.at(name), folder.at(aside));
  if (await isUnchanged(folder, aside, seen)) return await unlink(folder.at(aside));
  const isBack = await moveToFree(folder.at(aside), folder.at(name));
  throw fileChangedError(shown, isBack ? undefined : aside);
}

/**
 * Creates the error for a file that changed after its preview. `kept` is the name of a file set
 * aside.
 */
export function fileChangedError(shown: string, kept?: string): WorkspaceError {
  const where = kept === undefined ? '' : ` The version from in between is kept as ${kept}.`;
  return new WorkspaceError(
    `${shown} has changed since the card showed its preview. Nothing was done; read it and make the call again.${where}`,
  );
}

/** A file that cannot be inspected counts as changed, so that it is restored. */
async function isUnchanged(folder: OpenFolder, name: string, seen: FileEntry): Promise<boolean> {
  const found = await inspectPath(folder, name, name, 0).catch(() => undefined);
  return found !== undefined && hasSameBytes(found, seen);
}

function newName(kind: 'draft' | 'old'): string {
  return `.${randomBytes(8).toString('hex')}.${kind}`;
}

async function writeDraft(folder: OpenFolder, bytes: Uint8Array, mode: number): Promise<string> {
  const draft = newName('draft');
  const handle = await open(folder.at(draft), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    if (mode !== 0o666) await handle.chmod(mode);
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await removeIfThere(folder.at(draft));
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
}

/** Links instead of renaming: a link never overwrites an existing file. */
async function moveToFree(from: string, to: string): Promise<boolean> {
  try {
    if (await tryLink(from, to)) await unlink(from);
    else if (await statIfPresent(to)) return false;
    else await rename(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Returns false if the file system has no hard links. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
}

async function removeIfThere(at: string): Promise<void> {
  try {
    await unlink(at);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
