/**
 * The saver's scripts. All keys of a thread's checkpoints share one hash tag; `KEYS[1]` is their prefix.
 * The newest fence seen is stored with them, since the agenda may be on another cluster node.
 */
import { type Script, STALE, toScript } from './connection/script-runner.ts';

/** How long the newest fence of a thread is remembered: longer than any worker can be paused. */
const FENCE_LIFE_S = 7 * 24 * 3600;

const PRELUDE = `
local B=KEYS[1]
local function keys(ns)
  local n=B..':'..ns
  return n..':ids',n..':docs',n..':blobs',n..':writes:'
end
local function refuse(why)
  return redis.error_reply('${STALE} Refused a checkpoint: '..why)
end
local function fenced(token)
  local newest=redis.call('GET',B..':fence')
  if newest and tonumber(newest)>tonumber(token) then
    return refuse('its fence is '..token..', and the newest is '..newest..'.')
  end
  redis.call('SET',B..':fence',token,'EX',${FENCE_LIFE_S})
end
-- Lua's stack holds about 8,000 values.
local function fetch(key,fields)
  local out={}
  for i=1,#fields,1000 do
    local part=redis.call('HMGET',key,unpack(fields,i,math.min(i+999,#fields)))
    for j=1,math.min(1000,#fields-i+1) do out[i+j-1]=part[j] end
  end
  return out
end
local function split(text)
  local out={}
  for line in string.gmatch(text,'[^\\n]+') do out[#out+1]=line end
  return out
end`;

const script = (source: string): Script =>
  toScript(`${PRELUDE}\n${source}`, 'repeat', { isBulk: true });

/**
 * ARGV: token, namespace, id, parent (or empty), document, references, then blobs as (field, text).
 * Returns the references whose blob is missing; if there are any, nothing is stored.
 */
export const PUT = script(`
local token,ns,id,parent=ARGV[1],ARGV[2],ARGV[3],ARGV[4]
local ids,docs,blobs=keys(ns)
local stale=fenced(token)
if stale then return stale end
-- Based on an older state than the newest: the worker missed the thread's last step.
local head=redis.call('ZREVRANGE',ids,0,0)[1]
if ns=='' and parent~='' and head and head~=parent and head~=id then
  return refuse('it continues '..parent..', and the newest is '..head..'.')
end
local given={}
for i=7,#ARGV,2 do given[ARGV[i]]=true end
local missing={}
for _,field in ipairs(split(ARGV[6])) do
  if not given[field] and redis.call('HEXISTS',blobs,field)==0 then missing[#missing+1]=field end
end
if #missing>0 and parent~='' then return missing end
for i=7,#ARGV,2 do redis.call('HSET',blobs,ARGV[i],ARGV[i+1]) end
redis.call('HSET',docs,id,ARGV[5],id..'|refs',ARGV[6])
redis.call('ZADD',ids,0,id)
redis.call('SADD',B..':namespaces',ns)
return {}`);

/** ARGV: token, namespace, id, then writes as (field, replace?, text). */
export const PUT_WRITES = script(`
local stale=fenced(ARGV[1])
if stale then return stale end
local _,_,_,writes=keys(ARGV[2])
for i=4,#ARGV,3 do
  redis.call(ARGV[i+1]=='1' and 'HSET' or 'HSETNX',writes..ARGV[3],ARGV[i],ARGV[i+2])
end
return 1`);

/** ARGV: token (or empty), namespace, id (empty: the newest). Returns id, document, references, blobs and writes. */
export const GET = script(`
local ns,id=ARGV[2],ARGV[3]
local ids,docs,blobs,writes=keys(ns)
if ARGV[1]~='' then
  local stale=fenced(ARGV[1])
  if stale then return stale end
end
if id=='' then id=redis.call('ZREVRANGE',ids,0,0)[1] end
if not id then return false end
local found=redis.call('HMGET',docs,id,id..'|refs')
if not found[1] then return false end
local refs=split(found[2])
return {id,found[1],refs,fetch(blobs,refs),redis.call('HGETALL',writes..id)}`);

/** ARGV: namespace, id. Returns the writes of a checkpoint. */
export const GET_WRITES = script(`
local _,_,_,writes=keys(ARGV[1])
return redis.call('HGETALL',writes..ARGV[2])`);

/** Returns each namespace with its ids, oldest first. */
export const LIST = script(`
local out={}
for _,ns in ipairs(redis.call('SMEMBERS',B..':namespaces')) do
  local ids=keys(ns)
  out[#out+1]={ns,redis.call('ZRANGE',ids,0,-1)}
end
return out`);

/** No fence: only administration deletes threads, not workers. */
export const DELETE = script(`
for _,ns in ipairs(redis.call('SMEMBERS',B..':namespaces')) do
  local ids,docs,blobs,writes=keys(ns)
  for _,id in ipairs(redis.call('ZRANGE',ids,0,-1)) do redis.call('UNLINK',writes..id) end
  redis.call('UNLINK',ids,docs,blobs)
end
redis.call('UNLINK',B..':namespaces')
return 1`);
