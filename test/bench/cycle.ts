import { type Bench, interleave } from './kit/bench.ts';
import { openOurs, openPeer, timeCycles } from './kit/cycle-sides.ts';

/** Measures a cycle: a message, a call, an approval, the tool, the answer. */
export const cycle: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe(site) {
    const { scale, slowRedisUrl } = site;
    const ours = await openOurs(site, slowRedisUrl);
    const peer = await openPeer(site, slowRedisUrl);
    const durable = await openPeer(site, slowRedisUrl, true);
    const count = scale.isQuick ? 1 : 30;
    const warmUp = scale.isQuick ? 1 : 30;
    await timeCycles(ours, warmUp);
    await timeCycles(peer, warmUp);
    await timeCycles(durable, warmUp);
    const times = await interleave(scale.rounds, {
      ours: () => timeCycles(ours, count),
      peer: () => timeCycles(peer, count),
      durable: () => timeCycles(durable, count),
    });
    await ours.close();
    await peer.close();
    await durable.close();
    return times;
  },

  lines: ({ durable, ours = Number.NaN, peer }, store) => [
    {
      what: 'interrupt → resume cycle, whole desk included',
      store: store === 'Redis' ? 'Redis, 2 ms away' : store,
      ours,
      baseline: peer,
      unit: 'ms',
      goal: store === 'Redis' ? 0.4 : 1,
      against: 'createAgent + humanInTheLoopMiddleware',
    },
    ...(store === 'Redis'
      ? []
      : [
          {
            what: 'interrupt → resume cycle, whole desk included',
            store,
            ours,
            baseline: durable,
            unit: 'ms' as const,
            goal: 1,
            against: 'the same, with its writes synced to the disk as ours are',
          },
        ]),
  ],
};
