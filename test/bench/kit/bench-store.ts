import { createClient } from 'redis';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

export type StoreKind = 'SQLite' | 'Redis';

const silent = () => {};

/** A log that discards everything but errors. */
export const QUIET_LOG = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (fields: object, message: string) => console.error(message, fields),
};

/** Opens the store of the kind; empty, except for what the data folder or the prefix already contains. */
export async function openBenchStore(options: {
  readonly kind: StoreKind;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly onWake?: () => void;
  readonly dataDir?: string;
  /** (Default: T1.) */
  readonly workspace?: string;
}) {
  const { kind, redisUrl, prefix, onWake = silent, workspace = 'T1' } = options;
  const folder = await makeTempDir();
  const clock: Clock = createSystemClock();
  const { store } = await openStore(
    {
      dataDir: options.dataDir ?? folder.path,
      workspaceDir: folder.path,
      ...(kind === 'Redis' && { redis: { url: redisUrl, prefix } }),
    },
    { clock, log: QUIET_LOG, onWake },
  );
  await store.belongTo({ workspace });
  return {
    store,
    clock,
    folder: folder.path,
    async close() {
      await store.close();
      await folder.remove();
    },
  };
}

/** A separate client of the probe, for its questions to the server. */
export async function openClient(url: string) {
  const path = url.startsWith('unix://') ? url.slice('unix://'.length) : undefined;
  const client = createClient(path === undefined ? { url } : { socket: { path } });
  await client.connect();
  return client;
}
