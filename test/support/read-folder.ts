import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Reads every file below a folder as text, by its path; a missing folder has none. */
export async function readFolder(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(orNone);
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path), await readFile(path, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

function orNone(error: NodeJS.ErrnoException): readonly never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
