/** Checks permissions up front: a command refused inside a script leaves it half done, since Redis rolls nothing back. */
import { parseTextList } from './parse-reply.ts';
import {
  NO_PERMISSION_SIGNS,
  REQUIRED_GRANTS,
  type ScriptRunner,
  toScript,
} from './script-runner.ts';

/**
 * Tries each command of our scripts so that it changes nothing: on a missing key, or on one of another
 * type. Returns the server's time and the commands that are not allowed.
 */
const TRY = toScript(`
local none,key,denied=KEYS[1]..':none',KEYS[1]..':checked-at',{}
local function try(...)
  local answer=redis.pcall(...)
  local failure=type(answer)=='table' and answer.err
  for _,sign in ipairs({${NO_PERMISSION_SIGNS.map((sign) => `'${sign}'`).join()}}) do
    if failure and string.find(failure,sign,1,true) then
      denied[#denied+1]=(...)
      return nil
    end
  end
  return answer
end
local set=try('SET',key,'0')
if type(set)=='table' and set.err then return set end
for _,name in ipairs({'GET','MGET','UNLINK','EXISTS','HGETALL','HKEYS','LLEN','SMEMBERS','ZCARD','DEL'}) do try(name,none) end
for _,name in ipairs({'HDEL','HEXISTS','HGET','HMGET','ZREM','ZSCORE'}) do try(name,none,'x') end
for _,name in ipairs({'GETRANGE','LRANGE','LTRIM','ZRANGE','ZREVRANGE'}) do try(name,none,'0','1') end
try('ZRANGEBYSCORE',none,'-inf','+inf')
try('ZRANGEBYLEX',none,'-','+')
try('ZREVRANGEBYLEX',none,'+','-')
try('SETNX',key,'x')
for _,name in ipairs({'RPUSH','SADD'}) do try(name,key,'x') end
try('HSET',key,'x','x')
try('ZADD',key,'0','x')
try('PUBLISH',KEYS[1]..':wakes','')
local time=try('TIME') or {'0','0'}
try('UNLINK',key)
return {time[1],time[2],unpack(denied)}`);

/** Tries the scripts' commands on keys with this prefix. Returns the server's time (ms); rejects, saying what to grant, if any is not allowed. */
export async function checkPermissions(link: ScriptRunner, key: string): Promise<number> {
  const [seconds, micros, ...denied] = parseTextList(await link.run(TRY, key, []));
  if (denied.length > 0) {
    const names = [...new Set(denied)].join(', ');
    throw new Error(
      `Redis does not let the user of REDIS_URL run ${names} on ${key}:…. ${REQUIRED_GRANTS}`,
    );
  }
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
