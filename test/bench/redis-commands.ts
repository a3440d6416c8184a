import type { Bench } from './kit/bench.ts';
import { openBenchDesk } from './kit/bench-desk.ts';
import { openClient } from './kit/bench-store.ts';
import { type CycleSide, openOurs, openPeer, timeCycles } from './kit/cycle-sides.ts';

/** The answers of the slow Redis are held back so long. */
const DELAY_MS = 2;

/** How many commands the clients of Redis send in a cycle, and how often a cycle waits for an answer. */
export const redisCommands: Bench = {
  stores: ['Redis'],

  async probe(site) {
    const count = site.scale.isQuick ? 1 : 20;
    const client = await openClient(site.redisUrl);
    const measure = async (side: CycleSide): Promise<number> => {
      await timeCycles(side, 1);
      await client.sendCommand(['CONFIG', 'RESETSTAT']);
      await timeCycles(side, count);
      const sent = countSent(await client.info('commandstats'));
      await side.close();
      return sent / count;
    };
    const ours = await measure(await openOurs(site, site.redisUrl));
    const peer = await measure(await openPeer(site, site.redisUrl));
    await client.disconnect();
    const timeAt = async (redisUrl: string, prefix: string): Promise<number> => {
      const side = await openBenchDesk({ kind: site.store, redisUrl, prefix });
      await timeCycles(side, count);
      const ms = await timeCycles(side, count);
      await side.close();
      return ms;
    };
    const near = await timeAt(site.redisUrl, 'near');
    const far = await timeAt(site.slowRedisUrl, 'far');
    return { ours, peer, waits: (far - near) / DELAY_MS };
  },

  lines: ({ ours = Number.NaN, peer = Number.NaN, waits = Number.NaN }) => [
    {
      what: 'client commands per cycle',
      store: 'Redis',
      ours,
      baseline: undefined,
      unit: 'commands',
      goal: 20,
      against: `a limit (createAgent + humanInTheLoopMiddleware: ${peer})`,
    },
    {
      what: 'answers of Redis that a cycle waits for, one after another',
      store: 'Redis, 2 ms away',
      ours: waits,
      baseline: undefined,
      unit: 'waits',
      goal: 8,
      against: 'a limit (the added time of a cycle, by 2 ms)',
    },
  ],
};

/** The server counts what scripts run too; whoever sends scripts sends nothing else here. */
function countSent(stats: string): number {
  const found = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  const sum = (isCounted: (name: string) => boolean) =>
    found.reduce((total, [, name = '', calls]) => total + (isCounted(name) ? Number(calls) : 0), 0);
  const scripts = sum((name) => name === 'evalsha' || name === 'eval');
  return scripts > 0 ? scripts : sum((name) => name !== 'config|resetstat' && name !== 'info');
}
