import type { Pause } from '../../domain/pause.ts';
import type { PauseSwitch } from '../../domain/store.ts';
import { readDocument } from '../read-record.ts';
import { onceScript, readScript } from './desk-scripts.ts';
import { encodeEffects } from './encode-effects.ts';
import { readMaybe } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const READ = readScript(`return redis.call('GET',P..':pause')`);

const WRITE = onceScript(`
local changed
if ARGV[1]=='' then changed=redis.call('DEL',P..':pause') else changed=redis.call('SETNX',P..':pause',ARGV[1]) end
if changed==1 then carryOut(ARGV[2]) end
return changed`);

/** Creates the switch that halts everything, for a desk on Redis. */
export function createRedisPause(link: RedisLink, desk: string): PauseSwitch {
  return {
    async read() {
      const text = readMaybe(await link.run(READ, desk, []));
      return text === undefined ? undefined : readDocument<Pause>(text, { kind: 'pause', id: '' });
    },
    async write(pause, effects) {
      const args = [pause ? JSON.stringify(pause) : '', encodeEffects(effects)];
      return (await link.run(WRITE, desk, args)) === 1;
    },
  };
}
