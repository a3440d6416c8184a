import type { Clock } from '../domain/ports/clock.ts';
import type { StoreLocation } from './open-store.ts';
import { checkDatabase } from './sqlite/check-database.ts';
import type { StoreCheck } from './store-check-result.ts';

/** Checks the store as a start would, without changing records; rejects with what to do if it can't be used. */
export async function checkStore(
  { dataDir, redis }: Pick<StoreLocation, 'dataDir' | 'redis'>,
  { clock }: { readonly clock: Clock },
): Promise<StoreCheck> {
  if (!redis) return checkDatabase(dataDir);
  const { checkRedis } = await import('./redis/check-redis.ts');
  return await checkRedis(redis, clock);
}
