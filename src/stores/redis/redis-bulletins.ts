import { type Bulletins, bulletinId, type Welcome } from '../../domain/bulletin.ts';
import type { CardPlace } from '../../domain/call.ts';
import { joinCalled, splitCalled } from '../called-names.ts';
import { readDocument } from '../read-record.ts';
import { deskScript, onceScript, readScript } from './desk-scripts.ts';
import { readList, readMaybe, readText, readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

/** An arrival is kept as its bulletin and those whom it may call, with a bar between; its key is the call and the occasion. */
const ARRIVE = deskScript(`
local channel,call,occasion,at,calls,id=ARGV[1],ARGV[2],ARGV[3],ARGV[4],ARGV[5],ARGV[6]
local over,window,life=tonumber(ARGV[7]),tonumber(ARGV[8]),tonumber(ARGV[9])
local recent,now,key=P..':arrived:'..channel,tonumber(at),call..' '..occasion
local function fieldOf(each) return channel..' '..each end
local known=redis.call('HGET',P..':arrivals',fieldOf(key))
if known then return known end
redis.call('ZREMRANGEBYSCORE',recent,'-inf',now-window)
local crowd=redis.call('ZCARD',recent)
redis.call('ZADD',recent,at,key)
redis.call('SADD',P..':arrivals-of:'..call,fieldOf(key))
local function keep(bulletin,those)
  local answer=bulletin..'|'..those
  redis.call('HSET',P..':arrivals',fieldOf(key),answer)
  return answer
end
if crowd<over then return keep('',calls) end
local function bulletinOf(name) return P..':bulletin:'..name end
local function waitIn(name,each)
  return redis.call('SADD',P..':bulletin-waits:'..name,string.match(each,'^%S+'))
end
local open=redis.call('HGET',P..':bulletins-open',channel)
local facts=open and redis.call('HMGET',bulletinOf(open),'last','opened','called')
if facts and facts[1] and tonumber(facts[1])>now-window and tonumber(facts[2])>now-life then
  local called,fresh=facts[3],{}
  for each in string.gmatch(calls,'%S+') do
    if not string.find(' '..called..' ',' '..each..' ',1,true) then fresh[#fresh+1]=each end
  end
  local those=table.concat(fresh,' ')
  redis.call('HSET',bulletinOf(open),'last',at,'called',called..' '..those)
  redis.call('HINCRBY',bulletinOf(open),'total',1)
  waitIn(open,key)
  return keep(open,those)
end
local total,since=0,at
for _,each in ipairs(redis.call('ZRANGE',recent,0,-1)) do
  local its=redis.call('HGET',P..':arrivals',fieldOf(each))
  if each==key or (its and string.sub(its,1,1)=='|') then
    if total==0 then since=redis.call('ZSCORE',recent,each) end
    total=total+waitIn(id,each)
    if its then redis.call('HSET',P..':arrivals',fieldOf(each),id..its) end
  end
end
redis.call('HSET',bulletinOf(id),'channel',channel,'since',since,'opened',at,'last',at,'total',total,'opener',calls,'called',calls)
redis.call('HSET',P..':bulletins-open',channel,id)
return keep(id,'')`);

const LEAVE = onceScript(`
local out,told={},{}
local of=P..':arrivals-of:'..ARGV[1]
for _,field in ipairs(redis.call('SMEMBERS',of)) do
  if string.match(field,'^%S+')~=ARGV[2] then
    local its=redis.call('HGET',P..':arrivals',field)
    local bulletin=its and string.match(its,'^([^|]+)|')
    redis.call('HDEL',P..':arrivals',field)
    redis.call('SREM',of,field)
    if bulletin and not told[bulletin] then
      told[bulletin]=true
      redis.call('SREM',P..':bulletin-waits:'..bulletin,ARGV[1])
      out[#out+1]=bulletin
    end
  end
end
return out`);

const READ = readScript(`
local facts=redis.call('HMGET',P..':bulletin:'..ARGV[1],'channel','since','total','opener','place')
if not facts[1] then return false end
facts[6]=redis.call('SCARD',P..':bulletin-waits:'..ARGV[1])
return facts`);

const CALLS_OF = readScript(`
local found,out={},{}
for _,id in ipairs(redis.call('SMEMBERS',P..':bulletin-waits:'..ARGV[1])) do
  found[#found+1]={tonumber(redis.call('HGET',P..':call-seqs',id) or '0'),id}
end
table.sort(found,function(a,b) return a[1]<b[1] or (a[1]==b[1] and a[2]<b[2]) end)
for i=1,math.min(tonumber(ARGV[2]),#found) do out[i]=found[i][2] end
return out`);

const PLACE = deskScript(`
local bulletin=P..':bulletin:'..ARGV[1]
if redis.call('EXISTS',bulletin)==1 then redis.call('HSET',bulletin,'place',ARGV[2]) end
return 1`);

const FORGET = deskScript(`
if redis.call('SCARD',P..':bulletin-waits:'..ARGV[1])>0 then return 0 end
local channel=redis.call('HGET',P..':bulletin:'..ARGV[1],'channel')
if channel and redis.call('HGET',P..':bulletins-open',channel)==ARGV[1] then
  redis.call('HDEL',P..':bulletins-open',channel)
end
redis.call('DEL',P..':bulletin:'..ARGV[1],P..':bulletin-waits:'..ARGV[1])
return 1`);

/** Creates the bulletins of a desk on Redis. */
export function createRedisBulletins(link: RedisLink, desk: string): Bulletins {
  return {
    async arrive(arrival, { over, windowMs, lifeMs }) {
      const { at, callId, calls, channel, occasion = '' } = arrival;
      const key = [channel, callId, encodeURIComponent(occasion)];
      const head = [...key, String(at), joinCalled(calls), bulletinId(arrival)];
      const crowding = [over, windowMs, lifeMs].map(String);
      return readWelcome(readText(await link.run(ARRIVE, desk, [...head, ...crowding])));
    },
    async leave(callId, except = '') {
      return readTexts(await link.run(LEAVE, desk, [callId, except]));
    },
    async read(id) {
      const reply = await link.run(READ, desk, [id]);
      if (reply === null) return undefined;
      const [channel, since, total, opener, stands, waiting] = readList(reply);
      const place = readMaybe(stands);
      return {
        id,
        channel: readText(channel),
        since: Number(readText(since)),
        total: Number(readText(total)),
        waiting: Number(waiting),
        calls: splitCalled(readText(opener)),
        ...(place !== undefined && {
          place: readDocument<CardPlace>(place, { kind: 'bulletin', id }),
        }),
      };
    },
    async callsOf(id, limit) {
      return readTexts(await link.run(CALLS_OF, desk, [id, String(limit)]));
    },
    async place(id, { channel, ts }) {
      await link.run(PLACE, desk, [id, JSON.stringify({ channel, ts })]);
    },
    async forget(id) {
      return (await link.run(FORGET, desk, [id])) === 1;
    },
  };
}

function readWelcome(text: string): Welcome {
  const [bulletin = '', calls = ''] = text.split('|');
  return { calls: splitCalled(calls), ...(bulletin !== '' && { bulletin }) };
}
