import type { ApiKey } from '../../domain/api-key.ts';
import type { Keys } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readMaybe, readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

/** What is stored of a key is its revision, a blank, and its document. */
const ADD = onceScript(`
if redis.call('HSETNX',P..':keys',ARGV[1],ARGV[2]..' '..ARGV[3])==0 then return 0 end
redis.call('RPUSH',P..':key-ids',ARGV[1])
carryOut(ARGV[4])
return 1`);

const GET = readScript(`
local text=redis.call('HGET',P..':keys',ARGV[1])
return text and string.match(text,' (.*)')`);

const LIST = readScript(`
local out={}
for _,id in ipairs(redis.call('LRANGE',P..':key-ids',0,-1)) do
  out[#out+1]=string.match(redis.call('HGET',P..':keys',id),' (.*)')
end
return out`);

const CHANGE = onceScript(`
local text=redis.call('HGET',P..':keys',ARGV[1])
if not text or string.match(text,'^%d+')~=ARGV[2] then return 0 end
redis.call('HSET',P..':keys',ARGV[1],ARGV[3]..' '..ARGV[4])
carryOut(ARGV[5])
return 1`);

/** Creates the keys of programs, for a desk on Redis. */
export function createRedisKeys(link: RedisLink, desk: string): Keys {
  return {
    async add(key, effects) {
      const args = [key.id, String(key.revision), JSON.stringify(key), encodeEffects(effects)];
      return (await link.run(ADD, desk, args)) === 1;
    },
    async get(id) {
      const text = readMaybe(await link.run(GET, desk, [id]));
      return text === undefined ? undefined : readDocument<ApiKey>(text, { kind: 'key', id });
    },
    async list() {
      const texts = readTexts(await link.run(LIST, desk, []));
      return texts.map((text) => readDocument<ApiKey>(text, { kind: 'key', id: '' }));
    },
    async change(key, effects) {
      const { id, revision } = key;
      const revisions = [String(revision - 1), String(revision)];
      const args = [id, ...revisions, JSON.stringify(key), encodeEffects(effects)];
      return (await link.run(CHANGE, desk, args)) === 1;
    },
  };
}
