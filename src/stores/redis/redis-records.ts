import type { TurnRecord, TurnRecords } from '../../domain/turn-record.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { checkRecord, readDocument } from '../read-record.ts';
import { deskScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const KEEP = deskScript(`
local stale=assertFence(ARGV[1],ARGV[2])
if stale then return stale end
carryOut(ARGV[3])
return 1`);

/** A thread has the records of one turn, unless an older version settled the one before. */
const OF_THREAD = readScript(`return redis.call('HVALS',P..':turn-records:'..ARGV[1])`);

/** Creates the turn records of a desk on Redis. */
export function createRedisRecords(link: RedisLink, desk: string): TurnRecords {
  return {
    async keep(records, fence) {
      for (const { thread } of records) assertOwnThread(thread, fence);
      const args = [fence.thread, String(fence.token), encodeEffects({ records })];
      await link.run(KEEP, desk, args);
    },
    async ofTurn(thread, turn) {
      const record = { kind: 'turn', id: turn, thread } as const;
      const texts = readTexts(await link.run(OF_THREAD, desk, [thread]));
      const all = texts.map((text) => readDocument<Pick<TurnRecord, 'turn'>>(text, record));
      return all
        .filter((found) => found.turn === turn)
        .map((found) => checkRecord('turnRecord', found, record))
        .toSorted((a, b) => a.position - b.position);
    },
  };
}
