import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { InstallationKey } from '../domain/secrets/secret-mark.ts';
import type { RedisStore } from './redis/create-redis-store.ts';
import { createSqliteStore, type SqliteStore } from './sqlite/create-sqlite-store.ts';

/** The store that the settings name, and what goes with it. */
export interface OpenedStore {
  readonly store: SqliteStore | RedisStore;
  readonly installationKey: InstallationKey;
  /** Whether other processes work on it too. */
  readonly isShared: boolean;
  /** Why the files of the workspace can't be used here; undefined when they can. */
  findFilesProblem(): Promise<string | undefined>;
}

/** Where the state is kept. */
export interface StoreLocation {
  readonly dataDir: string;
  readonly workspaceDir: string;
  readonly redis?: { readonly url: string; readonly prefix: string };
}

/** Opens Redis where it is configured, else SQLite in the data folder. */
export async function openStore(
  { dataDir, redis, workspaceDir }: StoreLocation,
  deps: {
    readonly clock: Clock;
    readonly log: Log;
    readonly onWake: () => void;
    readonly onDamaged?: OnDamaged;
  },
): Promise<OpenedStore> {
  if (!redis) {
    const store = createSqliteStore({ dataDir, ...deps });
    return {
      store,
      installationKey: store.installationKey,
      isShared: false,
      findFilesProblem: async () => undefined,
    };
  }
  // Who keeps the state in a file starts without what Redis needs.
  const { createRedisStore } = await import('./redis/create-redis-store.ts');
  const store = await createRedisStore({ ...redis, ...deps });
  return {
    store,
    installationKey: store.installationKey,
    isShared: true,
    findFilesProblem: () => store.findSharingProblem(workspaceDir),
  };
}
