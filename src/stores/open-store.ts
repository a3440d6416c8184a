import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { InstallationKey } from '../domain/secrets/secret-mark.ts';
import type { RedisStore } from './redis/create-redis-store.ts';
import { createSqliteStore, type SqliteStore } from './sqlite/create-sqlite-store.ts';

/** The configured store, and what goes with it. */
export interface OpenedStore {
  readonly store: SqliteStore | RedisStore;
  readonly installationKey: InstallationKey;
  /** Whether other processes share it. */
  readonly isShared: boolean;
  /** Why the workspace's files can't be used here; undefined if they can. */
  findFilesProblem(): Promise<string | undefined>;
}

/** Where the state is stored. */
export interface StoreLocation {
  readonly dataDir: string;
  readonly workspaceDir: string;
  readonly redis?: { readonly url: string; readonly prefix: string };
}

/** Opens Redis if it is configured, else SQLite in the data folder. */
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
  // Loaded on demand: SQLite users start without Redis's dependencies.
  const { createRedisStore } = await import('./redis/create-redis-store.ts');
  const store = await createRedisStore({ ...redis, ...deps });
  return {
    store,
    installationKey: store.installationKey,
    isShared: true,
    findFilesProblem: () => store.findSharingProblem(workspaceDir),
  };
}
