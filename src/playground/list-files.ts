import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFile } from './page/state/page-start.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024;

/**
 * Reads the regular files below a folder, sorted by path: at most 200 files, the first 64 KB of
 * each.
 */
export async function listWorkspaceFiles(root: string): Promise<readonly WorkspaceFile[]> {
  const paths = await listPaths(root, '');
  const files = await Promise.all(paths.map((path) => readOne(root, path)));
  return files.filter((file) => file !== undefined);
}

async function listPaths(root: string, folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await entriesOf(join(root, folder))) {
    if (paths.length >= MAX_FILES) break;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) paths.push(path);
    else if (entry.isDirectory()) paths.push(...(await listPaths(root, path)));
  }
  return paths.slice(0, MAX_FILES);
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await ifExists(() => readdir(folder, { withFileTypes: true }));
  return (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readOne(root: string, path: string): Promise<WorkspaceFile | undefined> {
  return await ifExists(async () => {
    const handle = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return { path, size, text: buffer.toString('utf8', 0, bytesRead) };
    } finally {
      await handle.close();
    }
  });
}

/** Returns undefined if the file is gone: the agent's tools may delete files meanwhile. */
async function ifExists<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
