import type { Log } from '../domain/ports/log.ts';
import type { OpenedRecords } from './command-records.ts';
import type { StorePlace } from './open-store.ts';

/** Opens the records that the settings name: `read` changes nothing and rejects where there are none, `write` makes them. Rejects with a `NoRecordsError` that says why it can't. */
export async function openBeside(
  { dataDir, redis }: Pick<StorePlace, 'dataDir' | 'redis'>,
  how: 'read' | 'write',
  log: Log,
): Promise<OpenedRecords> {
  if (!redis) {
    const { openSqliteBeside } = await import('./sqlite/open-sqlite-for-command.ts');
    return openSqliteBeside(dataDir, how);
  }
  const { openRedisBeside } = await import('./redis/open-redis-for-command.ts');
  return await openRedisBeside(redis, how, log);
}
