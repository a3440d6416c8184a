import { randomBytes } from 'node:crypto';
import type { InstallationKey } from '../../domain/secret-mark.ts';
import { keepFirst } from './keep-first.ts';
import type { RedisLink } from './redis-link.ts';

const BYTES = 32;

/** Keeps the key beside the desk's data, for all replicas; the first to read it makes it. */
export function createRedisInstallationKey(link: RedisLink, desk: string): InstallationKey {
  return {
    async read() {
      const draft = randomBytes(BYTES).toString('hex');
      const key = Buffer.from(await keepFirst(link, desk, 'installation-key', draft), 'hex');
      if (key.length === BYTES) return key;
      throw new Error(
        `The key of the installation in Redis (${desk}:installation-key) has ${key.length} bytes instead of ${BYTES}. Restore it from a backup, or delete it; then secrets get new marks, and calls that wait are stopped as if somebody had changed them.`,
      );
    },
  };
}
