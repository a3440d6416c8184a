import type { Log } from '../domain/ports/log.ts';
import type { CommandRecords } from './command-records.ts';
import type { StoreLocation } from './open-store.ts';

/**
 * Opens the configured records for a command. `read` changes nothing and rejects if there are none;
 * `write` creates them. Rejects with a `NoRecordsError` that says why.
 */
export async function openForCommand(
  { dataDir, redis }: Pick<StoreLocation, 'dataDir' | 'redis'>,
  how: 'read' | 'write',
  log: Log,
): Promise<CommandRecords> {
  if (!redis) {
    const { openSqliteForCommand } = await import('./sqlite/open-sqlite-for-command.ts');
    return openSqliteForCommand(dataDir, how);
  }
  const { openRedisForCommand } = await import('./redis/open-redis-for-command.ts');
  return await openRedisForCommand(redis, how, log);
}
