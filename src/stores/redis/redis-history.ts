import type { OnDamaged } from '../../domain/damage.ts';
import type { Rating } from '../../domain/message.ts';
import type { History } from '../../domain/store.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { readDocument, readIntact, readRecord } from '../read-record.ts';
import { deskScript, onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';
import { createRedisOldCalls } from './redis-old-calls.ts';
import { createRedisUntouched, TOUCH } from './redis-untouched.ts';

const APPEND = deskScript(`${TOUCH}
local thread,id=ARGV[1],ARGV[2]
local stale=assertFence(thread,ARGV[3])
if stale then return stale end
touch(thread,ARGV[6])
if redis.call('SADD',P..':turn-ids:'..thread,id)==0 then return 0 end
redis.call('LPUSH',P..':turns:'..thread,ARGV[4])
redis.call('ZADD',P..':turn-threads',0,thread)
redis.call('DEL',P..':turn-records:'..thread)
carryOut(ARGV[5])
return 1`);

const NEWEST = readScript(`return redis.call('LRANGE',P..':turns:'..ARGV[1],ARGV[2],ARGV[3])`);

const HAS = readScript(`return redis.call('SISMEMBER',P..':turn-ids:'..ARGV[1],ARGV[2])`);

const RATE = onceScript(`
local thread,turn,rater=ARGV[1],ARGV[2],ARGV[3]
if redis.call('SISMEMBER',P..':turn-ids:'..thread,turn)==0 then return 0 end
local order=P..':rating-order:'..thread
local field=cjson.encode({turn,rater})
if not redis.call('ZSCORE',order,field) then
  redis.call('ZADD',order,redis.call('INCR',P..':rating-seq'),field)
end
redis.call('HSET',P..':ratings:'..thread,field,ARGV[4])
carryOut(ARGV[5])
return 1`);

const RATINGS = readScript(`
local out={}
for _,field in ipairs(redis.call('ZRANGE',P..':rating-order:'..ARGV[1],0,-1)) do
  if cjson.decode(field)[1]==ARGV[2] then
    out[#out+1]=redis.call('HGET',P..':ratings:'..ARGV[1],field)
  end
end
return out`);

const CLEAR = onceScript(`
local own=ARGV[1]
local threads=redis.call('ZRANGEBYLEX',P..':turn-threads','['..own..'/','('..own..'0')
threads[#threads+1]=own
local count=0
for _,thread in ipairs(threads) do
  count=count+redis.call('LLEN',P..':turns:'..thread)
  for _,name in ipairs({'turns','turn-ids','ratings','rating-order'}) do
    redis.call('DEL',P..':'..name..':'..thread)
  end
  redis.call('ZREM',P..':turn-threads',thread)
end
carryOut(ARGV[2])
return count`);

/** Creates the history of a desk on Redis. */
export function createRedisHistory(link: RedisLink, desk: string, onDamaged: OnDamaged): History {
  return {
    ...createRedisUntouched(link, desk, onDamaged),
    ...createRedisOldCalls(link, desk, onDamaged),
    async append(thread, turn, effects, fence) {
      assertOwnThread(thread, fence);
      const token = String(fence.token);
      const head = [thread, turn.id, token, JSON.stringify(turn)];
      const args = [...head, encodeEffects(effects), String(turn.settledAt)];
      await link.run(APPEND, desk, args);
    },
    async newest(thread, limit, skip) {
      if (limit <= 0) return [];
      const args = [thread, String(skip), String(skip + limit - 1)];
      const texts = readTexts(await link.run(NEWEST, desk, args));
      const record = { kind: 'history', id: thread, thread } as const;
      return readIntact(texts, (text) => readRecord('turn', text, record), onDamaged);
    },
    async has(thread, turnId) {
      return (await link.run(HAS, desk, [thread, turnId])) === 1;
    },
    async rate(thread, turnId, rating, effects) {
      const rater = `${rating.by.team}/${rating.by.user}`;
      const args = [thread, turnId, rater, JSON.stringify(rating), encodeEffects(effects)];
      return (await link.run(RATE, desk, args)) === 1;
    },
    async ratings(thread, turnId) {
      const texts = readTexts(await link.run(RATINGS, desk, [thread, turnId]));
      const record = { kind: 'history', id: thread, thread } as const;
      return readIntact(texts, (text) => readDocument<Rating>(text, record), onDamaged);
    },
    async clear(thread, effects) {
      return Number(await link.run(CLEAR, desk, [thread, encodeEffects(effects)]));
    },
  };
}
