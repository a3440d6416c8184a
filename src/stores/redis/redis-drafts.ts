import type { Clock } from '../../domain/clock.ts';
import type { Drafts } from '../../domain/store.ts';
import { deskScript, readScript } from './desk-scripts.ts';
import { readMaybe } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const KEEP = deskScript(`
local ends=P..':draft-ends'
for _,id in ipairs(redis.call('ZRANGEBYSCORE',ends,'-inf',ARGV[4])) do
  redis.call('HDEL',P..':drafts',id)
end
redis.call('ZREMRANGEBYSCORE',ends,'-inf',ARGV[4])
redis.call('HSET',P..':drafts',ARGV[1],ARGV[2])
redis.call('ZADD',ends,ARGV[3],ARGV[1])
return 1`);

const READ = readScript(`
local ends=redis.call('ZSCORE',P..':draft-ends',ARGV[1])
if not ends or tonumber(ends)<=tonumber(ARGV[2]) then return false end
return redis.call('HGET',P..':drafts',ARGV[1])`);

const DROP = deskScript(`
redis.call('ZREM',P..':draft-ends',ARGV[1])
return redis.call('HDEL',P..':drafts',ARGV[1])`);

/** Creates the store of what was typed and not sent, for a desk on Redis. */
export function createRedisDrafts(link: RedisLink, desk: string, clock: Clock): Drafts {
  return {
    async keep(id, text, until) {
      await link.run(KEEP, desk, [id, text, String(until), String(clock.now())]);
    },
    async read(id) {
      return readMaybe(await link.run(READ, desk, [id, String(clock.now())]));
    },
    async drop(id) {
      await link.run(DROP, desk, [id]);
    },
  };
}
