import type { TestContext } from 'node:test';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { type AgentDeps, createAgent, type TurnSaver } from '../../src/agent/create-agent.ts';
import { createChatModel } from '../../src/agent/model.ts';
import { defineTool } from '../../src/agent/tools/define-tool.ts';
import type { ThreadFence } from '../../src/domain/agenda.ts';
import type { Agent, GraphState } from '../../src/domain/agent.ts';
import type { InboxMessage, SettledTurn } from '../../src/domain/message.ts';
import type { ToolReply } from '../../src/domain/outcome.ts';
import type { History } from '../../src/domain/store.ts';
import { threadKey } from '../../src/domain/thread-key.ts';
import type { Tool, Toolbox } from '../../src/domain/tool.ts';
import { createBox } from '../../src/domain/toolbox.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import {
  createMockModel,
  type MockModel,
  type MockScript,
  sayCalls,
  sayText,
} from '../support/mock-model.ts';

export const THREAD = threadKey({ team: 'T1', channel: 'C1', ts: '100.1' });
export const FENCE: ThreadFence = { thread: THREAD, token: 1 };
export const NO_SIGNAL = new AbortController().signal;

export function aMessage(text: string, ts = '100.1', user = 'U1'): InboxMessage {
  const author = { team: 'T1', user };
  return { id: `T1/C1/${ts}`, thread: THREAD, author, ts, text, receivedAt: 1_000 };
}

export function aReply(text: string, patch: Partial<ToolReply> = {}): ToolReply {
  return { v: 1, text, status: 'ok', endsTurn: false, ...patch };
}

/** A saver on a database in memory; `fail` makes every write throw. */
export function createTestSaver() {
  const stock = new SqliteSaver(new Database(':memory:'));
  const tokens: unknown[] = [];
  let trouble: Error | undefined;
  const put = stock.put.bind(stock);
  const putWrites = stock.putWrites.bind(stock);
  stock.put = async (config, ...rest) => {
    if (trouble) throw trouble;
    tokens.push(config.configurable?.fence_token);
    return await put(config, ...rest);
  };
  stock.putWrites = async (config, ...rest) => {
    if (trouble) throw trouble;
    tokens.push(config.configurable?.fence_token);
    await putWrites(config, ...rest);
  };
  const saver: TurnSaver = Object.assign(stock, {
    async forget(thread: string) {
      // The stock saver makes its tables at the first read or write.
      await stock.getTuple({ configurable: { thread_id: thread } });
      await stock.deleteThread(thread);
    },
  });
  return {
    saver,
    tokens,
    fail: (error: Error | undefined) => {
      trouble = error;
    },
  };
}

/** A history of turns in memory, newest last. */
export function createTestHistory(
  turns: SettledTurn[] = [],
): Pick<History, 'append' | 'newest' | 'has'> {
  return {
    append: async (_thread, turn) => {
      if (!turns.some(({ id }) => id === turn.id)) turns.push(turn);
    },
    newest: async (_thread, limit, skip) => turns.toReversed().slice(skip, skip + limit),
    has: async (_thread, id) => turns.some((turn) => turn.id === id),
  };
}

function aToolbox(...names: readonly string[]): Toolbox {
  const tools = new Map<string, Tool>();
  for (const name of names) {
    const made = defineTool({ name, description: name, schema: z.object({}), run: () => 'ok' });
    if (made.kind === 'tool') tools.set(name, made.tool);
  }
  return createBox(tools.values());
}

export interface AgentBench {
  readonly mock: MockModel;
  readonly clock: ManualClock;
  readonly agent: Agent;
  readonly warnings: readonly object[];
  /** Another agent on the same saver, as after a restart. */
  restart(): Agent;
}

/** An agent on a strict mock of OpenAI; everything is closed with the test. */
export async function createBench(
  t: TestContext,
  script: MockScript,
  patch: Partial<AgentDeps> & { readonly maxRetries?: number; readonly timeoutMs?: number } = {},
): Promise<AgentBench> {
  const mock = await createMockModel(script);
  t.after(() => mock.stop());
  const clock = createManualClock();
  const warnings: object[] = [];
  const { maxRetries = 0, timeoutMs = 60_000, ...rest } = patch;
  const deps: AgentDeps = {
    model: createChatModel({
      model: 'openai/gpt-4o-mini',
      baseUrl: mock.url,
      timeoutMs,
      maxRetries,
    }),
    toolbox: aToolbox('send', 'delete', 'pay'),
    helpers: [],
    history: createTestHistory(),
    saver: createTestSaver().saver,
    clock,
    systemPrompt: 'Be kind.',
    contextTokens: 8_000,
    log: { warn: (fields) => warnings.push(fields) },
    ...rest,
  };
  return { mock, clock, agent: createAgent(deps), warnings, restart: () => createAgent(deps) };
}

/** Answers the open call of this name (and this place among those of its name). */
export function answering(
  state: GraphState,
  tool: string,
  reply: ToolReply,
  nth = 0,
): Record<string, ToolReply> {
  const call = state.open.filter((each) => each.tool === tool)[nth];
  if (!call) throw new Error(`No open call of ${tool}.`);
  return { [call.interruptId]: reply };
}

/** Waits, without a clock, until something over the wire has happened. */
export async function until(isDone: () => boolean): Promise<void> {
  for (let round = 0; !isDone(); round += 1) {
    if (round > 20_000) throw new Error('It did not happen.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Three calls, two of them twins, then a last word. */
export const CLEAN_UP: MockScript = (_request, index) =>
  index === 0
    ? sayCalls(
        [
          { id: 'c1', name: 'delete', args: '{"a":1}' },
          { id: 'c2', name: 'send', args: '{}' },
          { id: 'c3', name: 'delete', args: '{"a":1}' },
        ],
        'I will clean up.',
      )
    : sayText('Done.');
