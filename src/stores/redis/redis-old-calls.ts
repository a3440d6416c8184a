import type { OnDamaged } from '../../domain/damage.ts';
import type { History } from '../../domain/store.ts';
import { readCall, readIntact } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readRow } from './read-call-row.ts';
import { readList } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';
import { DROP_CALL, placesOf } from './redis-untouched.ts';

/** What is old by the clock of its end, in the order in which the calls were made. */
const OLD = readScript(`
local found={}
for _,id in ipairs(redis.call('ZRANGEBYSCORE',P..':over-in-channels','-inf','('..ARGV[1],'LIMIT',0,ARGV[2])) do
  local document=redis.call('HGET',P..':calls',id)
  found[#found+1]={id,document,redis.call('SISMEMBER',P..':delivered',id),redis.call('HGET',P..':call-revisions',id) or '0'}
end
return found`);

/** ARGV: effects, then of each call its six places and its thread; what is sent once has its mark at the end. */
const REMOVE_CALLS = onceScript(`${DROP_CALL}
for i=2,#ARGV-7,7 do
  if redis.call('HEXISTS',P..':calls',ARGV[i])==0 or isOpen(ARGV[i]) then return 0 end
end
for i=2,#ARGV-7,7 do
  dropCall(i)
  redis.call('ZREM',P..':calls-of:'..ARGV[i+6],ARGV[i])
end
carryOut(ARGV[1])
return 1`);

/** Creates what looks for old calls of channels, and removes them, for a desk on Redis. */
export function createRedisOldCalls(
  link: RedisLink,
  desk: string,
  onDamaged: OnDamaged,
): Pick<History, 'oldInChannels' | 'removeCalls'> {
  return {
    async oldInChannels(before, limit) {
      const found = readList(await link.run(OLD, desk, [String(before), String(limit)]));
      return readIntact(found.map(readRow), readCall, onDamaged);
    },
    async removeCalls(calls, effects) {
      const places = calls.flatMap((call) => [...placesOf(call), call.thread]);
      return (await link.run(REMOVE_CALLS, desk, [encodeEffects(effects), ...places])) === 1;
    },
  };
}
