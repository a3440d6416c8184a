import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Bench, median, type Site, timeOf } from './kit/bench.ts';
import { type BenchDesk, type BenchThread, openBenchDesk } from './kit/bench-desk.ts';
import { TOOL_ARGS } from './kit/bench-model.ts';
import { openClient } from './kit/bench-store.ts';

/** Questions and answers have one kilobyte each, and one turn in five makes a call. */
const KILOBYTE = 'All work and no play makes a long thread. '.repeat(25).slice(0, 1_000);
const CALL_EVERY = 5;
const ASKS_FOR_CALL = 'Write it down.';
const WARM_UP = 60;

/** Measures the size of a long thread, and whether it gets slower. */
export const longThread: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe(site) {
    const { redisUrl, scale, store: kind } = site;
    const script = { calls: (asked: string) => asked.endsWith(ASKS_FOR_CALL), answer: KILOBYTE };
    const desk = await openBenchDesk({ kind, redisUrl, prefix: 'long', script });
    for (let i = 0; i < (scale.isQuick ? 1 : WARM_UP); i += 1) {
      await takeTurn(desk, { root: 100 + i, messages: 0 }, CALL_EVERY);
    }
    const stored: number[] = [];
    const early: number[] = [];
    const late: number[] = [];
    let text = 0;
    for (let round = 0; round < scale.rounds; round += 1) {
      const before = await measureStored(site, desk);
      const found = await goOn(desk, { root: round, messages: 0 }, scale.isQuick ? 6 : 200);
      stored.push((await measureStored(site, desk)) - before);
      text = found.text;
      const span = scale.isQuick ? 2 : 8;
      const from = scale.isQuick ? 0 : 4;
      early.push(median(found.times.slice(from, from + span)));
      late.push(median(found.times.slice(-span)));
    }
    await desk.close();
    return {
      stored: median(stored) / 1024,
      text: text / 1024,
      early: median(early),
      late: median(late),
    };
  },

  lines: ({ stored = Number.NaN, text, early, late = Number.NaN }, store) => [
    {
      what: 'stored for a settled thread of 200 turns',
      store,
      ours: stored,
      baseline: text,
      unit: 'KB',
      goal: 3.5,
      against: 'the text of its messages',
    },
    {
      what: 'time per turn at turn 200',
      store,
      ours: late,
      baseline: early,
      unit: 'ms',
      goal: 1.2,
      against: 'at turn 10',
    },
  ],
};

/** Runs turns; returns the bytes of all their messages, and the time of those without a call. */
async function goOn(desk: BenchDesk, thread: BenchThread, turns: number) {
  const times: number[] = [];
  let text = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    const { bytes, ms } = await takeTurn(desk, thread, turn);
    text += bytes;
    if (turn % CALL_EVERY !== 0) times.push(ms);
  }
  return { text, times };
}

async function takeTurn(desk: BenchDesk, thread: BenchThread, turn: number) {
  const isCall = turn % CALL_EVERY === 0;
  const asked = isCall ? `${turn}. ${KILOBYTE}${ASKS_FOR_CALL}` : `${turn}. ${KILOBYTE}`;
  const said = Buffer.byteLength(asked) + KILOBYTE.length;
  if (!isCall) return { bytes: said, ms: await timeOf(() => desk.talk(thread, asked)) };
  const call = await desk.ask(thread, asked);
  const answer = desk.answer();
  await desk.approve(call);
  await answer;
  await desk.worker.idle();
  return { bytes: said + JSON.stringify(TOOL_ARGS).length + 'Written.'.length, ms: Number.NaN };
}

/** Bytes used by the store: pages in use, or the memory that Redis reports. */
async function measureStored({ store, redisUrl }: Site, desk: BenchDesk): Promise<number> {
  if (store === 'Redis') {
    const client = await openClient(redisUrl);
    const info = await client.info('memory');
    await client.disconnect();
    return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
  }
  const db = new Database(join(desk.dataDir, 'countersign.db'), { readonly: true });
  const read = (name: string) => Number(db.pragma(name, { simple: true }));
  const used = (read('page_count') - read('freelist_count')) * read('page_size');
  db.close();
  return used;
}
