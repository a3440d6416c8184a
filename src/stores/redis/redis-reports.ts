import type { Report, Reports } from '../../domain/report.ts';
import { readDocument } from '../read-record.ts';
import { deskScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readMaybe } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const KEEP = deskScript(`
local id=ARGV[1]
if redis.call('HGET',P..':call-revisions',id)~=ARGV[2] then return 0 end
if not redis.call('ZSCORE',P..':calls-in:running',id) then return 0 end
redis.call('HSET',P..':reports',id,ARGV[3])
carryOut(ARGV[4])
return 1`);

const OF = readScript(`return redis.call('HGET',P..':reports',ARGV[1])`);

/** Creates the reports of running calls of a desk on Redis. */
export function createRedisReports(link: RedisLink, desk: string): Reports {
  return {
    async keep({ id, revision }, { text, at }, wakes) {
      const document = JSON.stringify({ text, at });
      await link.run(KEEP, desk, [id, String(revision), document, encodeEffects({ wakes })]);
    },
    async of(callId) {
      const text = readMaybe(await link.run(OF, desk, [callId]));
      return text === undefined
        ? undefined
        : readDocument<Report>(text, { kind: 'report', id: callId });
    },
  };
}
