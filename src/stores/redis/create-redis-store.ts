import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import type { Store } from '../../domain/store.ts';
import type { RedisConnection } from './connect-redis.ts';
import { createRedisAgenda } from './redis-agenda.ts';
import { createRedisAudit } from './redis-audit.ts';
import { createRedisHistory } from './redis-history.ts';
import { createRedisInbox } from './redis-inbox.ts';
import { createRedisLedger } from './redis-ledger.ts';
import { createRedisOutbox } from './redis-outbox.ts';
import { createRedisPause } from './redis-pause.ts';

/** Creates all ports on one Redis; several processes with the same prefix share them. */
export function createRedisStore(deps: {
  readonly connection: RedisConnection;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
}): Store {
  const { connection, prefix } = deps;
  const { link } = connection;
  const desk = deskKey(prefix);
  return {
    ledger: createRedisLedger(link, desk),
    inbox: createRedisInbox(link, desk),
    history: createRedisHistory(link, desk),
    outbox: createRedisOutbox(link, desk),
    agenda: createRedisAgenda(link, desk),
    audit: createRedisAudit(link, desk),
    pause: createRedisPause(link, desk),
    check: () => connection.check(desk),
    close: () => connection.close(),
  };
}

/** What the names of a desk's keys begin with: one hash tag, so that one script may touch them all. */
export function deskKey(prefix: string): string {
  return `${prefix}:{desk}`;
}
