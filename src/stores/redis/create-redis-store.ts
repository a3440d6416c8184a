import type { Cancel, Clock } from '../../domain/clock.ts';
import type { OnDamaged } from '../../domain/damage.ts';
import type { Log } from '../../domain/log.ts';
import type { InstallationKey } from '../../domain/secret-mark.ts';
import type { Store } from '../../domain/store.ts';
import { createPlainSerializer, createStrictSerializer } from '../strict-serializer.ts';
import { CompactRedisSaver } from './compact-redis-saver.ts';
import { connectRedis } from './connect-redis.ts';
import { createDeskLine } from './desk-line.ts';
import { migrateDesk } from './desk-version.ts';
import { createRedisAgenda } from './redis-agenda.ts';
import { createRedisAudit } from './redis-audit.ts';
import { createRedisBulletins } from './redis-bulletins.ts';
import { createRedisDrafts } from './redis-drafts.ts';
import { createRedisHistory } from './redis-history.ts';
import { createRedisInbox } from './redis-inbox.ts';
import { createRedisInstallationKey } from './redis-installation-key.ts';
import { createRedisKeys } from './redis-keys.ts';
import { createRedisLedger } from './redis-ledger.ts';
import { createRedisOutbox } from './redis-outbox.ts';
import { createRedisPause } from './redis-pause.ts';
import { createRedisPins } from './redis-pins.ts';
import { createRedisRecords } from './redis-records.ts';
import { createRedisReports } from './redis-reports.ts';
import { createRedisRoutes } from './redis-routes.ts';
import { findSharingProblem } from './shared-folder.ts';
import { tryRights } from './try-rights.ts';

/** All ports on one Redis, with the savers of checkpoints. */
export type RedisStore = Store & {
  /** Of our own graph. */
  readonly saver: CompactRedisSaver;
  /** Of graphs that others made. */
  readonly graphSaver: CompactRedisSaver;
  readonly installationKey: InstallationKey;
  /** Why a folder is not the one that all replicas work on; undefined when it is. */
  findSharingProblem(folder: string): Promise<string | undefined>;
};

/** A wake-up of another process that was not heard is found after this. */
const LOOK_AGAIN_MS = 1_000;

/** Opens the store that several processes share; rejects, saying what to do, when Redis can't be reached or isn't fit. */
export async function createRedisStore(options: {
  readonly url: string;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when this or another process put something on the agenda, and every second. */
  readonly onWake?: () => void;
  /** Hears of a record that was left out of a list since it is damaged. */
  readonly onDamaged?: OnDamaged;
}): Promise<RedisStore> {
  const { clock, log, onDamaged = () => {}, onWake, prefix } = options;
  const connection = await connectRedis(options);
  const link = createDeskLine(connection.link);
  // One hash tag, so that one script may touch all keys of the desk.
  const desk = `${prefix}:{desk}`;
  const installationKey = createRedisInstallationKey(link, desk);
  let cancel: Cancel = () => {};
  try {
    // The checkpoints of each thread lie under a hash tag of their own.
    for (const key of [desk, `${prefix}:{thread:}`]) await tryRights(link, key);
    await migrateDesk(link, desk);
    if (onWake) {
      await connection.listen(`${desk}:wakes`, onWake);
      lookAgain(onWake);
    }
  } catch (error) {
    await connection.close();
    throw error;
  }

  function lookAgain(look: () => void): void {
    cancel = clock.schedule(clock.now() + LOOK_AGAIN_MS, () => {
      look();
      // What is wrong with it is told by the check.
      installationKey.keep().catch((error: unknown) => {
        log.debug({ err: error }, 'The key of the installation was not looked at.');
      });
      lookAgain(look);
    });
  }

  return {
    ledger: createRedisLedger(link, desk, onDamaged),
    inbox: createRedisInbox(link, desk, onDamaged),
    records: createRedisRecords(link, desk),
    history: createRedisHistory(link, desk, onDamaged),
    outbox: createRedisOutbox(link, desk, onDamaged),
    agenda: createRedisAgenda(link, desk),
    audit: createRedisAudit(link, desk),
    pause: createRedisPause(link, desk),
    routes: createRedisRoutes(link, desk),
    pins: createRedisPins(link, desk),
    drafts: createRedisDrafts(link, desk, clock),
    keys: createRedisKeys(link, desk),
    bulletins: createRedisBulletins(link, desk),
    reports: createRedisReports(link, desk),
    saver: new CompactRedisSaver(connection, prefix, createPlainSerializer()),
    graphSaver: new CompactRedisSaver(connection, prefix, createStrictSerializer()),
    installationKey,
    findSharingProblem: (folder) => findSharingProblem(link, desk, folder),
    async check() {
      await connection.check(desk);
      await installationKey.keep();
    },
    async close() {
      cancel();
      await connection.close();
    },
  };
}
