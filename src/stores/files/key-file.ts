/** The installation's secret key on one machine: a file beside the database, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallationKey } from '../../domain/secrets/secret-mark.ts';
import { readIfPresent, writeIfAbsent } from './write-if-absent.ts';

const BYTES = 32;
const OWNER_ONLY = 0o600;

/** Path of a data folder's key. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'installation.key');
}

/** Reads the key of a data folder; undefined if there is none. Never creates it. */
export async function readFileKey(dataDir: string): Promise<Uint8Array | undefined> {
  return await readIfPresent(keyFileIn(dataDir));
}

/** Keeps the key in an existing data folder; the first read creates it. */
export function createFileKey(dataDir: string): InstallationKey {
  const path = keyFileIn(dataDir);
  return {
    async read() {
      const found = await readIfPresent(path);
      // A copy or a restored backup may have the wrong mode.
      if (found) await chmod(path, OWNER_ONLY);
      const key = found ?? (await writeIfAbsent(path, randomBytes(BYTES), OWNER_ONLY));
      if (key.length === BYTES) return key;
      throw new Error(
        `${path} is not a key: it has ${key.length} bytes instead of ${BYTES}. Restore it from a backup, or delete it. If you delete it, hidden secrets get new placeholders, and pending calls are stopped as if they had been tampered with.`,
      );
    },
  };
}
