import { randomBytes } from 'node:crypto';
import type { InstallationKey } from '../../domain/secrets/secret-mark.ts';
import { parseOptionalText } from './connection/parse-reply.ts';
import { type ScriptRunner, toScript } from './connection/script-runner.ts';
import { setIfAbsent } from './set-if-absent.ts';

const BYTES = 32;
const READ_KEY = toScript(`return redis.call('GET',KEYS[1]..':installation-key')`, 'read');

/** Reads the key; undefined if there is none. Never creates it. */
export async function readRedisKey(
  link: ScriptRunner,
  desk: string,
): Promise<Uint8Array | undefined> {
  const hex = parseOptionalText(await link.run(READ_KEY, desk, []));
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** The key, with a way to survive data loss in Redis. */
export type RedisInstallationKey = InstallationKey & {
  /**
   * Restores the key if Redis lost it. Otherwise a new replica would create another one, and treat
   * records sealed here as tampered. Rejects if there is a different key.
   */
  keep(): Promise<void>;
};

/** Stores the key next to the desk's data for all replicas; the first read creates it. */
export function createRedisInstallationKey(link: ScriptRunner, desk: string): RedisInstallationKey {
  const keepHex = (draft: string) => setIfAbsent(link, desk, 'installation-key', draft);
  let known: string | undefined;

  return {
    async read() {
      const hex = await keepHex(randomBytes(BYTES).toString('hex'));
      const key = Buffer.from(hex, 'hex');
      if (key.length === BYTES) {
        known = hex;
        return key;
      }
      throw new Error(
        `The key of the installation in Redis (${desk}:installation-key) has ${key.length} bytes instead of ${BYTES}. Restore it from a backup, or delete it. If you delete it, hidden secrets get new placeholders, and pending calls are stopped as if they had been tampered with.`,
      );
    },
    async keep() {
      if (known === undefined || (await keepHex(known)) === known) return;
      throw new Error(
        `The key of the installation in Redis (${desk}:installation-key) is not the one that this process started with: Redis lost its data, or somebody replaced the key. Restart the app. Calls sealed with the other key are stopped as if they had been tampered with.`,
      );
    },
  };
}
