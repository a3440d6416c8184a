/** The desk over an example graph: everything is real except Slack and the graph's model. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createGraphAgent } from '../../../src/agent/graphs/create-graph-agent.ts';
import { loadGraph } from '../../../src/agent/graphs/load-graph.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import type { Agent } from '../../../src/domain/ports/agent.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import type { SqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';
import { until } from '../../support/until.ts';

/** The folder of the example graphs. */
export function graphFile(name: string): string {
  const file = name.includes('.') ? name : `${name}.ts`;
  return fileURLToPath(new URL(`../../fixtures/graphs/${file}`, import.meta.url));
}

export interface GraphDesk extends TestDesk {
  readonly agent: () => Agent;
  /** What the graph's tools did, in order. */
  ran(): Promise<readonly string[]>;
  /** Blocks the graph's tools once they have started; resolves with a function that releases them. */
  hold(): Promise<() => Promise<void>>;
  /** Waits until a tool has started with this argument. */
  began(value: string): Promise<void>;
  /** How often its models were asked. */
  asked(): Promise<number>;
  /** The open call with this argument value. */
  open(value: string): Promise<Call>;
  /** All messages in the thread, in order. */
  said(): readonly string[];
  approve(call: Call): Promise<void>;
  /** Approves without waiting. */
  press(call: Call): Promise<void>;
  ignore(call: Call): Promise<void>;
  reply(call: Call, text: string): Promise<void>;
}

/** Puts a graph behind a desk that is closed with the test. */
export async function buildGraphDesk(
  t: TestContext,
  file: string,
  options: {
    readonly exported?: string;
    readonly gate?: Gate;
    readonly directory?: Directory;
    readonly kind?: StoreKind;
    readonly agentOf?: (store: SqliteStore) => Promise<Agent>;
    /** The file in which the tools of a graph in another process log what they do. */
    readonly journal?: string;
  } = {},
): Promise<GraphDesk> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-graph-'));
  t.after(() => rm(folder, { recursive: true }));
  const journal = options.journal ?? join(folder, 'journal');
  process.env.GRAPH_JOURNAL = journal;
  let made: Agent | undefined;
  const agentOf = async (store: SqliteStore) => {
    made = options.agentOf
      ? await options.agentOf(store)
      : createGraphAgent({
          graph: await loadGraph(
            { name: file, path: graphFile(file), exported: options.exported ?? 'graph' },
            { saver: store.saver, clock: createSystemClock() },
          ),
          log: { error: () => {} },
        });
    return made;
  };
  const opened = await storeOf(t, options.kind ?? 'SQLite');
  const desk = await buildDesk(t, {
    tools: [],
    agentOf,
    ...(options.gate && { gate: options.gate }),
    ...(options.directory && { directory: options.directory }),
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  const lines = async (kind: string) =>
    (await readFile(journal, 'utf8').catch(() => ''))
      .split('\n')
      .flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  return {
    ...desk,
    agent() {
      if (!made) throw new Error('There is no agent yet.');
      return made;
    },
    ran: () => lines('ran'),
    async hold() {
      await writeFile(`${journal}.hold`, '');
      return () => rm(`${journal}.hold`);
    },
    began: (value) => until(async () => (await lines('began')).includes(value), 20),
    asked: async () => (await lines('model')).length,
    async open(value) {
      const calls = await desk.store.ledger.ofThread(THREAD);
      const found = calls.findLast(
        ({ status, args }) => status === 'pending' && args.includes(value),
      );
      if (found) return found;
      throw new Error(
        `No open call with ${value}: ${calls.map((c) => `${c.status} ${c.args}`).join('; ')}`,
      );
    },
    said: () => desk.chat.said.map(({ text }) => text),
    async press({ id: callId, attempt, digest }) {
      const decision = { kind: 'approve' } as const;
      const look = { callId, attempt, digest: shortDigest(digest), by: REQUESTER };
      await desk.desk.decide({ ...look, decision });
    },
    approve: async (call) => void (await desk.decide(call, REQUESTER)),
    ignore: async (call) => void (await desk.decide(call, REQUESTER, { kind: 'ignore' })),
    reply: async (call, text) => void (await desk.decide(call, REQUESTER, { kind: 'reply', text })),
  };
}
