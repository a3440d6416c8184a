import type { Call } from '../../domain/call.ts';
import { DamagedRecordError, type OnDamaged } from '../../domain/damage.ts';
import type { History, UntouchedThread } from '../../domain/store.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { readCall } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readRow } from './read-call-row.ts';
import { readList, readTexts } from './read-reply.ts';
import { FORGET_DECIDED } from './redis-decided.ts';
import type { RedisLink } from './redis-link.ts';

/** For scripts of the desk: notes when something happened in a thread; child threads count with theirs. */
export const TOUCH = `
local function touch(thread,at)
  redis.call('ZADD',P..':touches','GT',at,string.match(thread,'^[^/]*/[^/]*/[^/]*') or thread)
end`;

const UNTOUCHED = readScript(
  `return redis.call('ZRANGEBYSCORE',P..':touches','-inf','('..ARGV[1],'WITHSCORES','LIMIT',ARGV[2],ARGV[3])`,
);

const CALLS_OF = readScript(`
local out={}
for _,id in ipairs(redis.call('ZRANGE',P..':calls-of:'..ARGV[1],0,-1)) do
  out[#out+1]={id,redis.call('HGET',P..':calls',id),0,redis.call('HGET',P..':call-revisions',id) or '0'}
end
return out`);

const TURNS_OF = readScript(`
local count=0
for _,thread in ipairs(ARGV) do count=count+redis.call('LLEN',P..':turns:'..thread) end
return count`);

/** For scripts of the desk: removes the call whose id, key, turn's list, index by requester and tool, requester, and key of a program, if any, stand in ARGV from `i` on. */
export const DROP_CALL = `${FORGET_DECIDED}
local function isOpen(id)
  for _,status in ipairs({'proposed','pending','approved','running','unknown'}) do
    if redis.call('ZSCORE',P..':calls-in:'..status,id) then return true end
  end
end
local function dropCall(i)
  local id=ARGV[i]
  for _,name in ipairs({'calls','call-revisions','call-seqs','cards'}) do
    redis.call('HDEL',P..':'..name,id)
  end
  for _,status in ipairs({'succeeded','failed','replied','ignored','expired','withdrawn','refused'}) do
    redis.call('ZREM',P..':calls-in:'..status,id)
  end
  redis.call('SREM',P..':delivered',id)
  forgetDecided(id)
  redis.call('DEL',P..':sides:'..id)
  redis.call('HDEL',P..':call-keys',ARGV[i+1])
  redis.call('DEL',P..':calls-of:'..ARGV[i+2])
  redis.call('ZREM',P..':calls-by:'..ARGV[i+3],id)
  redis.call('SREM',P..':pending-of:'..ARGV[i+4],id)
  redis.call('ZREM',P..':over-of:'..ARGV[i+4],id)
  redis.call('ZREM',P..':calls-by-seq',id)
  redis.call('ZREM',P..':calls-of-key:'..ARGV[i+5],id)
  redis.call('ZREM',P..':over-in-channels',id)
end`;

/**
 * ARGV: the thread, when it was touched, effects, how many threads, these, then of each call what
 * tells where it stands. What that is can't have changed while the time is the same.
 */
const REMOVE = onceScript(`${DROP_CALL}
local own,count=ARGV[1],tonumber(ARGV[4])
if redis.call('ZSCORE',P..':touches',own)~=ARGV[2] then return 0 end
for i=5,4+count do
  if redis.call('HEXISTS',P..':busy',ARGV[i])==1 then return 0 end
end
for i=5+count,#ARGV-6,6 do
  if isOpen(ARGV[i]) then return 0 end
end
for i=5+count,#ARGV-6,6 do dropCall(i) end
for i=5,4+count do
  local thread=ARGV[i]
  for _,name in ipairs({'calls-of','turns','turn-ids','turn-records','ratings','rating-order'}) do
    redis.call('DEL',P..':'..name..':'..thread)
  end
  redis.call('ZREM',P..':turn-threads',thread)
  redis.call('HDEL',P..':lives',thread)
  for _,say in ipairs(redis.call('ZRANGE',P..':unsaid:'..thread,0,-1)) do
    redis.call('HDEL',P..':says',say)
    redis.call('HDEL',P..':say-threads',say)
  end
  redis.call('DEL',P..':unsaid:'..thread)
end
redis.call('ZREM',P..':touches',own)
carryOut(ARGV[3])
return 1`);

/** Creates what looks for untouched threads, and removes what is kept of them, for a desk on Redis. */
export function createRedisUntouched(
  link: RedisLink,
  desk: string,
  onDamaged: OnDamaged,
): Pick<History, 'untouched' | 'remove'> {
  async function callsOf(thread: ThreadKey): Promise<readonly Call[]> {
    return readList(await link.run(CALLS_OF, desk, [thread])).map((row) => readCall(readRow(row)));
  }

  /** A thread and its child threads: each hangs on a call of the one above it. */
  async function familyOf(thread: ThreadKey) {
    const threads = [thread];
    const calls: Call[] = [];
    for (const each of threads) {
      const found = await callsOf(each);
      calls.push(...found);
      threads.push(...found.flatMap(({ child }) => child ?? []));
    }
    return { threads, calls };
  }

  async function measure(thread: ThreadKey, touchedAt: number): Promise<UntouchedThread> {
    const family = await familyOf(thread).catch((error: unknown) => {
      if (!(error instanceof DamagedRecordError)) throw error;
      onDamaged(error);
    });
    // It can't be removed, and must not hold up the others.
    if (!family) return { thread, touchedAt, turns: 0, calls: 0 };
    const { calls, threads } = family;
    const turns = Number(await link.run(TURNS_OF, desk, threads));
    return { thread, touchedAt, turns, calls: calls.length };
  }

  return {
    async untouched(before, { limit, skip }) {
      const args = [String(before), String(skip), String(limit)];
      const rows = readTexts(await link.run(UNTOUCHED, desk, args));
      const found: UntouchedThread[] = [];
      for (let i = 0; i < rows.length; i += 2) {
        found.push(await measure(rows[i] as ThreadKey, Number(rows[i + 1])));
      }
      return found;
    },
    async remove({ thread, touchedAt }, effects) {
      const { calls, threads } = await familyOf(thread);
      const ofCalls = calls.flatMap(placesOf);
      const head = [thread, String(touchedAt), encodeEffects(effects), String(threads.length)];
      return (await link.run(REMOVE, desk, [...head, ...threads, ...ofCalls])) === 1;
    },
  };
}

/** Where a call stands in the desk's keys, as the scripts that remove it read it. */
export function placesOf(call: Call): readonly string[] {
  const { id, messageId, outside, requester, thread, tool, toolCallId, turn } = call;
  const name = `${requester.team}/${requester.user}`;
  const key = JSON.stringify([thread, messageId, toolCallId]);
  return [id, key, `${thread}|${turn}`, `${name}|${tool}`, name, outside?.key ?? ''];
}
