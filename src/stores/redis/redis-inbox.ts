import { DamagedRecordError, type OnDamaged } from '../../domain/damage.ts';
import type { InboxMessage } from '../../domain/message.ts';
import type { Inbox } from '../../domain/store.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { checkRecord, readDocument, readIntact } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readList, readMaybe, readText, readTexts } from './read-reply.ts';
import type { Reply } from './redis-line.ts';
import type { RedisLink } from './redis-link.ts';
import { TOUCH } from './redis-untouched.ts';

const RECEIVE = onceScript(`${TOUCH}
local id,thread=ARGV[1],ARGV[2]
if redis.call('HSETNX',P..':message-states',id,'waiting')==0 then return 0 end
redis.call('HSET',P..':messages',id,ARGV[3])
redis.call('HSET',P..':message-threads',id,thread)
redis.call('SADD',P..':waiting:'..thread,id)
redis.call('HINCRBY',P..':busy',thread,1)
redis.call('SADD',P..':threads',thread)
touch(thread,ARGV[5])
carryOut(ARGV[4])
return 1`);

const KNOWS = readScript(`return redis.call('SISMEMBER',P..':threads',ARGV[1])`);

const RECEIVED = readScript(`
local out={}
for _,id in ipairs(ARGV) do
  if redis.call('HEXISTS',P..':message-states',id)==1 then out[#out+1]=id end
end
return out`);

const SHOW = `
local function show(id)
  return {id,redis.call('HGET',P..':messages',id),redis.call('HGET',P..':message-stops',id),redis.call('HGET',P..':message-threads',id)}
end
local out={}`;

const CURRENT = readScript(`${SHOW}
local id=redis.call('HGET',P..':current',ARGV[1])
if id then out[1]=show(id) end
return out`);

const WAITING = readScript(`${SHOW}
for _,id in ipairs(redis.call('SMEMBERS',P..':waiting:'..ARGV[1])) do out[#out+1]=show(id) end
return out`);

const ONGOING = readScript(`${SHOW}
local all=redis.call('HGETALL',P..':current')
for i=1,#all,2 do
  if string.sub(all[i],1,#ARGV[1])==ARGV[1] then out[#out+1]=show(all[i+1]) end
end
return out`);

const BUSY = readScript(`return redis.call('HKEYS',P..':busy')`);

const STOP = onceScript(`
local id=ARGV[1]
if redis.call('HGET',P..':message-states',id)~='current' then return 0 end
if redis.call('HSETNX',P..':message-stops',id,ARGV[2])==0 then return 0 end
carryOut(ARGV[3])
return 1`);

const BEGIN = onceScript(`
local id,thread=ARGV[1],ARGV[2]
local stale=assertFence(thread,ARGV[3])
if stale then return stale end
if redis.call('SISMEMBER',P..':waiting:'..thread,id)==0 then return 0 end
if redis.call('HSETNX',P..':current',thread,id)==0 then return 0 end
redis.call('SREM',P..':waiting:'..thread,id)
redis.call('HSET',P..':message-states',id,'current')
carryOut(ARGV[4])
return 1`);

const END = onceScript(`
local id,thread=ARGV[1],ARGV[2]
local stale=assertFence(thread,ARGV[3])
if stale then return stale end
if redis.call('HGET',P..':message-threads',id)~=thread then return 0 end
if not endMessage(id,ARGV[4]) then return 0 end
carryOut(ARGV[5])
return 1`);

/** Creates the inbox of a desk on Redis. */
export function createRedisInbox(link: RedisLink, desk: string, onDamaged: OnDamaged): Inbox {
  const readMessages = (reply: Reply) => readIntact(readList(reply), readMessage, onDamaged);

  return {
    async receive(message, effects) {
      const { id, thread } = message;
      const head = [id, thread, JSON.stringify(message)];
      const args = [...head, encodeEffects(effects), String(message.receivedAt)];
      return (await link.run(RECEIVE, desk, args)) === 1 ? 'new' : 'known';
    },
    async knows(thread) {
      return (await link.run(KNOWS, desk, [thread])) === 1;
    },
    async received(ids) {
      return new Set(readTexts(await link.run(RECEIVED, desk, ids)));
    },
    async current(thread) {
      const [current] = readList(await link.run(CURRENT, desk, [thread]));
      return current === undefined ? undefined : readMessage(current);
    },
    async waiting(thread) {
      return readMessages(await link.run(WAITING, desk, [thread])).toSorted(byTime);
    },
    async ongoing({ team, channel }) {
      const prefix = channel === undefined ? `${team}/` : `${team}/${channel}/`;
      const found = readMessages(await link.run(ONGOING, desk, [prefix]));
      return found.toSorted((a, b) => compareTexts(a.thread, b.thread));
    },
    async busyThreads() {
      const threads = readTexts(await link.run(BUSY, desk, []));
      return threads.toSorted(compareTexts) as ThreadKey[];
    },
    async stop(id, by, at, effects) {
      const args = [id, JSON.stringify({ by, at }), encodeEffects(effects)];
      return (await link.run(STOP, desk, args)) === 1;
    },
    async begin(id, effects, fence) {
      const args = [id, fence.thread, String(fence.token), encodeEffects(effects)];
      return (await link.run(BEGIN, desk, args)) === 1;
    },
    async end(id, how, effects, fence) {
      const args = [id, fence.thread, String(fence.token), how, encodeEffects(effects)];
      return (await link.run(END, desk, args)) === 1;
    },
  };
}

function readMessage(row: Reply): InboxMessage {
  const [id, document, stop, thread] = readList(row);
  const ofThread = readMaybe(thread);
  const record = {
    kind: 'message',
    id: readText(id),
    ...(ofThread !== undefined && { thread: ofThread as ThreadKey }),
  } as const;
  const stored = readMaybe(document);
  if (stored === undefined) throw new DamagedRecordError('its document is gone', { record });
  const stopped = readMaybe(stop);
  const message = {
    ...readDocument<InboxMessage>(stored, record),
    ...(stopped !== undefined && {
      stopped: readDocument<InboxMessage['stopped']>(stopped, record),
    }),
  };
  return checkRecord('message', message, record);
}

/** Seconds may differ in length, their six decimals do not. */
function byTime(a: InboxMessage, b: InboxMessage): number {
  return Number.parseInt(a.ts, 10) - Number.parseInt(b.ts, 10) || compareTexts(a.ts, b.ts);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
