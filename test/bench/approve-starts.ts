import { callEffectsOf } from '../../src/desk/calls/call-effects.ts';
import type { Call } from '../../src/domain/calls/call.ts';
import type { Store } from '../../src/domain/ports/store.ts';
import { type Bench, median, timeOf } from './kit/bench.ts';
import { openBenchDesk } from './kit/bench-desk.ts';
import { openClient } from './kit/bench-store.ts';

/** Measures the time from a decision to the start of the tool. */
export const approveStarts: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe({ store: kind, slowRedisUrl, scale }) {
    const desk = await openBenchDesk({ kind, redisUrl: slowRedisUrl, prefix: 'starts' });
    const client = kind === 'Redis' ? await openClient(slowRedisUrl) : undefined;
    const count = scale.isQuick ? 2 : 40;
    for (let i = 0; i < count; i += 1) await desk.cycle();
    const starts: number[] = [];
    const writes: number[] = [];
    const rounds: { starts: number; writes: number }[] = [];
    for (let round = 0; round < scale.rounds; round += 1) {
      for (let i = 0; i < count; i += 1) {
        const thread = { root: 100_000 + round * count + i, messages: 0 };
        const call = await desk.ask(thread, 'Please write the note of today.');
        await desk.worker.idle();
        writes.push(
          await timeOf(() => (client ? client.get('nothing') : writeOnce(desk.store, call))),
        );
        const answer = desk.answer();
        const started = desk.toolStart();
        starts.push(
          await timeOf(async () => {
            await desk.approve(call);
            await started;
          }),
        );
        await answer;
        await desk.worker.idle();
      }
      rounds.push({ starts: median(starts.splice(0)), writes: median(writes.splice(0)) });
    }
    await desk.close();
    await client?.disconnect();
    return {
      start: median(rounds.map((each) => each.starts)),
      write: median(rounds.map((each) => each.writes)),
    };
  },

  lines: ({ start = Number.NaN, write }, store) => [
    {
      what: 'approve → tool starts, without Slack',
      store: store === 'Redis' ? 'Redis, 2 ms away' : store,
      ours: start,
      baseline: write,
      unit: 'ms',
      goal: store === 'Redis' ? 3 : 2,
      against: store === 'Redis' ? 'one GET' : 'one durable write of the same store',
    },
  ],
};

/** The smallest durable write: an audit entry, as large as that of a decision, and a wake-up. */
async function writeOnce({ audit }: Store, call: Call): Promise<void> {
  const step = { cause: 'approve', call } as const;
  await audit.append(callEffectsOf(call, [step], call.requester).audit);
}
