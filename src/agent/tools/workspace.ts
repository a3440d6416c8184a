import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import {
  atPath,
  MissingError,
  type OpenFolder,
  splitPath,
  statOf,
  toWorkspaceError,
  WorkspaceError,
  withFolder,
} from './open-folder.ts';

/** What stands at a path. */
export type Found =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder'; readonly isEmpty: boolean }
  | {
      readonly kind: 'file';
      readonly size: number;
      /** In milliseconds since 1970. */
      readonly modifiedAt: number;
      /** SHA-256 of the bytes that were read. */
      readonly digest: string;
      /** Undefined when it is not UTF-8 text. */
      readonly text: string | undefined;
      /** Whether `text` is only the beginning. */
      readonly isCut: boolean;
    };

interface ListedEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
}

/** The files of one folder; paths are relative to it, and nothing outside can be reached. */
export interface Workspace {
  /** Tells what is at a path; of a file, the first `maxBytes` of its text. */
  look(path: string, maxBytes?: number): Promise<Found>;
  /** Entries of a folder, sorted, hidden ones included; at most `limit`, and whether there are more. */
  list(
    path: string,
    options: { readonly isDeep: boolean; readonly limit: number },
  ): Promise<{ readonly entries: readonly ListedEntry[]; readonly isCut: boolean }>;
  /** Puts a text in place of what the file holds, whole or not at all; makes missing folders. */
  write(path: string, text: string): Promise<void>;
  /** Deletes a file or an empty folder. */
  delete(path: string): Promise<void>;
}

/** How much of a file is read unless more is asked for, in bytes. */
export const MAX_FILE_BYTES = 256 * 1024;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const NOT_A_FILE = 'is a link or a special file; only plain files and folders can be used.';

/** Opens the workspace in a folder that exists. */
export function createWorkspace(root: string): Workspace {
  return {
    async look(path, maxBytes = MAX_FILE_BYTES) {
      try {
        return await atPath(root, path, { create: false }, (folder, name) =>
          lookAt(folder, name, path, maxBytes),
        );
      } catch (error) {
        // Writing makes the folders that are missing on the way.
        if (error instanceof MissingError) return { kind: 'nothing' };
        throw error;
      }
    },
    write: (path, text) =>
      atPath(root, path, { create: true }, (folder, name) => replace(folder, name, path, text)),
    delete: (path) =>
      atPath(root, path, { create: false }, (folder, name) => remove(folder, name, path)),
    async list(path, { isDeep, limit }) {
      const names = splitPath(path);
      try {
        const entries = await listFolder(root, names, isDeep, limit + 1);
        return { entries: entries.slice(0, limit), isCut: entries.length > limit };
      } catch (error) {
        throw toWorkspaceError(error, path);
      }
    },
  };
}

async function lookAt(
  folder: OpenFolder,
  name: string,
  shown: string,
  maxBytes: number,
): Promise<Found> {
  const stats = await statOf(folder.at(name));
  if (stats === undefined) return { kind: 'nothing' };
  if (stats.isDirectory()) {
    return { kind: 'folder', isEmpty: (await readdir(folder.at(name))).length === 0 };
  }
  if (!stats.isFile()) throw new WorkspaceError(`${shown} ${NOT_A_FILE}`);
  // Not blocking: what was a file a moment ago may be a pipe now.
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await readOpened(handle, shown, maxBytes);
  } finally {
    await handle.close();
  }
}

async function readOpened(handle: FileHandle, shown: string, maxBytes: number): Promise<Found> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new WorkspaceError(`${shown} ${NOT_A_FILE}`);
  const buffer = Buffer.alloc(Math.min(stats.size, maxBytes));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const isCut = stats.size > maxBytes;
  const bytes = buffer.subarray(0, bytesRead);
  return {
    kind: 'file',
    size: stats.size,
    modifiedAt: stats.mtimeMs,
    // Of a file that is read in part, a change behind that part shows in its time.
    digest: createHash('sha256')
      .update(isCut ? `${stats.mtimeMs}` : '')
      .update(bytes)
      .digest('hex'),
    text: decode(bytes, isCut),
    isCut,
  };
}

function decode(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // A cut may fall within a character: streaming leaves its half out.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

async function replace(
  folder: OpenFolder,
  name: string,
  shown: string,
  text: string,
): Promise<void> {
  const before = await statOf(folder.at(name));
  if (before?.isDirectory()) throw new WorkspaceError(`${shown} is a folder; name a file.`);
  if (before && !before.isFile()) throw new WorkspaceError(`${shown} ${NOT_A_FILE}`);
  const draft = folder.at(`.${randomBytes(8).toString('hex')}.draft`);
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    if (before) await handle.chmod(before.mode & 0o777);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(draft, folder.at(name));
  } catch (error) {
    await handle.close();
    await unlink(draft);
    throw error;
  }
}

async function remove(folder: OpenFolder, name: string, shown: string): Promise<void> {
  const stats = await statOf(folder.at(name));
  if (stats === undefined) {
    throw new WorkspaceError(`No such file: ${shown}. list_files shows what is there.`);
  }
  if (stats.isDirectory()) await rmdir(folder.at(name));
  else if (stats.isFile()) await unlink(folder.at(name));
  else throw new WorkspaceError(`${shown} ${NOT_A_FILE}`);
}

async function listFolder(
  root: string,
  names: readonly string[],
  isDeep: boolean,
  limit: number,
): Promise<readonly ListedEntry[]> {
  const entries = await withFolder(root, names, { create: false }, (folder) =>
    readEntries(folder, names, limit),
  );
  if (!isDeep) return entries;
  const all: ListedEntry[] = [];
  for (const entry of entries) {
    if (all.length >= limit) break;
    all.push(entry);
    if (entry.kind !== 'folder') continue;
    all.push(...(await listFolder(root, entry.path.split('/'), true, limit - all.length)));
  }
  return all.slice(0, limit);
}

async function readEntries(
  folder: OpenFolder,
  names: readonly string[],
  limit: number,
): Promise<readonly ListedEntry[]> {
  const entries: ListedEntry[] = [];
  for (const name of (await readdir(folder.path)).sort()) {
    if (entries.length >= limit) break;
    const stats = await statOf(folder.at(name));
    if (stats)
      entries.push({ path: [...names, name].join('/'), kind: kindOf(stats), size: stats.size });
  }
  return entries;
}

function kindOf(stats: Stats): ListedEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
