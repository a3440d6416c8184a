/** Read-only scripts; see `record-scripts.ts`. */
import { toScript } from './connection/script-runner.ts';

/**
 * Several reads, each with its own list in the reply. `G`: key count and keys. `C`: partition count and
 * partitions. `R`: partition, command, both ends and limit; replies with positions and records.
 * Lists must stay below Lua's unpack limit (7,999 values).
 */
const READ = `
local P,call=KEYS[1],redis.call
local out,i={},1
while i<=#ARGV do
  local op=ARGV[i]
  if op=='R' then
    local ats=call(ARGV[i+2],P..':i:'..ARGV[i+1],ARGV[i+3],ARGV[i+4],'LIMIT',0,ARGV[i+5])
    local keys={}
    for n,at in ipairs(ats) do keys[n]=P..':r:'..string.match(at,' (.*)$') end
    out[#out+1]={ats,#keys>0 and call('MGET',unpack(keys)) or {}}
    i=i+6
  else
    local found,count={},tonumber(ARGV[i+1])
    for n=1,count do found[n]=P..(op=='G' and ':r:' or ':i:')..ARGV[i+1+n] end
    if op=='G' then found=count>0 and call('MGET',unpack(found)) or {}
    else for n=1,count do found[n]=call('ZCARD',found[n]) end end
    out[#out+1]=found
    i=i+2+count
  end
end
return out`;
export const READ_FEW = toScript(READ, 'read');
export const READ_MANY = toScript(READ, 'read', { isBulk: true });

/** Audit entries from a number on, preceded by the number of the first. */
export const AUDIT = toScript(
  `
local P,call=KEYS[1],redis.call
local base=tonumber(call('GET',P..':audit-base') or '0')
local from=math.max(tonumber(ARGV[1])-base-1,0)
local out=call('LRANGE',P..':audit',from,from+tonumber(ARGV[2])-1)
table.insert(out,1,string.format('%.0f',base+from+1))
return out`,
  'read',
  { isBulk: true },
);

export const NEWEST_AUDIT = toScript(
  `
local P,call=KEYS[1],redis.call
return string.format('%.0f',tonumber(call('GET',P..':audit-base') or '0')+call('LLEN',P..':audit'))`,
  'read',
);
