/**
 * Folders of the workspace, opened step by step without following a link: `..`, absolute paths and
 * symlinks lead nowhere, even when something swaps a folder while we are on our way.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';

/** An open folder of the workspace. */
export interface OpenFolder {
  /** The folder itself, for reading its names. */
  readonly path: string;
  /** The path of an entry; a name, never more. */
  at(name: string): string;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const MAX_PATH = 1_000;
/** Linux reaches entries through an open folder itself, so that no rename can lead elsewhere. */
const HAS_FD_PATHS = existsSync('/proc/self/fd');

/** A path can't be used; the message tells the model why and what it can do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

/** There is nothing at a path, or at a folder on the way to it. */
export class PathNotFoundError extends WorkspaceError {}

/** Splits a path into the names below the workspace; an empty list is the workspace itself. */
export function splitPath(path: string): readonly string[] {
  if (path.includes('\0')) throw new WorkspaceError('A path can’t hold a NUL character.');
  if (path.length > MAX_PATH) {
    throw new WorkspaceError(`The path is longer than ${MAX_PATH} characters.`);
  }
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) {
    throw new WorkspaceError(
      `${path} is an absolute path. Paths are relative to the workspace; list_files shows what is there.`,
    );
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) {
    throw new WorkspaceError(`${path} leads up with "..". Only the workspace can be reached.`);
  }
  return names;
}

/** Opens the folder that the names lead to, for as long as `use` runs; with `create`, missing folders are made. */
export async function withOpenFolder<T>(
  root: string,
  names: readonly string[],
  options: { readonly create: boolean },
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  let handle = await openRoot(root);
  let folder = toFolder(handle, root);
  try {
    for (const [index, name] of names.entries()) {
      const shown = names.slice(0, index + 1).join('/');
      const next = await openChild(folder, name, shown, options.create);
      const path = folder.at(name);
      await handle.close();
      handle = next;
      folder = toFolder(handle, path);
    }
    return await use(folder);
  } finally {
    await handle.close();
  }
}

function toFolder(handle: FileHandle, path: string): OpenFolder {
  const base = HAS_FD_PATHS ? `/proc/self/fd/${handle.fd}` : path;
  return { path: base, at: (name) => `${base}/${name}` };
}

async function openRoot(root: string): Promise<FileHandle> {
  try {
    return await open(root, O_RDONLY | O_DIRECTORY);
  } catch (error) {
    throw new WorkspaceError('The workspace folder can’t be opened; tell the person about it.', {
      cause: error,
    });
  }
}

async function openChild(
  folder: OpenFolder,
  name: string,
  shown: string,
  create: boolean,
): Promise<FileHandle> {
  try {
    if (create) await makeFolder(folder.at(name));
    return await open(folder.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw toWorkspaceError(error, shown);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const REASONS: Readonly<Record<string, (shown: string) => string>> = {
  ENOENT: (shown) => `No such file: ${shown}. list_files shows what is there.`,
  ENOTDIR: (shown) => `${shown} is not a folder, or is a link; links are not followed.`,
  ELOOP: (shown) => `${shown} is a link; links are not followed.`,
  EISDIR: (shown) => `${shown} is a folder.`,
  EACCES: (shown) => `The file system does not let us touch ${shown}.`,
  EPERM: (shown) => `The file system does not let us touch ${shown}.`,
  ENAMETOOLONG: (shown) => `The name of ${shown.slice(0, 60)}… is too long.`,
  ENOTEMPTY: (shown) => `The folder ${shown} is not empty. Delete what is in it first.`,
  ENOSPC: () => 'The disk is full; tell the person about it.',
};

/** Says a file system's error to the model, without the machine's own paths. */
export function toWorkspaceError(error: unknown, shown: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  const code = codeOf(error);
  const reason = REASONS[code]?.(shown) ?? `The file system refused ${shown} (${code}).`;
  const Kind = code === 'ENOENT' ? PathNotFoundError : WorkspaceError;
  return new Kind(reason, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Works on what a path names in a workspace: its folder held open, and its name there; rejects with a `WorkspaceError`. */
export async function withOpenPath<T>(
  root: string,
  path: string,
  { create }: { readonly create: boolean },
  use: (folder: OpenFolder, name: string) => Promise<T>,
): Promise<T> {
  const names = splitPath(path);
  const name = names.at(-1);
  if (name === undefined)
    throw new WorkspaceError('The path is the workspace itself; name a file in it.');
  try {
    return await withOpenFolder(root, names.slice(0, -1), { create }, (folder) =>
      use(folder, name),
    );
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

/** Returns what stands at a place, links not followed; undefined where nothing does. */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
