import type { Log } from '../domain/log.ts';
import type { AuditSource } from './audit-source.ts';
import { readRedisAudit } from './redis/read-redis-audit.ts';
import { readSqliteAudit } from './sqlite/read-sqlite-audit.ts';

/** Opens the audit for reading: on Redis where it is configured, else in the data folder; rejects with a `NoAuditError` that says why it can't. */
export async function openAudit(
  {
    dataDir,
    redis,
  }: {
    readonly dataDir: string;
    readonly redis?: { readonly url: string; readonly prefix: string };
  },
  log: Log,
): Promise<AuditSource> {
  return redis ? await readRedisAudit(redis, log) : readSqliteAudit(dataDir);
}
