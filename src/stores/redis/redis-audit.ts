import type { AuditEntry } from '../../domain/audit.ts';
import type { Audit } from '../../domain/store.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const APPEND = onceScript('carryOut(ARGV[1])');
const READ = readScript(`return redis.call('LRANGE',P..':audit',ARGV[1],ARGV[2])`, {
  isBulk: true,
});

/** Creates the audit of a desk on Redis. */
export function createRedisAudit(link: RedisLink, desk: string): Audit {
  return {
    async append(audit) {
      await link.run(APPEND, desk, [encodeEffects({ audit })]);
    },
    async read(fromSeq, limit) {
      if (limit <= 0) return [];
      const from = Math.max(fromSeq, 1) - 1;
      const reply = await link.run(READ, desk, [String(from), String(from + limit - 1)]);
      return readTexts(reply).map((text) => JSON.parse(text) as AuditEntry);
    },
  };
}
