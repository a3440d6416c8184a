import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import {
  deleteIfUnchanged,
  fileChangedError,
  replaceIfUnchanged,
  writeNewFile,
} from './change-file.ts';
import { inspectPath, MAX_FILE_BYTES, type PathEntry } from './inspect-path.ts';
import {
  type OpenFolder,
  PathNotFoundError,
  splitPath,
  statIfPresent,
  toWorkspaceError,
  withOpenFolder,
  withOpenPath,
} from './open-folder.ts';
import { type Walk, type WalkEnd, walkFiles } from './walk-files.ts';

interface ListedEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
}

/** The files of one folder. Paths are relative to it and cannot leave it. */
export interface Workspace {
  /** Inspects a path. Reads the first `maxBytes` of a file as text. */
  look(path: string, maxBytes?: number): Promise<PathEntry>;
  /**
   * Lists a folder, sorted and including hidden entries. Returns at most `limit`; `isCut` if there
   * are more.
   */
  list(
    path: string,
    options: { readonly isDeep: boolean; readonly limit: number },
  ): Promise<{ readonly entries: readonly ListedEntry[]; readonly isCut: boolean }>;
  /** Visits a file, or everything below a folder. Skips links and special files. */
  walk(path: string, walk: Walk): Promise<WalkEnd>;
  /**
   * Writes a file atomically and creates missing folders. Rejects if the entry differs from `seen`.
   */
  write(path: string, text: string, seen: Exclude<PathEntry, { kind: 'folder' }>): Promise<void>;
  /** Deletes a file or an empty folder. Rejects if it differs from `seen`. */
  delete(path: string, seen: Exclude<PathEntry, { kind: 'nothing' }>): Promise<void>;
}

/** Opens the workspace in an existing folder. */
export function createWorkspace(root: string): Workspace {
  return {
    async look(path, maxBytes = MAX_FILE_BYTES) {
      try {
        return await withOpenPath(root, path, { create: false }, (folder, name) =>
          inspectPath(folder, name, path, maxBytes),
        );
      } catch (error) {
        // A missing parent folder is fine: writing creates it.
        if (error instanceof PathNotFoundError) return { kind: 'nothing' };
        throw error;
      }
    },
    walk: (path, walk) => walkFiles(root, path, walk),
    write: (path, text, seen) =>
      withOpenPath(root, path, { create: true }, async (folder, name) => {
        const bytes = Buffer.from(text);
        if (seen.kind === 'file')
          return await replaceIfUnchanged(folder, name, path, { bytes, seen });
        if (!(await writeNewFile(folder, name, bytes))) throw fileChangedError(path);
      }),
    delete: (path, seen) =>
      withOpenPath(root, path, { create: false }, (folder, name) =>
        deleteIfUnchanged(folder, name, path, seen),
      ),
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

async function listFolder(
  root: string,
  names: readonly string[],
  isDeep: boolean,
  limit: number,
): Promise<readonly ListedEntry[]> {
  const entries = await withOpenFolder(root, names, { create: false }, (folder) =>
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
    const stats = await statIfPresent(folder.at(name));
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
