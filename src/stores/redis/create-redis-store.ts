import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { InstallationKey } from '../../domain/secrets/secret-mark.ts';
import { createStrictSerializer } from '../checkpoints/strict-serializer.ts';
import { type CreatedStore, createStore } from '../create-store.ts';
import { CompactRedisSaver } from './compact-redis-saver.ts';
import { checkPermissions } from './connection/check-permissions.ts';
import { connectRedis } from './connection/connect-redis.ts';
import { createRedisInstallationKey } from './redis-installation-key.ts';
import { openRedisRecords } from './redis-records.ts';
import { claimStoreVersion, REDIS_LOCATION } from './redis-version.ts';
import { findSharingProblem } from './shared-folder.ts';

/** All storage ports on one Redis, with the saver for third-party graphs. */
export type RedisStore = Store &
  Pick<CreatedStore, 'belongTo'> & {
    /** Stores checkpoints of third-party graphs. */
    readonly saver: CompactRedisSaver;
    readonly installationKey: InstallationKey;
    /** Why a folder is not the one that all replicas share; undefined if it is. */
    findSharingProblem(folder: string): Promise<string | undefined>;
  };

/** Longest delay until a lost wake-up of another process is noticed. */
const POLL_MS = 1_000;

/** Opens a store that several processes share; rejects, saying what to do, if Redis is unreachable or unsuitable. */
export async function createRedisStore(options: {
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when any process scheduled work, and every second. */
  readonly onWake?: () => void;
  /** Called for each damaged record that a list leaves out. */
  readonly onDamaged?: OnDamaged;
}): Promise<RedisStore> {
  const { clock, log, onDamaged = () => {}, onWake, prefix } = options;
  const connection = await connectRedis(options);
  const { link } = connection;
  // One hash tag, so that a script can use all keys of the desk.
  const desk = `${prefix}:{desk}`;
  const installationKey = createRedisInstallationKey(link, desk);
  const listen = connection.listen.bind(connection);
  const records = openRedisRecords({ link, listen, prefix: desk });
  const place = REDIS_LOCATION;
  const made = createStore({ records, place, installationKey, clock, log, onDamaged });
  const { listen: listenForTasks, requestLease, tryWrite: _, ...ports } = made;
  let cancel: Cancel = () => {};
  try {
    // Each thread's checkpoints have their own hash tag.
    for (const key of [desk, `${prefix}:{thread:}`]) await checkPermissions(link, key);
    await claimStoreVersion(link, desk);
    if (onWake) {
      await listenForTasks(onWake);
      pollForTasks(onWake);
    }
  } catch (error) {
    await connection.close();
    throw error;
  }

  function pollForTasks(onPoll: () => void): void {
    cancel = clock.schedule(clock.now() + POLL_MS, () => {
      requestLease();
      onPoll();
      // Also checked by `check`, which reports the error.
      installationKey.keep().catch((error: unknown) => {
        log.debug({ err: error }, 'The installation key could not be checked.');
      });
      pollForTasks(onPoll);
    });
  }

  return {
    ...ports,
    saver: new CompactRedisSaver(connection, prefix, createStrictSerializer()),
    installationKey,
    findSharingProblem: (folder) => findSharingProblem(link, desk, folder),
    async check() {
      await connection.check(desk);
      await installationKey.keep();
    },
    async close() {
      cancel();
      try {
        await ports.close();
      } finally {
        await connection.close();
      }
    },
  };
}
