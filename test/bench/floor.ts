import { z } from 'zod';
import { createAgent } from '../../src/agent/create-agent.ts';
import { createToolbox } from '../../src/agent/tools/create-toolbox.ts';
import type { ToolDefinition } from '../../src/agent/tools/define-tool.ts';
import type { InboxMessage } from '../../src/domain/threads/message.ts';
import { threadKey } from '../../src/domain/threads/thread-key.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import type { Commit, Records } from '../../src/stores/records.ts';
import { connectRedis } from '../../src/stores/redis/connection/connect-redis.ts';
import { openRedisRecords } from '../../src/stores/redis/redis-records.ts';
import { openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { openSqliteRecords } from '../../src/stores/sqlite/sqlite-records.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { type Bench, interleave, type Site, timeOf } from './kit/bench.ts';
import { CALL_ONCE, createBenchModel, TOOL_NAME } from './kit/bench-model.ts';
import { QUIET_LOG } from './kit/bench-store.ts';

/** Measures lower bounds of a cycle: the graph without desk and store, and the commits of a cycle without the graph. */
export const floor: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe(site) {
    const count = site.scale.isQuick ? 1 : 30;
    const graph = await openGraph();
    const commits = await openCommits(site);
    const average = async (work: () => Promise<void>): Promise<number> => {
      const ms = await timeOf(async () => {
        for (let i = 0; i < count; i += 1) await work();
      });
      return ms / count;
    };
    await average(graph.cycle);
    await average(commits.cycle);
    const times = await interleave(site.scale.rounds, {
      graph: () => average(graph.cycle),
      commits: () => average(commits.cycle),
    });
    await graph.close();
    await commits.close();
    return times;
  },

  lines: ({ commits = Number.NaN, graph = Number.NaN }, store) => [
    ...(store === 'SQLite'
      ? [
          {
            what: 'floor of the cycle: our graph with no desk and no store',
            store: 'none',
            ours: graph,
            baseline: undefined,
            unit: 'ms' as const,
            goal: 8,
            against: 'a limit',
          },
        ]
      : []),
    {
      what: `floor of the cycle: ${COMMITS.length} commits with no graph`,
      store: store === 'Redis' ? 'Redis, 2 ms away' : store,
      ours: commits,
      baseline: undefined,
      unit: 'ms',
      goal: store === 'Redis' ? 40 : 8,
      against: 'a limit',
    },
  ],
};

interface Side {
  cycle(): Promise<void>;
  close(): Promise<void>;
}

async function openGraph(): Promise<Side> {
  const { path, remove } = await makeTempDir();
  const tool: ToolDefinition = {
    name: TOOL_NAME,
    description: 'Writes a note.',
    schema: z.object({ path: z.string(), content: z.string() }),
    run: () => 'Written.',
  };
  const { toolbox } = createToolbox({ workspaceDir: path, extra: [tool] });
  const agent = createAgent({
    model: createBenchModel(CALL_ONCE),
    toolbox,
    helpers: [],
    history: { newest: async () => [] },
    checkpoints: { read: async () => undefined, keep: async () => {} },
    clock: createSystemClock(),
    systemPrompt: 'You are a helpful assistant.',
    contextTokens: 20_000,
    log: QUIET_LOG,
  });
  const { signal } = new AbortController();
  let threads = 0;
  return {
    async cycle() {
      threads += 1;
      const ts = `${1_700_000_000 + threads}.000000`;
      const thread = threadKey({ team: 'T1', channel: 'C1', ts });
      const author = { team: 'T1', user: 'U1' };
      const text = 'Please write the note of today.';
      const message: InboxMessage = { id: thread, thread, author, ts, text, receivedAt: 0 };
      const fence = { thread, token: 1 };
      const { open } = await agent.start(message, fence, signal);
      await agent.snapshot?.(fence);
      const reply = { v: 1, text: 'Written.', status: 'ok', endsTurn: false } as const;
      const replies = Object.fromEntries(open.map(({ interruptId }) => [interruptId, reply]));
      const { phase } = await agent.resume(thread, replies, fence, signal);
      if (phase !== 'finished') throw new Error(`The graph came to be ${phase}.`);
      await agent.forget(thread, fence);
      await agent.rest?.(fence);
    },
    close: remove,
  };
}

/** The commits of a cycle that are waited for, and those that are not. */
const COMMITS: readonly Commit['durable'][] = [
  ...(['now', 'later', 'now', 'later', 'now'] as const),
  ...(['now', 'now', 'later', 'later'] as const),
];

async function openCommits(site: Site): Promise<Side> {
  const { close, records } =
    site.store === 'SQLite' ? await openFile() : await openServer(site.slowRedisUrl);
  let made = 0;
  const document = JSON.stringify({ text: 'x'.repeat(600) });
  return {
    async cycle() {
      for (const durable of COMMITS) {
        made += 1;
        const key = (i: number) => `bench/${made}-${i}`;
        const entries = (i: number) =>
          [0, 1].map((at) => ({ partition: `bench.${at}`, sort: `${made}-${i}` }));
        const puts = [0, 1, 2].map((i) => {
          return { key: key(i), replaces: 0, document, add: entries(i) };
        });
        const done = await records.commit({ id: `commit-${made}`, durable, records: puts });
        if (done.kind !== 'done') throw new Error(`A commit came to be ${done.kind}.`);
      }
    },
    close,
  };
}

interface OpenRecords {
  readonly records: Records;
  close(): Promise<void>;
}

async function openFile(): Promise<OpenRecords> {
  const { path, remove } = await makeTempDir();
  const { close, db, file, group } = openDatabase(path);
  const records = openSqliteRecords({ db, file, group }, Date.now());
  return {
    records,
    async close() {
      await records.close();
      close();
      await remove();
    },
  };
}

async function openServer(url: string): Promise<OpenRecords> {
  const connection = await connectRedis({ url, clock: createSystemClock(), log: QUIET_LOG });
  const { link } = connection;
  const listen = connection.listen.bind(connection);
  const records = openRedisRecords({ link, listen, prefix: 'floor:{desk}' });
  return { records, close: () => connection.close() };
}
