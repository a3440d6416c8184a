import type { Agenda, Lease } from '../../domain/agenda.ts';
import { decodeAgendaKey, encodeAgendaKey } from '../agenda-key.ts';
import { deskScript, onceScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readList, readText, readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const WAKE = deskScript('carryOut(ARGV[1])');

/** A fence is no less than the time: after a crash that took the newest of them, none is given to another worker that somebody alive still bears. */
const CLAIM = onceScript(`
local out={}
local last=math.max(num(redis.call('GET',P..':fence')),tonumber(ARGV[1])-1)
for _,key in ipairs(redis.call('ZRANGEBYSCORE',READY,'-inf',ARGV[1],'LIMIT',0,ARGV[3])) do
  local found=redis.call('HMGET',entry(key),'due','until','tries','deaths')
  last=last+1
  local fence=string.format('%.0f',last)
  redis.call('SET',P..':fence',fence)
  local died=found[2] and 1 or 0
  local tries,deaths=num(found[3])+died,num(found[4])+died
  redis.call('HSET',entry(key),'fence',fence,'until',ARGV[2],'tries',tries)
  if deaths>0 then redis.call('HSET',entry(key),'deaths',deaths) end
  if found[1] and num(found[1])<=tonumber(ARGV[1]) then redis.call('HDEL',entry(key),'due') end
  redis.call('ZADD',READY,ARGV[2],key)
  out[#out+1]={key,fence,tostring(tries),tostring(deaths)}
end
return out`);

/** Whether the bearer still has the key; `due` is what it was woken for meanwhile. */
const HELD = `
local key=ARGV[1]
local held=redis.call('HMGET',entry(key),'fence','until','due','tries')
if held[1]~=ARGV[2] or not held[2] then return 0 end
local due=held[3]
local function rest()
  redis.call('HDEL',entry(key),'until','deaths')
  if due then redis.call('ZADD',READY,num(due),key) else redis.call('ZREM',READY,key) end
end`;

const RENEW = deskScript(`${HELD}
redis.call('HSET',entry(key),'until',ARGV[3])
redis.call('ZADD',READY,ARGV[3],key)
return 1`);

const FINISH = deskScript(`${HELD}
rest()
redis.call('HDEL',entry(key),'tries','reason')
-- A thread's newest fence is kept; of other keys nothing is needed any more.
if not due and string.sub(key,1,5)~='pump:' then redis.call('DEL',entry(key)) end
return 1`);

const BACK_OFF = deskScript(`${HELD}
if not due or tonumber(ARGV[3])<num(due) then due=ARGV[3] end
rest()
redis.call('HSET',entry(key),'due',due,'reason',ARGV[4])
redis.call('HINCRBY',entry(key),'tries',1)
return 1`);

const POSTPONE = deskScript(`${HELD}
if not due or tonumber(ARGV[3])<num(due) then due=ARGV[3] end
rest()
redis.call('HSET',entry(key),'due',due)
return 1`);

const PARK = deskScript(`${HELD}
rest()
redis.call('HSET',entry(key),'reason',ARGV[4])
if due then
  redis.call('HDEL',entry(key),'tries')
else
  redis.call('HINCRBY',entry(key),'tries',1)
  redis.call('HSET',entry(key),'parked',ARGV[3])
  redis.call('ZADD',P..':agenda-parked',ARGV[3],key)
end
return 1`);

const NEXT = deskScript(`return redis.call('ZRANGE',READY,0,0,'WITHSCORES')`);

const PARKED = deskScript(`
local out={}
for _,key in ipairs(redis.call('ZRANGE',P..':agenda-parked',0,-1)) do
  local found=redis.call('HMGET',entry(key),'reason','parked')
  out[#out+1]={key,found[1],found[2]}
end
return out`);

const UNPLANNED = deskScript(`
local out={}
for _,key in ipairs(ARGV) do
  local found=redis.call('HMGET',entry(key),'due','until','parked')
  out[#out+1]=(found[1] or found[2] or found[3]) and 0 or 1
end
return out`);

/** Creates the agenda of a desk on Redis. */
export function createRedisAgenda(link: RedisLink, desk: string): Agenda {
  const bearer = ({ key, fence }: Lease) => [encodeAgendaKey(key), String(fence)];
  return {
    async wake(wakes) {
      await link.run(WAKE, desk, [encodeEffects({ wakes })]);
    },
    async claim(now, leaseMs, most) {
      const expiresAt = now + leaseMs;
      const rows = await link.run(CLAIM, desk, [String(now), String(expiresAt), String(most)]);
      return readList(rows).map((row) => {
        const [key = '', fence, tries, deaths] = readTexts(row);
        const counts = { tries: Number(tries), deaths: Number(deaths) };
        return { key: decodeAgendaKey(key), fence: Number(fence), expiresAt, ...counts };
      });
    },
    async renew(lease, now, leaseMs) {
      const expiresAt = now + leaseMs;
      const reply = await link.run(RENEW, desk, [...bearer(lease), String(expiresAt)]);
      return reply === 1 ? { ...lease, expiresAt } : undefined;
    },
    async finish(lease) {
      await link.run(FINISH, desk, bearer(lease));
    },
    async backOff(lease, dueAt, reason) {
      await link.run(BACK_OFF, desk, [...bearer(lease), String(dueAt), reason]);
    },
    async postpone(lease, dueAt) {
      await link.run(POSTPONE, desk, [...bearer(lease), String(dueAt)]);
    },
    async park(lease, now, reason) {
      await link.run(PARK, desk, [...bearer(lease), String(now), reason]);
    },
    async nextDueAt() {
      const [, at] = readTexts(await link.run(NEXT, desk, []));
      return at === undefined ? undefined : Number(at);
    },
    async parked() {
      const rows = readList(await link.run(PARKED, desk, []));
      return rows.map((row) => {
        const [key, reason, at] = readList(row);
        return {
          key: decodeAgendaKey(readText(key)),
          reason: readText(reason),
          at: Number(readText(at)),
        };
      });
    },
    async unplanned(keys) {
      if (keys.length === 0) return [];
      const flags = readList(await link.run(UNPLANNED, desk, keys.map(encodeAgendaKey)));
      return keys.filter((_key, index) => flags[index] === 1);
    },
  };
}
