import { Command } from '@langchain/langgraph';
import type { ToolReply } from '../domain/calls/outcome.ts';
import type { ThreadFence } from '../domain/ports/agenda.ts';
import {
  type Agent,
  type Checkpoints,
  type GraphState,
  type RecordedTurn,
  UNREADABLE_STATE,
  UnreadableStateError,
} from '../domain/ports/agent.ts';
import type { MessageWithFiles } from '../domain/ports/file-ports.ts';
import type { ThreadKey } from '../domain/threads/thread-key.ts';
import { BufferedSaver } from './turn/buffered-saver.ts';
import { createModelStep, hasRoomForTurn, type ModelStepDeps } from './turn/model-step.ts';
import { toGraphState } from './turn/parse-graph-state.ts';
import { toUserMessage } from './turn/prompt.ts';
import { compileTurnGraph } from './turn/turn-graph.ts';

export interface AgentDeps extends ModelStepDeps {
  readonly checkpoints: Checkpoints;
}

/**
 * A run makes one model request and is stored once, at its end: a crash loses only that request.
 * Concurrency is low because a batch's tasks do no work, and more listeners on one signal make Node warn.
 */
const RUN = { durability: 'exit', maxConcurrency: 4 } as const;

/** Creates the agent that runs turns in the pure graph, with stored checkpoints. */
export function createAgent(deps: AgentDeps): Agent {
  const saver = new BufferedSaver(deps.checkpoints);
  if (!hasRoomForTurn(deps)) deps.log?.warn({ contextTokens: deps.contextTokens }, NO_ROOM);
  const unfinished = new Map<ThreadKey, string>();
  const graph = compileTurnGraph(createModelStep(deps, unfinished), saver);

  async function read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState> {
    const configurable = configOf(thread, fence);
    return await graph
      .getState({ configurable })
      .then(toGraphState)
      .catch((error: unknown) => {
        if (!(error instanceof UnreadableStateError)) throw error;
        deps.log?.warn({ err: error, thread }, 'The stored state of a thread can’t be read.');
        return UNREADABLE_STATE;
      });
  }

  async function run(
    input: Parameters<typeof graph.invoke>[0],
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState> {
    signal.throwIfAborted();
    unfinished.delete(fence.thread);
    // A separate signal, because the library never removes its listeners.
    const own = AbortSignal.any([signal]);
    await graph.invoke(input, { configurable: configOf(fence.thread, fence), signal: own, ...RUN });
    return await read(fence.thread, fence);
  }

  return {
    read,
    async start(message, fence, signal) {
      // Drops an earlier turn's state. With a stale fence this throws before the model is asked.
      await saver.forget(fence);
      return await run(toInput(message), fence, signal);
    },
    async resume(thread, replies, fence, signal) {
      if (!hasReplies(replies)) return await read(thread, fence);
      return await run(new Command({ resume: replies }), fence, signal);
    },
    proceed: (_thread, fence, signal) => run(null, fence, signal),
    async rebuild(turn, fence, signal) {
      signal.throwIfAborted();
      await saver.forget(fence);
      const configurable = configOf(fence.thread, fence);
      // Continue as if the model had just answered: its calls are sent again.
      await graph.updateState({ configurable }, toTurnState(turn), 'model');
      return await run(null, fence, signal);
    },
    snapshot: (fence) => saver.snapshot(fence),
    rest: (fence) => saver.rest(fence),
    unfinished: (thread) => unfinished.get(thread) ?? '',
    async forget(thread, fence) {
      unfinished.delete(thread);
      await saver.forget(fence);
    },
  };
}

/** LangGraph treats an empty map as no input. */
function hasReplies(replies: Readonly<Record<string, ToolReply>>): boolean {
  const ids = Object.keys(replies);
  // If one key is not an interrupt id, LangGraph resumes every open call with the whole map.
  if (!ids.every(isInterruptId)) throw new TypeError('A reply has no valid interrupt id.');
  return ids.length > 0;
}

const NO_ROOM =
  'CONTEXT_TOKENS is too small: the instructions and tools alone fill it, so requests will exceed it. Set it higher.';

function toInput(message: MessageWithFiles) {
  const agent = message.delegated?.agent;
  const messages = [toUserMessage(message)];
  return { turn: message.id, messages, ...(agent !== undefined && { agent }) };
}

function toTurnState({ turn, agent, messages, spent, notice }: RecordedTurn) {
  return {
    ...{ turn, messages, endTurn: false },
    ...(agent !== undefined && { agent }),
    ...(spent && { spent }),
    ...(notice !== undefined && { notice }),
  };
}

function configOf(thread: ThreadKey, fence: ThreadFence | undefined) {
  return { thread_id: thread, ...(fence && { fence_token: fence.token }) };
}

function isInterruptId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
