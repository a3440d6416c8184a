import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeNewFile } from './change-file.ts';
import { PathNotFoundError, statIfPresent, WorkspaceError, withOpenPath } from './open-folder.ts';

/** The bytes of a workspace file, or why there are none. */
export type WorkspaceFileBytes =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'too-large'; readonly size: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/**
 * Workspace files as bytes, confined to the workspace. Rejects with a `WorkspaceError` for anything
 * but a plain file.
 */
export interface WorkspaceBytes {
  read(path: string, maxBytes: number): Promise<WorkspaceFileBytes>;
  /**
   * Adds a file atomically and creates missing folders. Never overwrites. `same`: a file with these
   * bytes already exists.
   */
  add(path: string, bytes: Uint8Array): Promise<'added' | 'same' | 'taken'>;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens the workspace in an existing folder. */
export function createWorkspaceBytes(root: string): WorkspaceBytes {
  return {
    async read(path, maxBytes) {
      try {
        return await withOpenPath(root, path, { create: false }, (folder, name) =>
          readPlain(folder.at(name), path, maxBytes),
        );
      } catch (error) {
        if (error instanceof PathNotFoundError) return { kind: 'nothing' };
        throw error;
      }
    },
    add: (path, bytes) =>
      withOpenPath(root, path, { create: true }, async (folder, name) => {
        if (await statIfPresent(folder.at(name)))
          return await compare(folder.at(name), path, bytes);
        const isAdded = await writeNewFile(folder, name, bytes);
        return isAdded ? 'added' : await compare(folder.at(name), path, bytes);
      }),
  };
}

async function readPlain(at: string, shown: string, maxBytes: number): Promise<WorkspaceFileBytes> {
  // Non-blocking, because the file may have been replaced by a pipe meanwhile.
  const handle = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await readOpened(handle, shown, maxBytes);
  } finally {
    await handle.close();
  }
}

async function readOpened(
  handle: FileHandle,
  shown: string,
  maxBytes: number,
): Promise<WorkspaceFileBytes> {
  const stats = await handle.stat();
  if (stats.isDirectory()) throw new WorkspaceError(`${shown} is a folder; name a file in it.`);
  if (!stats.isFile()) throw new WorkspaceError(`${shown} is a special file, which can’t be used.`);
  if (stats.size > maxBytes) return { kind: 'too-large', size: stats.size };
  const buffer = Buffer.alloc(stats.size);
  let size = 0;
  while (size < buffer.length) {
    const { bytesRead } = await handle.read(buffer, size, buffer.length - size, size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return { kind: 'bytes', bytes: buffer.subarray(0, size) };
}

/** An entry that is not a plain file still takes the name. */
async function compare(at: string, shown: string, bytes: Uint8Array): Promise<'same' | 'taken'> {
  try {
    const found = await readPlain(at, shown, bytes.length);
    return found.kind === 'bytes' && Buffer.from(bytes).equals(found.bytes) ? 'same' : 'taken';
  } catch (error) {
    if (error instanceof WorkspaceError || codeOf(error) === 'ELOOP') return 'taken';
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
