import { loneScript } from './desk-scripts.ts';
import { keepFirst } from './keep-first.ts';
import type { RedisLink } from './redis-link.ts';
import { TOUCH } from './redis-untouched.ts';

/**
 * The steps from one version of the stored shapes to the next, as bodies of scripts: the place in
 * the list is the version that a step starts from, less one. A step is never changed, only followed.
 */
const DESK_MIGRATIONS: readonly string[] = [
  // Whose calls of which tool: what policies add up. A damaged document is nobody's.
  `
  for _,id in ipairs(redis.call('HKEYS',P..':calls')) do
    local ok,call=pcall(cjson.decode,redis.call('HGET',P..':calls',id))
    if ok and type(call)=='table' and type(call.requester)=='table' and call.tool and call.createdAt then
      local by=tostring(call.requester.team)..'/'..tostring(call.requester.user)..'|'..call.tool
      redis.call('ZADD',P..':calls-by:'..by,string.format('%d',call.createdAt),id)
    end
  end`,
  // The routes that admins set in Slack: whoever does not know of them must not start.
  '',
  // How many calls of a person wait, and when something happened in a thread last.
  `
  ${TOUCH}
  for _,id in ipairs(redis.call('HKEYS',P..':calls')) do
    local ok,call=pcall(cjson.decode,redis.call('HGET',P..':calls',id))
    if ok and type(call)=='table' and type(call.requester)=='table' then
      if call.status=='pending' then
        redis.call('SADD',P..':pending-of:'..tostring(call.requester.team)..'/'..tostring(call.requester.user),id)
      end
      local at=tonumber(call.updatedAt) or tonumber(call.createdAt)
      if at and call.thread then touch(call.thread,string.format('%d',at)) end
    end
  end
  for _,thread in ipairs(redis.call('ZRANGE',P..':turn-threads',0,-1)) do
    local ok,turn=pcall(cjson.decode,redis.call('LINDEX',P..':turns:'..thread,0))
    local at=ok and type(turn)=='table' and tonumber(turn.settledAt)
    if at then touch(thread,string.format('%d',at)) end
  end`,
  // Of whom calls ask a decision now, and whose calls are over: what people see on their Home.
  `
  local over={succeeded=1,failed=1,replied=1,ignored=1,expired=1,withdrawn=1,refused=1}
  for _,id in ipairs(redis.call('HKEYS',P..':calls')) do
    local ok,call=pcall(cjson.decode,redis.call('HGET',P..':calls',id))
    local seq=redis.call('HGET',P..':call-seqs',id)
    if ok and seq and type(call)=='table' and type(call.requester)=='table' and call.requester.user then
      local team,user=tostring(call.requester.team),tostring(call.requester.user)
      redis.call('ZADD',P..(over[call.status] and ':over-of:' or ':open-of:')..team..'/'..user,seq,id)
      if call.status=='pending' or call.status=='unknown' then
        local approvers=type(call.route)=='table' and call.route.approvers or {'requester'}
        for _,who in ipairs(approvers) do
          local name=team..'/'..(who=='requester' and 'user:'..user or who)
          redis.call('ZADD',P..':asked:'..name,seq,id)
          redis.call('SADD',P..':asked',name)
        end
      end
    end
  end`,
  // Which calls were asked for with which key, and all of them in their order.
  `
  local seqs=redis.call('HGETALL',P..':call-seqs')
  for i=1,#seqs,2 do
    local id,seq=seqs[i],seqs[i+1]
    redis.call('ZADD',P..':calls-by-seq',seq,id)
    local ok,call=pcall(cjson.decode,redis.call('HGET',P..':calls',id) or '')
    local key=ok and type(call)=='table' and type(call.outside)=='table' and call.outside.key
    if type(key)=='string' then
      redis.call('ZADD',P..':calls-of-key:'..key,seq,id)
      if call.status=='pending' then redis.call('SADD',P..':pending-of-key:'..key,id) end
    end
  end`,
  // Checkpoints have checksums, and turns have records: an older version could not read the first.
  '',
  // Who has decided on which call, and when: what people see on their Home.
  `
  local function note(id,who,at)
    if type(who)~='table' or not who.user or not tonumber(at) then return end
    local name=tostring(who.team)..'/'..tostring(who.user)
    redis.call('ZADD',P..':decided-by:'..name,'GT',string.format('%d',at),id)
    redis.call('SADD',P..':deciders-of:'..id,name)
  end
  for _,id in ipairs(redis.call('HKEYS',P..':calls')) do
    local ok,call=pcall(cjson.decode,redis.call('HGET',P..':calls',id))
    if ok and type(call)=='table' then
      if type(call.verdict)=='table' then note(id,call.verdict.by,call.verdict.at) end
      for _,vote in ipairs(type(call.votes)=='table' and call.votes or {}) do note(id,vote.by,vote.at) end
    end
  end`,
];

/** The newest version of the stored shapes. */
export const NEWEST_DESK = DESK_MIGRATIONS.length + 1;

/** Brings a desk's stored shapes to the newest version, each step whole or not at all; rejects when they are newer. */
export async function migrateDesk(
  link: RedisLink,
  desk: string,
  migrations: readonly string[] = DESK_MIGRATIONS,
): Promise<void> {
  const newest = migrations.length + 1;
  const version = Number(await keepFirst(link, desk, 'version', String(newest)));
  if (version > newest) {
    throw new Error(sayNewer(version, newest));
  }
  for (let from = version; from < newest; from += 1) {
    // Another process may take the same step: the first one does.
    const step = loneScript(`
      if redis.call('GET',P..':version')~='${from}' then return 0 end
      ${migrations[from - 1] ?? ''}
      redis.call('SET',P..':version','${from + 1}')
      return 1`);
    await link.run(step, desk, []);
  }
}

/** Says that the records are of a version that is not known here. */
export function sayNewer(version: number, newest: number): string {
  return `The data in Redis was written by a newer Countersign: its version is ${version}, and this one knows up to ${newest}. Start the newer Countersign, or set another REDIS_PREFIX.`;
}
