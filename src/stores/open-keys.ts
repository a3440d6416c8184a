import type { Log } from '../domain/log.ts';
import type { KeysSource } from './keys-source.ts';
import { openSqliteKeys } from './sqlite/open-sqlite-keys.ts';

/** Opens the keys beside a running app, or without one: on Redis where it is configured, else in the data folder; rejects with a `NoKeysError` that says why it can't. */
export async function openKeys(
  {
    dataDir,
    redis,
  }: {
    readonly dataDir: string;
    readonly redis?: { readonly url: string; readonly prefix: string };
  },
  log: Log,
): Promise<KeysSource> {
  if (!redis) return openSqliteKeys(dataDir);
  // Who keeps the state in a file starts without what Redis needs.
  const { openRedisKeys } = await import('./redis/open-redis-keys.ts');
  return await openRedisKeys(redis, log);
}
