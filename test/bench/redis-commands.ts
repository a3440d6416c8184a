import type { Bench } from './kit/bench.ts';
import { openClient } from './kit/bench-store.ts';
import { type CycleSide, openOurs, openPeer, timeCycles } from './kit/cycle-sides.ts';

/** How many commands the clients of Redis send in a cycle. */
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
    return { ours, peer };
  },

  lines: ({ ours = Number.NaN, peer = Number.NaN }) => [
    {
      what: 'client commands per cycle',
      store: 'Redis',
      ours,
      baseline: undefined,
      unit: 'commands',
      goal: 20,
      against: `a limit (createAgent + humanInTheLoopMiddleware: ${peer})`,
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
