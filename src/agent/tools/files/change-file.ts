/**
 * Changes of the workspace that destroy nothing but what was looked at, whatever else changes the same
 * file at the same time: what is replaced or deleted is kept until it has been looked at once more.
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
/** What file systems without hard links answer. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Puts whole bytes under a name that is free; false when somebody was faster. */
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

/** Puts whole bytes in the place of a file that was looked at; where it is another one by now, that one stays, and this rejects. */
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

/** The old file has a second name while the new one takes its place: so it can be looked at afterwards, and put back. */
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

/** Deletes what was looked at, a file or an empty folder; where it is something else by now, that stays, and this rejects. */
export async function deleteIfUnchanged(
  folder: OpenFolder,
  name: string,
  shown: string,
  seen: Exclude<PathEntry, { kind: 'nothing' }>,
): Promise<void> {
  // A folder that is not empty, or no folder, stays by itself.
  if (seen.kind === 'folder') return await rmdir(folder.at(name));
  const aside = newName('old');
  await rename(folder.at(name), folder.at(aside));
  if (await isUnchanged(folder, aside, seen)) return await unlink(folder.at(aside));
  const isBack = await moveToFree(folder.at(aside), folder.at(name));
  throw fileChangedError(shown, isBack ? undefined : aside);
}

/** Says that a file is not what was looked at any more. */
export function fileChangedError(shown: string, kept?: string): WorkspaceError {
  const where = kept === undefined ? '' : ` What stood there in between is kept as ${kept}.`;
  return new WorkspaceError(
    `${shown} has changed since the card showed what would happen to it. Nothing was done; look at it and ask anew.${where}`,
  );
}

/** What can't be looked at, for whatever reason, is not what was seen: so it is put back. */
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

/** Unlike a rename, a link never takes the place of what is there. */
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

/** False where the file system has no links. */
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
