import { type AdminRoutes, NO_ADMIN_ROUTES } from '../../domain/admin-routes.ts';
import type { RouteBook } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readMaybe } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const READ = readScript(`return redis.call('HGET',P..':routes','document')`);

const WRITE = onceScript(`
local before=redis.call('HGET',P..':routes','revision') or '0'
if before~=ARGV[1] then return 0 end
redis.call('HSET',P..':routes','revision',ARGV[2],'document',ARGV[3])
carryOut(ARGV[4])
return 1`);

/** Creates the book of routes that are set in Slack, for a desk on Redis. */
export function createRedisRoutes(link: RedisLink, desk: string): RouteBook {
  return {
    async read() {
      const text = readMaybe(await link.run(READ, desk, []));
      return text === undefined
        ? NO_ADMIN_ROUTES
        : readDocument<AdminRoutes>(text, { kind: 'routes', id: '' });
    },
    async write(book, effects) {
      const { revision } = book;
      const args = [String(revision - 1), String(revision), JSON.stringify(book)];
      return (await link.run(WRITE, desk, [...args, encodeEffects(effects)])) === 1;
    },
  };
}
