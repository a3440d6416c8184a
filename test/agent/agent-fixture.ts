import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { type AgentDeps, createAgent } from '../../src/agent/create-agent.ts';
import { createChatModel } from '../../src/agent/model/create-chat-model.ts';
import { defineTool } from '../../src/agent/tools/define-tool.ts';
import type { ToolReply } from '../../src/domain/calls/outcome.ts';
import type { ThreadFence } from '../../src/domain/ports/agenda.ts';
import type { Agent, Checkpoints, GraphState } from '../../src/domain/ports/agent.ts';
import type { History } from '../../src/domain/ports/store.ts';
import type { InboxMessage, SettledTurn } from '../../src/domain/threads/message.ts';
import { type ThreadKey, threadKey } from '../../src/domain/threads/thread-key.ts';
import type { Tool, Toolbox } from '../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../src/domain/tools/toolbox.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import {
  createMockModel,
  type MockModel,
  type MockScript,
  sayCalls,
  sayText,
} from '../support/servers/mock-model.ts';

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

/** States in memory; `fail` makes every write throw. */
export function createTestCheckpoints() {
  const states = new Map<ThreadKey, string>();
  const tokens: number[] = [];
  let trouble: Error | undefined;
  const checkpoints: Checkpoints = {
    read: async (thread) => states.get(thread),
    async keep(thread, state, { token }) {
      if (trouble) throw trouble;
      tokens.push(token);
      states.set(thread, state);
    },
  };
  return {
    checkpoints,
    tokens,
    fail: (error: Error | undefined) => {
      trouble = error;
    },
  };
}

/** Stores the state after each step, as the desk does together with its own changes. */
function storing(agent: Agent): Agent {
  const stored = async (fence: ThreadFence, step: () => Promise<GraphState>) => {
    try {
      return await step();
    } finally {
      await agent.rest?.(fence);
    }
  };
  return {
    ...agent,
    start: (message, fence, signal) => stored(fence, () => agent.start(message, fence, signal)),
    resume: (thread, replies, fence, signal) =>
      stored(fence, () => agent.resume(thread, replies, fence, signal)),
    proceed: (thread, fence, signal) => stored(fence, () => agent.proceed(thread, fence, signal)),
    rebuild: (turn, fence, signal) =>
      stored(fence, async () => {
        assert.ok(agent.rebuild);
        return await agent.rebuild(turn, fence, signal);
      }),
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
  return buildToolbox(tools.values());
}

export interface AgentBench {
  readonly mock: MockModel;
  readonly clock: ManualClock;
  readonly agent: Agent;
  readonly warnings: readonly object[];
  /** Another agent on the same checkpoints, as after a restart. */
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
    checkpoints: createTestCheckpoints().checkpoints,
    clock,
    systemPrompt: 'Be kind.',
    contextTokens: 8_000,
    log: { warn: (fields) => warnings.push(fields) },
    ...rest,
  };
  const restart = () => storing(createAgent(deps));
  return { mock, clock, agent: restart(), warnings, restart };
}

/** Replies to the open call of this name (and this position among those of its name). */
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

/** Waits, without a clock, until something has happened over the network. */
export async function until(isDone: () => boolean): Promise<void> {
  for (let round = 0; !isDone(); round += 1) {
    if (round > 20_000) throw new Error('It did not happen.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Three calls, two of them identical, and then a final message. */
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
