import assert from 'node:assert/strict';
import { createClient } from 'redis';
import type { Bench } from './kit/bench.ts';
import { openBenchDesk } from './kit/bench-desk.ts';
import { openClient } from './kit/bench-store.ts';
import { type CycleSide, openOurs, openPeer, timeCycles } from './kit/cycle-sides.ts';

/** Measures how many commands the Redis clients send in a cycle, and how often a cycle waits for a response. */
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
    const redisUrl = site.slowRedisUrl;
    const side = await openBenchDesk({ kind: site.store, redisUrl, prefix: 'far' });
    await timeCycles(side, count);
    const counted = countWaits();
    await timeCycles(side, count);
    const waits = counted() / count;
    await side.close();
    return { ours, peer, waits };
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
      against: 'a limit (commands that are sent while no other is on its way)',
    },
  ],
};

/** Counts the commands sent while no other command of this process is in flight. */
function countWaits(): () => number {
  let prototype: object | null = createClient();
  while (prototype && !Object.hasOwn(prototype, 'sendCommand')) {
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  assert.ok(prototype);
  const client = prototype as { sendCommand(...args: unknown[]): Promise<unknown> };
  const send = client.sendCommand;
  let [underWay, waits] = [0, 0];
  client.sendCommand = function (...args) {
    if (underWay === 0) waits += 1;
    underWay += 1;
    return send.apply(this, args).finally(() => {
      underWay -= 1;
    });
  };
  return () => waits;
}

/** The server also counts the commands inside scripts; a client that sends scripts sends nothing else here. */
function countSent(stats: string): number {
  const found = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  const sum = (isCounted: (name: string) => boolean) =>
    found.reduce((total, [, name = '', calls]) => total + (isCounted(name) ? Number(calls) : 0), 0);
  const scripts = sum((name) => name === 'evalsha' || name === 'eval');
  return scripts > 0 ? scripts : sum((name) => name !== 'config|resetstat' && name !== 'info');
}
