/** Who has decided on which calls: for each person an index by time, and for each call who they are. */
import type { Call } from '../../domain/call.ts';
import { decidedBetween } from '../../domain/decided-by.ts';
import { readScript } from './desk-scripts.ts';
import { SHOW } from './read-call-row.ts';

/** For scripts of the desk that write the call `id`: notes who has decided, which `ARGV[16]` tells. */
export const NOTE_DECIDED = `
for _,each in ipairs(cjson.decode(ARGV[16])) do
  redis.call('ZADD',P..':decided-by:'..each[1],each[2],id)
  redis.call('SADD',P..':deciders-of:'..id,each[1])
end`;

/** For scripts of the desk: forgets who has decided on a call that is removed. */
export const FORGET_DECIDED = `
local function forgetDecided(id)
  for _,who in ipairs(redis.call('SMEMBERS',P..':deciders-of:'..id)) do
    redis.call('ZREM',P..':decided-by:'..who,id)
  end
  redis.call('DEL',P..':deciders-of:'..id)
end`;

/** ARGV: the person, since when, the call after which the page begins, and how many. */
export const DECIDED_BY = readScript(`${SHOW}
local key=P..':decided-by:'..ARGV[1]
local rank=redis.call('ZREVRANK',key,ARGV[3])
local from=rank and rank+1 or 0
return showAll(redis.call('ZREVRANGEBYSCORE',key,'+inf',ARGV[2],'LIMIT',from,ARGV[4]))`);

/** Writes who has decided between two revisions, as `NOTE_DECIDED` reads it. */
export function encodeDecided(before: Call, after: Call): string {
  const all = decidedBetween(before, after);
  return JSON.stringify(all.map(({ by, at }) => [`${by.team}/${by.user}`, String(at)]));
}
