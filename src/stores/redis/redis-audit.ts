import type { AuditEntry } from '../../domain/audit.ts';
import type { Audit } from '../../domain/store.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readMaybe, readText, readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const APPEND = onceScript('carryOut(ARGV[1])');
/** The first entry of the list is the one after those that were removed. */
const READ = readScript(
  `
local removed=tonumber(redis.call('HGET',P..':audit-head','removed') or '0')
local from=math.max(tonumber(ARGV[1])-1-removed,0)
return redis.call('LRANGE',P..':audit',from,from+tonumber(ARGV[2])-1)`,
  { isBulk: true },
);
const NEWEST = readScript(`return redis.call('HGET',P..':audit-head','seq') or '0'`);
const REMOVE = onceScript(`
local seq=tonumber(ARGV[1])
local removed=tonumber(redis.call('HGET',P..':audit-head','removed') or '0')
if seq<=removed then return 0 end
local text=redis.call('LINDEX',P..':audit',seq-removed-1)
if not text or cjson.decode(text).hash~=ARGV[2] then return 0 end
carryOut(ARGV[3])
redis.call('LTRIM',P..':audit',seq-removed,-1)
local note=redis.call('HGET',P..':audit-head','seq')
redis.call('HSET',P..':audit-head','removed',ARGV[1],'note',note)
return 1`);
const NOTE = readScript(`
local head=redis.call('HMGET',P..':audit-head','removed','note')
return head[2] and redis.call('LINDEX',P..':audit',head[2]-head[1]-1)`);

/** Creates the audit of a desk on Redis. */
export function createRedisAudit(link: RedisLink, desk: string): Audit {
  return {
    async append(audit) {
      await link.run(APPEND, desk, [encodeEffects({ audit })]);
    },
    async read(fromSeq, limit) {
      if (limit <= 0) return [];
      const reply = await link.run(READ, desk, [String(fromSeq), String(limit)]);
      return readTexts(reply).map((text) => JSON.parse(text) as AuditEntry);
    },
    async newest() {
      return Number(readText(await link.run(NEWEST, desk, [])));
    },
    async removeThrough({ seq, hash }, note) {
      const args = [String(seq), hash, encodeEffects({ audit: [note] })];
      return (await link.run(REMOVE, desk, args)) === 1;
    },
    async removal() {
      const text = readMaybe(await link.run(NOTE, desk, []));
      return text === undefined ? undefined : (JSON.parse(text) as AuditEntry);
    },
  };
}
