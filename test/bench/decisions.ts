import { shortDigest } from '../../src/domain/calls/digest.ts';
import { TWO_APPROVERS } from '../support/builders/a-call.ts';
import { startServer } from './clicks.ts';
import { type Bench, interleave, type Site, timeOf } from './kit/bench.ts';
import { openBenchDesk } from './kit/bench-desk.ts';
import { seedPending } from './kit/seed-pending.ts';
import { APP, startTinySlack } from './kit/servers/tiny-slack.ts';

const PEOPLE = 64;

/** Measures the average time of a decision while 64 people click, each as soon as the previous click was answered. */
export const decisions: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe(site) {
    return { alone: await timeAlone(site), ...(await timeClicks(site)) };
  },

  lines: ({ ack, alone = Number.NaN, http = Number.NaN }, store) => [
    {
      what: 'one decision while 64 people decide, without Slack',
      store,
      ours: alone,
      baseline: undefined,
      unit: 'ms',
      goal: 1,
      against: 'a limit: 1,000 decisions a second',
    },
    {
      what: 'one click while 64 people click, through signed HTTP',
      store,
      ours: http,
      baseline: ack,
      unit: 'ms',
      goal: 3.33,
      against: 'a Bolt handler that only acknowledges',
    },
  ],
};

/** Runs the functions with limited concurrency, and returns the average time of one in milliseconds. */
async function perOne<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<number> {
  const left = [...all];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next);
  };
  const ms = await timeOf(() => Promise.all(Array.from({ length: PEOPLE }, lane)));
  return ms / all.length;
}

async function timeAlone({ redisUrl, scale, store: kind }: Site): Promise<number> {
  const perRound = scale.isQuick ? 64 : 1_000;
  const requester = { team: APP.team, user: 'U1' };
  const by = { team: APP.team, user: 'U2' };
  let calls: Awaited<ReturnType<typeof seedPending>> = [];
  const bench = await openBenchDesk({
    ...{ kind, redisUrl, prefix: 'decisions', route: TWO_APPROVERS },
    async before(store, clock) {
      const count = perRound * (scale.rounds + 1);
      calls = await seedPending({ store, clock, count, requester, route: TWO_APPROVERS });
    },
  });
  const pages = Array.from({ length: scale.rounds + 1 }, (_, i) =>
    calls.slice(i * perRound, (i + 1) * perRound),
  );
  const decideAll = () =>
    perOne(pages.pop() ?? [], async ({ attempt, digest, id: callId }) => {
      const decision = { kind: 'approve' } as const;
      const command = { callId, attempt, digest: shortDigest(digest), by, decision };
      const outcome = await bench.desk.decide(command);
      if (outcome.kind !== 'recorded') throw new Error(`A decision came to be ${outcome.kind}.`);
    });
  // The first ones are warm-up.
  await decideAll();
  const { alone } = await interleave(scale.rounds, { alone: decideAll });
  await bench.close();
  return alone;
}

async function timeClicks({ redisUrl, scale, store: kind }: Site) {
  const perRound = scale.isQuick ? 64 : 500;
  const slack = await startTinySlack();
  const calls = perRound * (scale.rounds + 1);
  const shared = { kind, redisUrl, apiUrl: slack.apiUrl, calls };
  const ours = await startServer({ side: 'ours', ...shared });
  const acks = await startServer({ side: 'ack', ...shared });
  const nobodys = Array.from({ length: perRound }, () => 'call_aaaaaaaaaaaaaaaaaaaaaa.1.0');
  const sides = {
    http: () => perOne(ours.tokens.splice(0, perRound), ours.click),
    ack: () => perOne(nobodys, acks.click),
  };
  await sides.http();
  await sides.ack();
  const times = await interleave(scale.rounds, sides);
  await Promise.all([ours.stop(), acks.stop()]);
  await slack.stop();
  return times;
}
