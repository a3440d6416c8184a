import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** Reads a file; undefined if there is none. */
export async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Creates a file atomically and durably unless it exists; of concurrent writers, the first wins. Returns the content of the file. */
export async function writeIfAbsent(
  path: string,
  bytes: Uint8Array,
  mode: number,
): Promise<Buffer> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await handle.close();
    await unlink(draft);
  }
  // A concurrent writer that lost uses the winner's file.
  syncFolder(dirname(path));
  return await readFile(path);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
