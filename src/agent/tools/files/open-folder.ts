/**
 * Opens workspace folders step by step without following links. Refuses `..`, absolute paths and
 * symlinks, even if a folder is swapped during the walk.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';

/** An open folder of the workspace. */
export interface OpenFolder {
  /** Path of the folder itself. */
  readonly path: string;
  /** Returns the path of an entry. `name` must be a single name. */
  at(name: string): string;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** The maximum length of a path, in characters. */
export const MAX_PATH = 1_000;
/** On Linux, entries are reached through the open folder, so a rename cannot redirect us. */
const HAS_FD_PATHS = existsSync('/proc/self/fd');

/** A path can't be used. The message tells the model why and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

/** The path, or one of its parent folders, does not exist. */
export class PathNotFoundError extends WorkspaceError {}

/** Splits a path into names below the workspace. An empty list means the workspace itself. */
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

/** Opens a folder while `use` runs. With `create`, creates missing folders. */
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
    throw new WorkspaceError('The workspace folder can’t be opened; tell the person.', {
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
  EACCES: (shown) => `The file system denies access to ${shown}.`,
  EPERM: (shown) => `The file system denies access to ${shown}.`,
  ENAMETOOLONG: (shown) => `The name of ${shown.slice(0, 60)}… is too long.`,
  ENOTEMPTY: (shown) => `The folder ${shown} is not empty. Delete what is in it first.`,
  ENOSPC: () => 'The disk is full; tell the person.',
};

/** Converts a file system error for the model, without the machine's paths. */
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

/** Runs `use` with the open parent folder and name of a path. Rejects with a `WorkspaceError`. */
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

/** Like `lstat`, but returns undefined if the path does not exist. */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
