/** Visits files and folders below a workspace path, within a limit. Never follows links. */
import { lstat, opendir } from 'node:fs/promises';
import { type FileEntry, notAFileError, readBeginning } from './inspect-path.ts';
import {
  MAX_PATH,
  type OpenFolder,
  splitPath,
  toWorkspaceError,
  WorkspaceError,
  withOpenFolder,
  withOpenPath,
} from './open-folder.ts';

/** A plain file or a folder. */
export interface VisitedEntry {
  readonly kind: 'file' | 'folder';
  /** Relative to the workspace. */
  readonly path: string;
  readonly name: string;
  /** Reads the first `maxBytes` of a file as text. Rejects if it is no plain file by now. */
  read(maxBytes: number): Promise<Pick<FileEntry, 'text' | 'isCut'>>;
}

export interface Walk {
  /** How many entries of folders to look at. */
  readonly maxEntries: number;
  /** Must not reject. */
  readonly visit: (entry: VisitedEntry) => Promise<'continue' | 'stop'>;
}

export interface WalkEnd {
  /** Whether there were more than `maxEntries`. */
  readonly isCut: boolean;
  /** Folders that could not be opened. */
  readonly unreadable: number;
}

/**
 * Visits a file, or everything below a folder: first what is in it, sorted, then its folders one by
 * one.
 */
export async function walkFiles(root: string, path: string, walk: Walk): Promise<WalkEnd> {
  const names = splitPath(path);
  if (names.length > 0 && (await visitFile(root, path, names, walk)))
    return { isCut: false, unreadable: 0 };
  const state: WalkState = { left: walk.maxEntries, isCut: false, isStopped: false };
  const pending = [names];
  let unreadable = 0;
  for (let at = pending.pop(); at && !state.isCut && !state.isStopped; at = pending.pop()) {
    try {
      pending.push(...(await visitFolder(root, at, walk, state)).toReversed());
    } catch (error) {
      // A folder below may have been removed or replaced meanwhile.
      if (at === names || !(error instanceof WorkspaceError)) throw error;
      unreadable += 1;
    }
  }
  return { isCut: state.isCut, unreadable };
}

interface WalkState {
  left: number;
  isCut: boolean;
  isStopped: boolean;
}

/** Visits the path if it is a file; returns false for a folder. */
async function visitFile(
  root: string,
  path: string,
  names: readonly string[],
  { visit }: Walk,
): Promise<boolean> {
  return await withOpenPath(root, path, { create: false }, async (folder, name) => {
    const stats = await lstat(folder.at(name));
    if (stats.isDirectory()) return false;
    if (!stats.isFile()) throw notAFileError(path);
    await visit(toEntry('file', folder, names));
    return true;
  });
}

/** Visits the entries of one folder; returns the folders in it. */
async function visitFolder(
  root: string,
  names: readonly string[],
  { visit }: Walk,
  state: WalkState,
): Promise<readonly (readonly string[])[]> {
  return await withOpenFolder(root, names, { create: false }, async (folder) => {
    const folders: (readonly string[])[] = [];
    const entries = await readEntries(folder, state).catch((error: unknown) => {
      throw toWorkspaceError(error, names.join('/') || '.');
    });
    for (const { name, kind } of entries) {
      const entry = toEntry(kind, folder, [...names, name]);
      // No tool could use a longer path.
      if (entry.path.length > MAX_PATH) continue;
      state.isStopped = (await visit(entry)) === 'stop';
      if (state.isStopped) break;
      if (kind === 'folder') folders.push([...names, name]);
    }
    return folders;
  });
}

/** Reads no more names than are left: a folder may have millions. */
async function readEntries(folder: OpenFolder, state: WalkState) {
  const entries: { readonly name: string; readonly kind: VisitedEntry['kind'] }[] = [];
  for await (const entry of await opendir(folder.path, { bufferSize: 256 })) {
    state.isCut = state.left === 0;
    if (state.isCut) break;
    state.left -= 1;
    if (entry.isFile()) entries.push({ name: entry.name, kind: 'file' });
    if (entry.isDirectory()) entries.push({ name: entry.name, kind: 'folder' });
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function toEntry(
  kind: VisitedEntry['kind'],
  folder: OpenFolder,
  names: readonly string[],
): VisitedEntry {
  const name = names.at(-1) ?? '';
  const read = (maxBytes: number) => readBeginning(folder, name, maxBytes);
  return { kind, path: names.join('/'), name, read };
}
