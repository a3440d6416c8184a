import type { StoredCall } from '../read-record.ts';
import { readList, readMaybe, readText } from './read-reply.ts';
import type { Reply } from './redis-line.ts';

/** For scripts of the desk: a call as it is read, its document beside what is kept apart; one that is gone is none. */
export const SHOW = `
local function show(id)
  local revision=redis.call('HGET',P..':call-revisions',id)
  local document=redis.call('HGET',P..':calls',id)
  if not revision and not document then return false end
  return {id,document,redis.call('SISMEMBER',P..':delivered',id),revision or '0'}
end
local function showAll(ids)
  local out={}
  for _,id in ipairs(ids) do out[#out+1]=show(id) or {id,false,0,'0'} end
  return out
end`;

/** Reads a call as the scripts of the desk show it. */
export function readRow(reply: Reply): StoredCall {
  const [id, document, delivered, revision] = readList(reply);
  return {
    id: readText(id),
    document: readMaybe(document),
    delivered: delivered === 1,
    revision: Number(readText(revision)),
  };
}
