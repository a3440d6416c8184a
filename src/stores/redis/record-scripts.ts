/**
 * Scripts of the records on Redis; none knows what a record means. All keys share the hash tag of
 * `KEYS[1]`, so each script is atomic. Arguments are flat texts: an operation's letter, then its
 * operands. So no JSON is decoded, and no long number loses precision in Lua's doubles.
 */
import { toScript } from './connection/script-runner.ts';

/** Must exceed the time during which a commit is retried. */
const RECEIPT_MS = 60_000;
/** Most tasks handed out to one hold at a time. */
const MAX_TASKS = 100;

/** A task is `due again taken tries deaths`; `-` means no time. Without a due time it is parked. */
const TASKS = `
local P,call=KEYS[1],redis.call
local READY=P..':ready'
local function read(unit,id)
  local text=call('HGET',P..':t:'..unit,id)
  if not text then return nil end
  local due,again,taken,tries,deaths=string.match(text,'^(%S+) (%S+) (%S+) (%S+) (%S+)$')
  return {due=tonumber(due),again=tonumber(again),taken=taken=='1',
    tries=tonumber(tries) or 0,deaths=tonumber(deaths) or 0}
end
local function text(at) return at and string.format('%.0f',at) or '-' end
local function write(unit,id,task)
  call('HSET',P..':t:'..unit,id,table.concat({text(task.due),text(task.again),
    task.taken and '1' or '0',text(task.tries),text(task.deaths)},' '))
end
local function earlier(a,b)
  if a and b then return math.min(a,b) end
  return a or b
end
-- Keep a later time that was scheduled meanwhile.
local function takeBack(unit,died,now)
  for _,id in ipairs(call('HKEYS',P..':t:'..unit)) do
    local task=read(unit,id)
    if task and task.taken then
      task.taken=false
      if task.again and task.again<=(now or task.due) then task.again=nil end
      task.tries,task.deaths=task.tries+died,task.deaths+died
      write(unit,id,task)
    end
  end
end
local function nextOf(unit)
  local first
  for _,id in ipairs(call('HKEYS',P..':t:'..unit)) do
    local task=read(unit,id)
    if task and not task.taken then first=earlier(first,task.due) end
  end
  return first
end
local function plan(unit)
  local first=nextOf(unit)
  if first then call('ZADD',READY,text(first),unit) else call('ZREM',READY,unit) end
end
local function free(unit)
  takeBack(unit,0,nil)
  call('DEL',P..':l:'..unit)
  plan(unit)
end
local function put(out,id,task)
  for _,each in ipairs({id,text(task.due),text(task.tries),text(task.deaths)}) do out[#out+1]=each end
end
local function handOut(unit,now)
  local due={}
  for _,id in ipairs(call('HKEYS',P..':t:'..unit)) do
    local task=read(unit,id)
    if task and not task.taken and task.due and task.due<=now then due[#due+1]={id,task} end
  end
  table.sort(due,function(a,b)
    if a[2].due~=b[2].due then return a[2].due<b[2].due end
    return a[1]<b[1]
  end)
  local out={}
  for i=1,math.min(#due,${MAX_TASKS}) do
    local id,task=due[i][1],due[i][2]
    task.taken=true
    write(unit,id,task)
    put(out,id,task)
  end
  return out
end`;

/** Two passes, check then write: Redis can't roll back. */
export const COMMIT = toScript(`${TASKS}
local known=call('GET',P..':done:'..ARGV[1])
if known then return cmsgpack.unpack(known) end
local now,fences=tonumber(ARGV[4]),tonumber(ARGV[5])
local first=6+2*fences
for i=6,first-1,2 do
  if call('GET',P..':l:'..ARGV[i])~=ARGV[i+1] then return {'stale',ARGV[i]} end
end
local size={P=3,D=2,K=2,['+']=2,['-']=2,H=2,T=3,X=2,Y=2,F=2,O=4,B=2,A=1,Z=1,W=0}
local i,newer=first,{'conflict'}
while i<=#ARGV do
  local op=ARGV[i]
  if op=='P' or op=='D' or op=='K' then
    local head=call('GETRANGE',P..':r:'..ARGV[i+1],0,16)
    if (string.match(head,'^%d+') or '0')~=ARGV[i+2] then
      newer[#newer+1]=ARGV[i+1]
      newer[#newer+1]=call('GET',P..':r:'..ARGV[i+1]) or ''
    end
  end
  i=i+1+size[op]
end
if #newer>1 then return newer end
local changed,asked,own,wanted={},{},{},{}
local function again(unit,id,task)
  task.due,task.again,task.taken,task.tries,task.deaths=task.again,nil,false,0,0
  write(unit,id,task)
end
i=first
while i<=#ARGV do
  local op,a,b,c=ARGV[i],ARGV[i+1],ARGV[i+2],ARGV[i+3]
  if op=='P' then call('SET',P..':r:'..a,c)
  elseif op=='D' then call('DEL',P..':r:'..a)
  elseif op=='+' then call('ZADD',P..':i:'..a,0,b)
  elseif op=='-' then call('ZREM',P..':i:'..a,b)
  elseif op=='H' then own[a]=call('GET',P..':l:'..a)==b or nil
  elseif op=='T' then
    local task=read(a,b) or {tries=0,deaths=0,taken=false}
    if task.taken then task.again=earlier(task.again,tonumber(c))
    else
      if not task.due then task.tries,task.deaths=0,0 end
      task.due=earlier(task.due,tonumber(c))
    end
    write(a,b,task)
    if not asked[a] then asked[#asked+1]=a end
    changed[a],asked[a]=true,true
    if own[a] then wanted[#wanted+1]={a,b} end
  elseif op=='X' or (op=='Y' and own[a]) then
    local task=read(a,b)
    if task and task.again then
      again(a,b,task)
      if op=='Y' then wanted[#wanted+1]={a,b} end
    elseif task and task.taken then call('HDEL',P..':t:'..a,b) end
    changed[a]=true
  elseif op=='F' then
    local task=read(a,b)
    if task and not task.taken then call('HDEL',P..':t:'..a,b) end
    changed[a]=true
  elseif op=='O' then
    local task=read(a,b)
    if task then
      task.due,task.again,task.taken=earlier(task.again,tonumber(c)),nil,false
      task.tries,task.deaths=task.tries+tonumber(ARGV[i+4]),0
      write(a,b,task)
    end
    changed[a]=true
  elseif op=='B' then
    local task=read(a,b)
    if task and task.again then again(a,b,task)
    elseif task then
      task.due,task.taken,task.tries,task.deaths=nil,false,task.tries+1,0
      write(a,b,task)
    end
    changed[a]=true
  elseif op=='W' then asked[#asked+1]=''
  elseif op=='A' then call('RPUSH',P..':audit',a)
  elseif op=='Z' then
    local base=tonumber(call('GET',P..':audit-base') or '0')
    local gone=math.min(tonumber(a)-base,call('LLEN',P..':audit'))
    if gone>0 then
      call('LTRIM',P..':audit',gone,-1)
      call('SET',P..':audit-base',text(base+gone))
    end
  end
  i=i+1+size[op]
end
local seq=text(tonumber(call('GET',P..':audit-base') or '0')+call('LLEN',P..':audit'))
local answer={'done',seq}
for _,each in ipairs(wanted) do
  local task=read(each[1],each[2])
  if task and not task.taken and task.due and task.due<=now then
    task.taken=true
    write(each[1],each[2],task)
    answer[#answer+1]=each[1]
    put(answer,each[2],task)
  end
end
if ARGV[3]=='1' then for n=6,first-1,2 do free(ARGV[n]) end end
for unit in pairs(changed) do
  if call('EXISTS',P..':l:'..unit)==0 then plan(unit) end
end
call('SET',P..':done:'..ARGV[1],cmsgpack.pack(answer),'PX',${RECEIPT_MS})
if #asked>0 then call('PUBLISH',P..':wakes',ARGV[2]..'\\n'..table.concat(asked,'\\n')) end
return answer`);

/** Tokens are never below the clock: if a crash loses the newest one, it is still not given twice. */
export const LEASE = toScript(
  `${TASKS}
local now,till,most,unit,receipt=tonumber(ARGV[1]),ARGV[2],ARGV[3],ARGV[4],P..':done:'..ARGV[5]
local known=call('GET',receipt)
if known then return cmsgpack.unpack(known) end
local units={unit}
if unit=='' then
  units=call('ZRANGEBYSCORE',READY,'-inf',ARGV[1],'LIMIT',0,most)
elseif call('EXISTS',P..':l:'..unit)==1 then
  local ends=call('ZSCORE',READY,unit)
  if ends and tonumber(ends)>now then units={} end
end
local out={}
local last=math.max(tonumber(call('GET',P..':fence') or '0'),now-1)
for _,each in ipairs(units) do
  if call('EXISTS',P..':l:'..each)==1 then takeBack(each,1,now) end
  local tasks=handOut(each,now)
  if #tasks>0 or unit~='' then
    last=last+1
    call('SET',P..':l:'..each,text(last))
    call('ZADD',READY,till,each)
    out[#out+1]={each,text(last),tasks,text(nextOf(each))}
  else
    free(each)
  end
end
if #out>0 then call('SET',P..':fence',text(last)) end
local planned=call('ZRANGE',READY,0,0,'WITHSCORES')
local answer={out,planned[2] or ''}
if #out>0 then call('SET',receipt,cmsgpack.pack(answer),'PX',${RECEIPT_MS}) end
return answer`,
  'once',
);

export const RENEW = toScript(
  `${TASKS}
local now,till,out,receipt=tonumber(ARGV[1]),ARGV[2],{},P..':done:'..ARGV[#ARGV]
local known=call('GET',receipt)
if known then return cmsgpack.unpack(known) end
for i=3,#ARGV-1,2 do
  if call('GET',P..':l:'..ARGV[i])==ARGV[i+1] then
    call('ZADD',READY,till,ARGV[i])
    local tasks=handOut(ARGV[i],now)
    out[#out+1]={ARGV[i],ARGV[i+1],tasks,text(nextOf(ARGV[i]))}
  end
end
call('SET',receipt,cmsgpack.pack(out),'PX',${RECEIPT_MS})
return out`,
  'once',
);

export const RELEASE = toScript(`${TASKS}
if call('GET',P..':l:'..ARGV[1])==ARGV[2] then free(ARGV[1]) end
return 1`);

export const STATE = toScript(
  `${TASKS}
local out={}
for i=1,#ARGV,2 do
  local task=read(ARGV[i],ARGV[i+1])
  out[#out+1]=(not task and '') or (task.taken and 'handed-out') or (task.due and 'due') or 'parked'
end
return out`,
  'read',
);
