import type { ThreadFence } from '../../domain/ports/agenda.ts';
import {
  type GraphState,
  UNREADABLE_STATE,
  UnreadableStateError,
} from '../../domain/ports/agent.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import {
  type ForeignGraph,
  GraphError,
  type GraphInput,
  type GraphSnapshot,
} from './foreign-graph.ts';
import { type GraphTurn, parseGraphTurn, parseGraphTurnSince } from './graph-messages.ts';
import { describeBreakpoint, describeFailedRun, end, openOf, toGraphState } from './graph-state.ts';
import { answerUnsupportedInterrupts } from './to-open-calls.ts';

export interface GraphAgentDeps {
  readonly graph: ForeignGraph;
  readonly log: Pick<Log, 'error'>;
  /** Called with the agent's text as it arrives. */
  readonly onDelta?: ((thread: ThreadKey, text: string, restarts: boolean) => void) | undefined;
}

/** Reads the state of a graph's threads. */
export interface GraphReader {
  read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState>;
  /** Returns undefined if the thread's state is unreadable. */
  snapshotOf(thread: ThreadKey, fence?: ThreadFence): Promise<GraphSnapshot | undefined>;
  /** The turn that the graph works on; undefined if there is none. */
  turnOf(thread: ThreadKey, snapshot: GraphSnapshot): Promise<GraphTurn | undefined>;
  toState(thread: ThreadKey, snapshot: GraphSnapshot): Promise<GraphState>;
}

/** Creates the reader of one graph. */
export function createGraphReader({ graph, log }: GraphAgentDeps): GraphReader {
  const { name } = graph;

  async function snapshotOf(thread: ThreadKey, fence?: ThreadFence) {
    try {
      return await graph.read(thread, fence);
    } catch (error) {
      if (!(error instanceof UnreadableStateError)) throw error;
      log.error({ err: error, thread, graph: name }, 'The graph’s thread can’t be read.');
      return undefined;
    }
  }

  /** A graph that summarizes may drop the message it is answering. Earlier states still have it. */
  async function turnOf(thread: ThreadKey, { messages, exists }: GraphSnapshot) {
    const turn = parseGraphTurn(messages);
    if (turn || !exists) return turn;
    for await (const earlier of graph.earlier(thread)) {
      const turnSince = parseGraphTurnSince(earlier, messages);
      if (turnSince) return turnSince;
    }
    return undefined;
  }

  const toState = async (thread: ThreadKey, snapshot: GraphSnapshot) =>
    toGraphState(snapshot, await turnOf(thread, snapshot), name);

  return {
    async read(thread, fence) {
      const snapshot = await snapshotOf(thread, fence);
      return snapshot ? await toState(thread, snapshot) : UNREADABLE_STATE;
    },
    snapshotOf,
    turnOf,
    toState,
  };
}

/** Runs a graph's threads, and keeps the text of answers that have not ended. */
export interface GraphRuns {
  run(input: GraphInput, fence: ThreadFence, signal: AbortSignal): Promise<GraphState>;
  unfinished(thread: ThreadKey): string;
  forget(thread: ThreadKey): void;
}

/** A graph might repeat questions that allow no answer endlessly. */
const MAX_REFUSALS = 3;

/** Creates the runs of one graph. */
export function createGraphRuns(
  { graph, log, onDelta }: GraphAgentDeps,
  { read, snapshotOf, toState }: GraphReader,
): GraphRuns {
  const { name } = graph;
  const unfinished = new Map<ThreadKey, string>();

  function createTextListener(thread: ThreadKey) {
    let newest: string | undefined;
    return (text: string, messageId: string | undefined): void => {
      const before = unfinished.get(thread) ?? '';
      const piece = before !== '' && messageId !== newest ? `\n\n${text}` : text;
      newest = messageId;
      unfinished.set(thread, before + piece);
      onDelta?.(thread, piece, false);
    };
  }

  async function run(input: GraphInput, fence: ThreadFence, signal: AbortSignal, refusals = 0) {
    signal.throwIfAborted();
    const { thread } = fence;
    unfinished.delete(thread);
    try {
      // A separate signal, because the library never removes its listeners.
      const own = AbortSignal.any([signal]);
      await graph.run(input, { fence, signal: own, onText: createTextListener(thread) });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GraphError)) throw error;
      log.error({ err: error, thread, graph: name }, 'The graph failed.');
      return end(await read(thread, fence), describeFailedRun(name));
    }
    unfinished.delete(thread);
    return await conclude(fence, signal, refusals);
  }

  /** Reads the state after a run. Refuses questions that allow no answer, and continues the run. */
  async function conclude(
    fence: ThreadFence,
    signal: AbortSignal,
    refusals: number,
  ): Promise<GraphState> {
    const { thread } = fence;
    const snapshot = await snapshotOf(thread, fence);
    const answers = answerUnsupportedInterrupts(snapshot ? openOf(snapshot) : []);
    if (Object.keys(answers).length > 0 && refusals < MAX_REFUSALS) {
      return await run({ kind: 'answers', answers, messages: [] }, fence, signal, refusals + 1);
    }
    const state = snapshot ? await toState(thread, snapshot) : UNREADABLE_STATE;
    // Stopped without a question, so at a breakpoint. Continuing would skip an approval.
    return state.phase === 'stuck' ? end(state, describeBreakpoint(name)) : state;
  }

  return {
    run: (input, fence, signal) => run(input, fence, signal),
    unfinished: (thread) => unfinished.get(thread) ?? '',
    forget: (thread) => void unfinished.delete(thread),
  };
}
