import type { Pin } from '../../domain/pin.ts';
import type { Pins } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readTexts } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const READ = readScript(`return redis.call('HVALS',P..':pins')`);

const WRITE = onceScript(`
local before=redis.call('HGET',P..':pin-hashes',ARGV[1]) or ''
if before~=ARGV[2] then return 0 end
redis.call('HSET',P..':pin-hashes',ARGV[1],ARGV[3])
redis.call('HSET',P..':pins',ARGV[1],ARGV[4])
carryOut(ARGV[5])
return 1`);

/** Creates the pins of tools, for a desk on Redis. */
export function createRedisPins(link: RedisLink, desk: string): Pins {
  return {
    async all() {
      const texts = readTexts(await link.run(READ, desk, []));
      const pins = texts.map((text) => readDocument<Pin>(text, { kind: 'pin', id: '' }));
      return pins.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async write(pin, before, effects) {
      const { hash, name } = pin;
      const args = [name, before ?? '', hash, JSON.stringify(pin), encodeEffects(effects)];
      return (await link.run(WRITE, desk, args)) === 1;
    },
  };
}
