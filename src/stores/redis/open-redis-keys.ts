import type { Log } from '../../domain/log.ts';
import { type KeysSource, NoKeysError } from '../keys-source.ts';
import { readScript } from './desk-scripts.ts';
import { migrateDesk, NEWEST_DESK } from './desk-version.ts';
import { readMaybe } from './read-reply.ts';
import { createRedisInstallationKey } from './redis-installation-key.ts';
import { createRedisKeys } from './redis-keys.ts';
import { COUNT_PENDING_OF_KEY } from './redis-ledger.ts';
import { createRedisLine } from './redis-line.ts';
import { createRedisLink } from './redis-link.ts';
import { tryRights } from './try-rights.ts';

const VERSION = readScript(`return redis.call('GET',P..':version')`);

/** Opens the keys of a desk on Redis beside its app; rejects with a `NoKeysError` when it can't be reached, or is of another version. */
export async function openRedisKeys(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  log: Log,
): Promise<KeysSource> {
  const line = createRedisLine(url, log);
  const link = createRedisLink(line);
  const desk = `${prefix}:{desk}`;
  try {
    await line.open().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoKeysError(
        `The Redis of REDIS_URL can't be reached: ${why}. Check the address, the password, and that Redis runs.`,
        { cause: error },
      );
    });
    await tryRights(link, desk).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoKeysError(why, { cause: error });
    });
    const version = readMaybe(await link.run(VERSION, desk, []));
    if (version === undefined) await migrateDesk(link, desk);
    else if (Number(version) !== NEWEST_DESK) throw otherVersion(Number(version));
  } catch (error) {
    await line.close();
    throw error;
  }
  const installationKey = createRedisInstallationKey(link, desk);
  return {
    keys: createRedisKeys(link, desk),
    installationKey,
    countPending: async (id) => Number(await link.run(COUNT_PENDING_OF_KEY, desk, [id])),
    close: () => line.close(),
  };
}

function otherVersion(version: number): NoKeysError {
  return new NoKeysError(
    version > NEWEST_DESK
      ? `The data in Redis was written by a newer Countersign: its version is ${version}, and this one knows up to ${NEWEST_DESK}. Use the newer Countersign.`
      : `The data in Redis is of an older Countersign: its version is ${version}, and this one needs ${NEWEST_DESK}. Start the app of this version once, which brings it up to date; then try again.`,
  );
}
