import type { CardPlace } from '../../domain/call.ts';
import { DamagedRecordError, type OnDamaged } from '../../domain/damage.ts';
import type { Outbox } from '../../domain/store.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { readDocument, readIntact, readRecord } from '../read-record.ts';
import { deskScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readList, readMaybe, readText, readTexts } from './read-reply.ts';
import type { Reply } from './redis-line.ts';
import type { RedisLink } from './redis-link.ts';

const ADD = deskScript(`
if ARGV[2]~='' then
  local stale=assertFence(ARGV[2],ARGV[3])
  if stale then return stale end
end
carryOut(ARGV[1])`);

const UNSAID = readScript(`
local ids=redis.call('ZRANGE',P..':unsaid:'..ARGV[1],0,-1)
local out={}
for _,id in ipairs(ids) do out[#out+1]={id,redis.call('HGET',P..':says',id)} end
return out`);

const MARK = deskScript(`
local thread=redis.call('HGET',P..':say-threads',ARGV[1])
if not thread then return 0 end
redis.call('HDEL',P..':says',ARGV[1])
redis.call('HDEL',P..':say-threads',ARGV[1])
redis.call('ZREM',P..':unsaid:'..thread,ARGV[1])
return 1`);

const UNSAID_THREADS = deskScript(`return redis.call('HVALS',P..':say-threads')`);

const PLACE_LIVE = deskScript(`
if ARGV[2]=='' then return redis.call('HDEL',P..':lives',ARGV[1]) end
return redis.call('HSET',P..':lives',ARGV[1],ARGV[2])`);

const LIVE = readScript(`return redis.call('HGET',P..':lives',ARGV[1])`);

/** Creates the outbox of a desk on Redis. */
export function createRedisOutbox(link: RedisLink, desk: string, onDamaged: OnDamaged): Outbox {
  return {
    async add(says, wakes, fence) {
      const bearer = fence ? [fence.thread, String(fence.token)] : ['', ''];
      await link.run(ADD, desk, [encodeEffects({ says, wakes }), ...bearer]);
    },
    async unsaid(thread) {
      const rows = readList(await link.run(UNSAID, desk, [thread]));
      const read = (row: Reply) => {
        const [id, document] = readList(row);
        const record = { kind: 'say', id: readText(id), thread } as const;
        const stored = readMaybe(document);
        if (stored === undefined) throw new DamagedRecordError('its document is gone', { record });
        return readRecord('say', stored, record);
      };
      return readIntact(rows, read, onDamaged);
    },
    async markSaid(id) {
      await link.run(MARK, desk, [id]);
    },
    async unsaidThreads() {
      const threads = readTexts(await link.run(UNSAID_THREADS, desk, []));
      return [...new Set(threads as ThreadKey[])].sort();
    },
    async placeLive(thread, place) {
      await link.run(PLACE_LIVE, desk, [thread, place ? JSON.stringify(place) : '']);
    },
    async liveOf(thread) {
      const text = readMaybe(await link.run(LIVE, desk, [thread]));
      return text === undefined
        ? undefined
        : readDocument<CardPlace>(text, { kind: 'live', id: thread, thread });
    },
  };
}
