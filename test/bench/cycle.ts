import { type Bench, interleave } from './kit/bench.ts';
import { openOurs, openPeer, timeCycles } from './kit/cycle-sides.ts';

/** How long a cycle takes: a message, a call, an approval, the tool, the answer. */
export const cycle: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe(site) {
    const { scale, slowRedisUrl } = site;
    const ours = await openOurs(site, slowRedisUrl);
    const peer = await openPeer(site, slowRedisUrl);
    const count = scale.isQuick ? 1 : 30;
    const warmUp = scale.isQuick ? 1 : 30;
    await timeCycles(ours, warmUp);
    await timeCycles(peer, warmUp);
    const times = await interleave(scale.rounds, {
      ours: () => timeCycles(ours, count),
      peer: () => timeCycles(peer, count),
    });
    await ours.close();
    await peer.close();
    return times;
  },

  lines: ({ ours = Number.NaN, peer }, store) => [
    {
      what: 'interrupt → resume cycle, whole desk included',
      store: store === 'Redis' ? 'Redis, 2 ms away' : store,
      ours,
      baseline: peer,
      unit: 'ms',
      goal: store === 'Redis' ? 0.4 : 1,
      against: 'createAgent + humanInTheLoopMiddleware',
    },
  ],
};
