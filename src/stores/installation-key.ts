/** The secret key of an installation on one machine: a file beside its database, which only its user can read. */
import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallationKey } from '../domain/secret-mark.ts';

const NAME = 'installation.key';
const BYTES = 32;
const OWNER_ONLY = 0o600;

/** Keeps the key in the data folder, which exists; the first to read it makes it. */
export function createFileKey(dataDir: string): InstallationKey {
  const path = join(dataDir, NAME);
  return {
    async read() {
      const key = (await readKey(path)) ?? (await makeKey(path));
      if (key.length === BYTES) return key;
      throw new Error(
        `${path} is not a key: it has ${key.length} bytes instead of ${BYTES}. Restore it from a backup, or delete it; then secrets get new marks.`,
      );
    },
  };
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  try {
    const key = await readFile(path);
    // A copy or a restored backup may have lost its mode.
    await chmod(path, OWNER_ONLY);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A key is there whole or not at all, and the first one stays. */
async function makeKey(path: string): Promise<Uint8Array> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', OWNER_ONLY);
  try {
    await handle.writeFile(randomBytes(BYTES));
    await handle.sync();
    await link(draft, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  } finally {
    await handle.close();
    await unlink(draft);
  }
  return await readFile(path);
}
