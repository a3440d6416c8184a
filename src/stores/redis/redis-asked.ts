/** Of whom calls ask a decision now: for each of them an index of the calls in their order. */
import { askedOf } from '../../domain/asked-of.ts';
import type { Call } from '../../domain/call.ts';
import { readScript } from './desk-scripts.ts';
import { SHOW } from './read-call-row.ts';

/** Follows those of whom the call asks a decision: `ARGV[12]` names who is asked no more, `ARGV[13]` who is asked now. */
export const MOVE_ASKED = `
for _,who in ipairs(cjson.decode(ARGV[12])) do
  redis.call('ZREM',P..':asked:'..who,id)
  if redis.call('EXISTS',P..':asked:'..who)==0 then redis.call('SREM',P..':asked',who) end
end
for _,who in ipairs(cjson.decode(ARGV[13])) do
  redis.call('ZADD',P..':asked:'..who,redis.call('HGET',P..':call-seqs',id),id)
  redis.call('SADD',P..':asked',who)
end`;

/** Names all of whom something is asked. */
export const ASKED = readScript(`return redis.call('SMEMBERS',P..':asked')`);
/** As many of each as are wanted in all: the first ones are among them. */
export const ASKING = readScript(`${SHOW}
local from=redis.call('HGET',P..':call-seqs',ARGV[1])
local limit,found,seen,ids=tonumber(ARGV[2]),{},{},{}
for i=3,#ARGV do
  local some=redis.call('ZRANGEBYSCORE',P..':asked:'..ARGV[i],from and ('('..from) or '-inf','+inf','WITHSCORES','LIMIT',0,limit)
  for j=1,#some,2 do
    if not seen[some[j]] then found[#found+1]={tonumber(some[j+1]),some[j]} end
    seen[some[j]]=true
  end
end
table.sort(found,function(a,b) return a[1]<b[1] end)
for i=1,math.min(limit,#found) do ids[i]=found[i][2] end
return showAll(ids)`);

/** Who is asked no more, and who is asked now that was not: as JSON, each. */
export function movesOf(before: Call, after: Call): readonly [gone: string, come: string] {
  const [had, has] = [askedOf(before), askedOf(after)];
  const name = (who: string) => `${after.requester.team}/${who}`;
  const less = (all: readonly string[], without: readonly string[]) =>
    JSON.stringify(all.filter((who) => !without.includes(who)).map(name));
  return [less(had, has), less(has, had)];
}
