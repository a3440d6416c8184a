/**
 * What the scripts of the desk share. All of its keys lie under one hash tag, so that a change and
 * its effects are one script; `KEYS[1]` is what their names begin with.
 */
import { type Script, STALE, toScript } from './redis-link.ts';

/** FIPS 180-4, for the chain of the audit: Redis itself knows only SHA-1. */
const SHA256 = `
local band,bor,bxor,bnot,rol,rsh,tobit=bit.band,bit.bor,bit.bxor,bit.bnot,bit.rol,bit.rshift,bit.tobit
local K256={0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,
0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,
0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,
0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,
0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2}
local function sha256(text)
  local length=#text
  local tail=(55-length)%64
  local bits=length*8
  text=text..'\\128'..string.rep('\\0',tail)..string.rep('\\0',4)
    ..string.char(math.floor(bits/16777216)%256,math.floor(bits/65536)%256,math.floor(bits/256)%256,bits%256)
  local h1,h2,h3,h4=tobit(0x6a09e667),tobit(0xbb67ae85),tobit(0x3c6ef372),tobit(0xa54ff53a)
  local h5,h6,h7,h8=tobit(0x510e527f),tobit(0x9b05688c),tobit(0x1f83d9ab),tobit(0x5be0cd19)
  local w={}
  for start=1,#text,64 do
    for i=0,15 do
      local x,y,z,u=string.byte(text,start+i*4,start+i*4+3)
      w[i]=bor(x*16777216,y*65536,z*256,u)
    end
    for i=16,63 do
      local p,q=w[i-15],w[i-2]
      local s0=bxor(rol(p,25),rol(p,14),rsh(p,3))
      local s1=bxor(rol(q,15),rol(q,13),rsh(q,10))
      w[i]=tobit(w[i-16]+s0+w[i-7]+s1)
    end
    local a,b,c,d,e,f,g,h=h1,h2,h3,h4,h5,h6,h7,h8
    for i=0,63 do
      local s1=bxor(rol(e,26),rol(e,21),rol(e,7))
      local ch=bxor(band(e,f),band(bnot(e),g))
      local t1=tobit(h+s1+ch+tobit(K256[i+1])+w[i])
      local s0=bxor(rol(a,30),rol(a,19),rol(a,10))
      local maj=bxor(band(a,b),band(a,c),band(b,c))
      h=g g=f f=e e=tobit(d+t1) d=c c=b b=a a=tobit(t1+s0+maj)
    end
    h1=tobit(h1+a) h2=tobit(h2+b) h3=tobit(h3+c) h4=tobit(h4+d)
    h5=tobit(h5+e) h6=tobit(h6+f) h7=tobit(h7+g) h8=tobit(h8+h)
  end
  local out=''
  for _,x in ipairs({h1,h2,h3,h4,h5,h6,h7,h8}) do out=out..bit.tohex(x) end
  return out
end`;

const AUDIT = `
local function append(drafts)
  if #drafts==0 then return end
  local head=redis.call('HMGET',P..':audit-head','seq','hash')
  local seq,hash=tonumber(head[1] or '0'),head[2] or string.rep('0',64)
  for _,draft in ipairs(drafts) do
    seq=seq+1
    local body=draft[1]..hash..draft[2]..string.format('%d',seq)..draft[3]
    hash=sha256(body)
    redis.call('RPUSH',P..':audit',string.sub(body,1,-2)..',"hash":"'..hash..'"}')
  end
  redis.call('HSET',P..':audit-head','seq',string.format('%d',seq),'hash',hash)
end`;

const AGENDA = `
local READY=P..':agenda-ready'
local function entry(key) return P..':agenda:'..key end
-- What is no number must not hold up all other work.
local function num(text) return tonumber(text or '0') or 0 end
local function wake(wakes)
  for _,each in ipairs(wakes) do
    local key,due=each[1],each[2]
    local found=redis.call('HMGET',entry(key),'due','until','parked')
    if found[1] and num(found[1])<tonumber(due) then due=found[1] end
    redis.call('HSET',entry(key),'due',due)
    if found[3] then
      redis.call('HDEL',entry(key),'parked','reason','tries')
      redis.call('ZREM',P..':agenda-parked',key)
    end
    if not found[2] then redis.call('ZADD',READY,due,key) end
  end
  if #wakes>0 then redis.call('PUBLISH',P..':wakes','') end
end
local function assertFence(thread,token)
  local newest=redis.call('HGET',entry('pump:'..thread),'fence')
  if newest==token then return nil end
  return redis.error_reply('${STALE} Refused a write to thread '..thread..': it came with fence '
    ..token..', and '..(newest and ('the newest is '..newest) or 'nobody was given the thread')..'.')
end`;

const INBOX = `
local function endMessage(id,how)
  local state=redis.call('HGET',P..':message-states',id)
  if state~='waiting' and state~='current' then return false end
  local thread=redis.call('HGET',P..':message-threads',id)
  redis.call('HSET',P..':message-states',id,how)
  redis.call('HDEL',P..':messages',id)
  redis.call('HDEL',P..':message-stops',id)
  redis.call('HDEL',P..':message-threads',id)
  redis.call('SREM',P..':waiting:'..thread,id)
  if redis.call('HGET',P..':current',thread)==id then redis.call('HDEL',P..':current',thread) end
  if redis.call('HINCRBY',P..':busy',thread,-1)<=0 then redis.call('HDEL',P..':busy',thread) end
  return true
end`;

const OUTBOX = `
local function addSays(says)
  for _,say in ipairs(says) do
    if redis.call('SADD',P..':say-ids',say[1])==1 then
      redis.call('HSET',P..':says',say[1],say[3])
      redis.call('HSET',P..':say-threads',say[1],say[2])
      redis.call('ZADD',P..':unsaid:'..say[2],redis.call('INCR',P..':say-seq'),say[1])
    end
  end
end`;

const RECORDS = `
local function keepRecords(records)
  for _,each in ipairs(records) do
    redis.call('HSETNX',P..':turn-records:'..each[1],each[2],each[3])
  end
end`;

const EFFECTS = `
local function carryOut(text)
  local effects=cjson.decode(text)
  append(effects.audit)
  for _,each in ipairs(effects.ends) do endMessage(each[1],each[2]) end
  keepRecords(effects.records)
  addSays(effects.says)
  wake(effects.wakes)
end`;

const PRELUDE = ['local P=KEYS[1]', SHA256, AUDIT, AGENDA, INBOX, OUTBOX, RECORDS, EFFECTS].join(
  '\n',
);

/** Longer than the same thing is asked for. */
const RECEIPT_MS = 15_000;

/** By hash, each once; the modules that make them are loaded before the first of them runs. */
const bodies = new Map<string, string>();

function ofDesk(script: Script, body: string): Script {
  bodies.set(script.sha, body);
  return script;
}

/** Makes a script of the desk: it may call what is above, and must check before it writes, for nothing is rolled back. Run again, it must change nothing more. */
export function deskScript(source: string): Script {
  return ofDesk(toScript(`${PRELUDE}\n${source}`), source);
}

/** Makes a script of the desk that only reads. */
export function readScript(source: string, size: { readonly isBulk?: boolean } = {}): Script {
  return ofDesk(toScript(`local P=KEYS[1]\n${source}`, 'read', size), source);
}

/**
 * Makes a script of the desk that does its work once, however often its answer is lost and it is
 * asked again: its last argument is a receipt, under which the first answer is kept for a while.
 */
export function onceScript(source: string): Script {
  const body = `local function act()
${source}
end
local receipt=P..':receipt:'..ARGV[#ARGV]
local known=redis.call('GET',receipt)
if known then return cmsgpack.unpack(known) end
local answer=act()
if type(answer)=='table' and answer.err then return answer end
redis.call('SET',receipt,cmsgpack.pack(answer),'PX',${RECEIPT_MS})
return answer`;
  return ofDesk(toScript(`${PRELUDE}\n${body}`, 'once'), body);
}

/** Makes a script of what only runs alone, for a change of the stored shapes. */
export function loneScript(source: string): Script {
  return toScript(`${PRELUDE}\n${source}`);
}

/** Several scripts of the desk as one. */
export interface DeskBatch {
  /** Tells what a script is called in the batch; undefined for one that is not of the desk. */
  nameOf(script: Script): string | undefined;
  /** Returns what runs these: it is given, for each run in turn, the name of the script, the number of its arguments, and these, a receipt included; it answers a list of pairs, 1 and the answer, or 0 and the error. As each of them, it may be run again. */
  of(scripts: readonly Script[]): Script;
}

/** Makes the one script that holds all of the desk: servers keep whatever they are given for ever, so there must not be one for each mixture. */
export function deskBatch(): DeskBatch {
  const names = new Map([...bodies.keys()].sort().map((sha, index) => [sha, String(index + 1)]));
  const parts = [...names].map(([sha, name]) => {
    return `if name=='${name}' then return function(ARGV)\n${bodies.get(sha)}\nend end`;
  });
  // A part is made when it is asked for: making all of them would take longer than running one.
  const source = `${PRELUDE}\nlocal function partOf(name)\n${parts.join('\n')}\nend\n${RUN_PARTS}`;
  const [all, reads] = [toScript(source, 'repeat'), toScript(source, 'read')];
  return {
    nameOf: ({ sha }) => names.get(sha),
    of: (scripts) => (scripts.every(({ kind }) => kind === 'read') ? reads : all),
  };
}

/** A failure is a table or a text, by the version of the server. */
const RUN_PARTS = `
local out,at={},1
while ARGV[at] do
  local part,count,args=partOf(ARGV[at]),tonumber(ARGV[at+1]),{}
  for i=1,count do args[i]=ARGV[at+1+i] end
  at=at+2+count
  local ok,answer=pcall(part,args)
  local failure=not ok and answer or (type(answer)=='table' and answer.err and answer)
  if failure then
    local text=type(failure)=='table' and failure.err or tostring(failure)
    -- Of the server, not of the part: nothing was written, and the line is to be left.
    if string.find(text,'READONLY',1,true)==1 then return redis.error_reply(text) end
    out[#out+1]={0,text}
  else
    out[#out+1]={1,answer or false}
  end
end
return out`;
