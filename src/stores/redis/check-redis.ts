import type { Clock } from '../../domain/ports/clock.ts';
import type { StoreCheck } from '../store-check-result.ts';
import { checkPermissions } from './connection/check-permissions.ts';
import { connectRedis } from './connection/connect-redis.ts';
import { assertRedisVersion, readStoreVersion } from './redis-version.ts';

/** Checks that Redis is reachable, suitable, grants the needed permissions and agrees with our clock; rejects with what to do. */
export async function checkRedis(
  { prefix, url }: { readonly url: string; readonly prefix: string },
  clock: Clock,
): Promise<StoreCheck> {
  const warnings: string[] = [];
  const quiet = () => {};
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const log = { debug: quiet, info: quiet, warn, error: quiet };
  const connection = await connectRedis({ url, clock, log });
  try {
    const desk = `${prefix}:{desk}`;
    await connection.check(desk);
    await checkPermissions(connection.link, `${prefix}:{thread:}`);
    const version = await readStoreVersion(connection.link, desk);
    if (version !== undefined) assertRedisVersion(version);
    const state =
      version === undefined ? 'it holds no records yet' : 'its records are of this version';
    return { message: `Redis can be used: ${state}.`, warnings, isInUse: false };
  } finally {
    await connection.close();
  }
}
