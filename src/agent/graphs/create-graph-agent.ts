import type { ToolReply } from '../../domain/calls/outcome.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import { toPlainJson } from '../../domain/json/to-plain-json.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import {
  type Agent,
  type GraphState,
  UNREADABLE_STATE,
  UnreadableStateError,
} from '../../domain/ports/agent.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { TurnMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { toUserMessage } from '../turn/prompt.ts';
import {
  type ForeignGraph,
  GraphError,
  type GraphInput,
  type GraphSnapshot,
  type OpenInterrupt,
} from './foreign-graph.ts';
import {
  fillMissingAnswers,
  type GraphTurn,
  parseGraphTurn,
  parseGraphTurnSince,
  toGraphUserMessage,
} from './graph-messages.ts';
import type { ForeignRequest } from './protocols/protocol.ts';
import {
  answerUnsupportedInterrupts,
  explainUnsupportedInterrupt,
  toOpenCalls,
  toResumeValue,
} from './to-open-calls.ts';

export interface GraphAgentDeps {
  readonly graph: ForeignGraph;
  readonly log: Pick<Log, 'error'>;
  /** Called with the agent's text as it arrives. */
  readonly onDelta?: ((thread: ThreadKey, text: string, restarts: boolean) => void) | undefined;
}

/**
 * Creates the agent that runs a foreign graph. A Slack thread is one thread of the graph, which keeps the
 * conversation itself. Its tools run inside it, under the lease of our thread. Its interrupts become
 * open calls and are answered by id.
 */
export function createGraphAgent({ graph, log, onDelta }: GraphAgentDeps): Agent {
  const unfinished = new Map<ThreadKey, string>();
  const { name } = graph;

  async function read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState> {
    const snapshot = await readGraph(thread, fence);
    return snapshot ? await toState(thread, snapshot) : UNREADABLE_STATE;
  }

  /** Returns undefined if the thread's state is unreadable. */
  async function readGraph(
    thread: ThreadKey,
    fence?: ThreadFence,
  ): Promise<GraphSnapshot | undefined> {
    try {
      return await graph.read(thread, fence);
    } catch (error) {
      if (!(error instanceof UnreadableStateError)) throw error;
      log.error({ err: error, thread, graph: name }, 'The graph’s thread can’t be read.');
      return undefined;
    }
  }

  async function toState(thread: ThreadKey, snapshot: GraphSnapshot): Promise<GraphState> {
    return toGraphState(snapshot, await turnOf(thread, snapshot), name);
  }

  /** A graph that summarizes may drop the message it is answering. Earlier states still have it. */
  async function turnOf(
    thread: ThreadKey,
    snapshot: GraphSnapshot,
  ): Promise<GraphTurn | undefined> {
    const { messages, exists } = snapshot;
    const turn = parseGraphTurn(messages);
    if (turn || !exists) return turn;
    for await (const earlier of graph.earlier(thread)) {
      const turnSince = parseGraphTurnSince(earlier, messages);
      if (turnSince) return turnSince;
    }
    return undefined;
  }

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

  async function run(
    input: GraphInput,
    fence: ThreadFence,
    signal: AbortSignal,
    refusals = 0,
  ): Promise<GraphState> {
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
      return end(await read(thread, fence), describeFailed(name));
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
    const snapshot = await readGraph(thread, fence);
    const answers = answerUnsupportedInterrupts(snapshot ? openOf(snapshot) : []);
    if (Object.keys(answers).length > 0 && refusals < MAX_REFUSALS) {
      return await run({ kind: 'answers', answers, messages: [] }, fence, signal, refusals + 1);
    }
    const state = snapshot ? await toState(thread, snapshot) : UNREADABLE_STATE;
    // Stopped without a question, so at a breakpoint. Continuing would skip an approval.
    return state.phase === 'stuck' ? end(state, describeBreakpoint(name)) : state;
  }

  /** Encodes the answers. `why` explains the first reply that its interrupt does not accept. */
  function toAnswers(snapshot: GraphSnapshot, replies: Readonly<Record<string, ToolReply>>) {
    const answers: Record<string, JsonValue> = {};
    const lost: string[] = [];
    const messages: JsonValue[] = [];
    let why: string | undefined;
    for (const interrupt of openOf(snapshot)) {
      const answer = toResumeValue(interrupt, replies, snapshot.messages);
      if (answer?.kind === 'unsupported') why ??= describeUnsupportedAnswer(name, answer);
      if (answer?.kind !== 'answer') continue;
      answers[interrupt.id] = answer.value;
      lost.push(...answer.lost);
      messages.push(...answer.messages);
    }
    return { answers, lost, messages, why };
  }

  return {
    read,
    async start(message, fence, signal) {
      await graph.settle(fence.thread, signal);
      const user = toUserMessage(message);
      if (user.role !== 'user') throw new TypeError('A turn must start with a person’s message.');
      const before = await readGraph(fence.thread, fence);
      const started = { turn: message.id, messages: [user] };
      if (!before) return { ...end(UNREADABLE_STATE, describeUnreadable(name)), ...started };
      // An earlier worker started this turn before it died, and the server continued it.
      const held = await turnOf(fence.thread, before);
      if (held?.id === message.id) return toGraphState(before, held, name);
      const messages = [...answerOpenCalls(before), toGraphUserMessage(user)];
      const state = await run({ kind: 'messages', messages }, fence, signal);
      if (state.turn === message.id) return state;
      // Starting again would repeat the model request endlessly.
      return { ...end(state, describeMissingMessages(name)), ...started };
    },
    async resume(thread, replies, fence, signal) {
      await graph.settle(thread, signal);
      const snapshot = await graph.read(thread, fence);
      const { answers, lost, messages, why } = toAnswers(snapshot, replies);
      // LangGraph treats an empty map as no input.
      const isEmpty = Object.keys(answers).length === 0;
      const state = isEmpty
        ? await toState(thread, snapshot)
        : { ...(await run({ kind: 'answers', answers, messages }, fence, signal)), lost };
      // By now the graph has the other decisions, so the turn can end.
      return why === undefined ? state : end(state, state.failure ?? why);
    },
    async proceed(thread, fence, signal) {
      await graph.settle(thread, signal);
      const state = await read(thread, fence);
      return state.phase === 'stuck' ? await run({ kind: 'proceed' }, fence, signal) : state;
    },
    unfinished: (thread) => unfinished.get(thread) ?? '',
    async forget(thread) {
      unfinished.delete(thread);
      await graph.halt(thread);
    },
  };
}

/** A graph might repeat questions that allow no answer endlessly. */
const MAX_REFUSALS = 3;

/** Ends the turn but leaves the graph's tasks open: the thread's next message closes them. */
function end(state: GraphState, failure: string): GraphState {
  const { notice: _dropped, ...rest } = state;
  return { ...rest, open: [], phase: 'finished', failure };
}

function describeFailed(name: string): string {
  return `“${name}” stopped with an error. Its last action may be partly done. Send another message to continue from here. The app’s log has the details.`;
}

function describeUnsupportedAnswer(
  name: string,
  { request, reply }: { readonly request: ForeignRequest; readonly reply: ToolReply },
): string {
  return `“${name}” asked about “${request.tool}” but does not accept this answer, so its turn ended: ${reply.text}`;
}

function describeBreakpoint(name: string): string {
  return `“${name}” stopped at a breakpoint, which has no question that I can show. Its developer can call interrupt() instead.`;
}

function describeUnreadable(name: string): string {
  return `The stored state of this thread for “${name}” can’t be read, so it can’t continue here. Start a new thread.`;
}

function describeMissingMessages(name: string): string {
  return `“${name}” did not keep your message. Its developer must add a “messages” list to its state.`;
}

const LEFT_OPEN = 'Not run: the turn ended before anyone decided.';

/** Answers the calls that are still open after a turn ended outside the graph. */
function answerOpenCalls({ tasks, messages }: GraphSnapshot): readonly JsonValue[] {
  return tasks.length === 0 ? [] : fillMissingAnswers(messages, LEFT_OPEN);
}

/** Skips finished tasks: they still list their answered interrupts. */
function openOf({ tasks }: GraphSnapshot): readonly OpenInterrupt[] {
  return tasks
    .filter(({ isDone }) => !isDone)
    .flatMap(({ interrupts }) => interrupts)
    .map(({ id, value }) => ({ id, value: toPlainJson(value) }));
}

function toGraphState(
  snapshot: GraphSnapshot,
  turn: GraphTurn | undefined,
  name: string,
): GraphState {
  const interrupts = openOf(snapshot);
  const state: GraphState = {
    turn: turn?.id,
    messages: turn?.messages ?? [],
    open: turn ? toOpenCalls(snapshot.isRewritten, interrupts, turn, name) : [],
    phase: phaseOf(snapshot),
    failure: undefined,
    ...(isSilent(snapshot, turn?.messages) && { notice: `“${name}” ended without an answer.` }),
    usage: undefined,
  };
  const ids = new Set(interrupts.map(({ id }) => id));
  // With duplicate ids, an answer would go to the first interrupt.
  const why =
    ids.size < interrupts.length
      ? describeAmbiguous(name)
      : explainUnsupportedInterrupt(interrupts, name);
  return why === undefined ? state : end(state, why);
}

function describeAmbiguous(name: string): string {
  return `“${name}” asks several questions at once in one task, so their answers would be mixed up. Its developer can put each question in its own task.`;
}

function isSilent(snapshot: GraphSnapshot, messages: readonly TurnMessage[] | undefined): boolean {
  if (!messages || phaseOf(snapshot) !== 'finished') return false;
  const last = messages.at(-1);
  return last?.role !== 'assistant' || last.text.trim() === '' || last.calls.length > 0;
}

function phaseOf({ isBusy, exists, tasks }: GraphSnapshot): GraphState['phase'] {
  if (isBusy) return 'stuck';
  if (!exists) return 'none';
  if (tasks.length === 0) return 'finished';
  const live = tasks.filter(({ isDone }) => !isDone);
  const isCutOff = live.length === 0 || live.some(({ interrupts }) => interrupts.length === 0);
  return isCutOff ? 'stuck' : 'waiting';
}
