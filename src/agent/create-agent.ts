import { randomUUID } from 'node:crypto';
import { Command } from '@langchain/langgraph';
import type { Person } from '../domain/people/person.ts';
import type { ThreadFence } from '../domain/ports/agenda.ts';
import {
  type Agent,
  type Checkpoints,
  type GraphState,
  UNREADABLE_STATE,
  UnreadableStateError,
} from '../domain/ports/agent.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { History } from '../domain/ports/store.ts';
import type { AssistantMessage } from '../domain/threads/message.ts';
import type { ThreadKey } from '../domain/threads/thread-key.ts';
import { type Helper, toolsOf } from '../domain/tools/helper.ts';
import type { Tool, Toolbox } from '../domain/tools/tool.ts';
import { askModel, type ModelAnswer } from './model/ask-model.ts';
import type { ChatModel } from './model/create-chat-model.ts';
import { describeModelFailure, type ModelFailure } from './model/model-failure.ts';
import { loadImages, type ReadImage, TOKENS_PER_IMAGE } from './model/request/load-images.ts';
import { toChatMessages } from './model/request/to-chat-messages.ts';
import { BufferedSaver } from './turn/buffered-saver.ts';
import { estimateMessageTokens, estimateTokens } from './turn/estimate-tokens.ts';
import { fitTurn, MIN_TURN_TOKENS } from './turn/fit-turn.ts';
import { readHistoryWindow } from './turn/history-window.ts';
import { toGraphState } from './turn/parse-graph-state.ts';
import { buildHelperPrompt, buildPrompt, toUserMessage } from './turn/prompt.ts';
import {
  compileTurnGraph,
  type ModelStep,
  type RunModelStep,
  type TurnState,
} from './turn/turn-graph.ts';
import { checkTurnLimits } from './turn/turn-limits.ts';
import { pairCallsWithAnswers } from './turn/turn-messages.ts';
import { withUniqueCallIds } from './turn/unique-call-ids.ts';

export interface AgentDeps {
  readonly model: ChatModel;
  /** All tools. The thread's own agent may use every one. */
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  readonly history: Pick<History, 'newest'>;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  /** For the thread's own agent. Helpers have their own prompts. */
  readonly systemPrompt: string;
  /** Maximum tokens of a request to the model, without its answer. */
  readonly contextTokens: number;
  /** Reads attached images. Absent if the model can't see images. */
  readonly readImage?: ReadImage | undefined;
  /** Returns a person's IANA time zone. Rejects if it cannot be looked up now. */
  readonly timezoneOf?: ((person: Person) => Promise<string | undefined>) | undefined;
  readonly log?: Pick<Log, 'warn'> | undefined;
  /** Called with the model's text as it arrives. */
  readonly onDelta?: ((thread: ThreadKey, text: string, restarts: boolean) => void) | undefined;
  /** Only these people see the model server's error messages. */
  readonly adminUsers?: ReadonlySet<string> | undefined;
}

/**
 * A run makes one model request and is stored once, at its end: a crash loses only that request.
 * Concurrency is low because a batch's tasks do no work, and more listeners on one signal make Node warn.
 */
const RUN = { durability: 'exit', maxConcurrency: 4 } as const;

/** Creates the agent that runs turns in the pure graph, with stored checkpoints. */
export function createAgent(deps: AgentDeps): Agent {
  const saver = new BufferedSaver(deps.checkpoints);
  if (historyBudget(deps.contextTokens, deps.systemPrompt, deps.toolbox.list()) < MIN_TURN_TOKENS) {
    deps.log?.warn(
      { contextTokens: deps.contextTokens },
      'CONTEXT_TOKENS is too small: the instructions and tools alone fill it, so requests will exceed it. Set it higher.',
    );
  }
  const unfinished = new Map<ThreadKey, string>();
  const graph = compileTurnGraph(createModelStep(deps, unfinished), saver);

  async function read(thread: ThreadKey, fence?: ThreadFence): Promise<GraphState> {
    try {
      return toGraphState(await graph.getState({ configurable: configOf(thread, fence) }));
    } catch (error) {
      if (!(error instanceof UnreadableStateError)) throw error;
      deps.log?.warn({ err: error, thread }, 'The stored state of a thread can’t be read.');
      return UNREADABLE_STATE;
    }
  }

  async function run(
    input: Parameters<typeof graph.invoke>[0],
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState> {
    signal.throwIfAborted();
    const { thread } = fence;
    unfinished.delete(thread);
    const configurable = configOf(thread, fence);
    // A separate signal, because the library never removes its listeners.
    const own = AbortSignal.any([signal]);
    await graph.invoke(input, { configurable, signal: own, ...RUN });
    return await read(thread, fence);
  }

  return {
    read,
    async start(message, fence, signal) {
      // Drops an earlier turn's state. With a stale fence this throws before the model is asked.
      await saver.forget(fence);
      const agent = message.delegated?.agent;
      const messages = [toUserMessage(message)];
      const input = { turn: message.id, messages, ...(agent !== undefined && { agent }) };
      return await run(input, fence, signal);
    },
    async resume(thread, replies, fence, signal) {
      const ids = Object.keys(replies);
      // LangGraph treats an empty map as no input.
      if (ids.length === 0) return await read(thread, fence);
      // If one key is not an interrupt id, LangGraph resumes every open call with the whole map.
      if (!ids.every(isInterruptId)) throw new TypeError('A reply has no valid interrupt id.');
      return await run(new Command({ resume: replies }), fence, signal);
    },
    proceed: (_thread, fence, signal) => run(null, fence, signal),
    async rebuild({ turn, agent, messages, spent, notice }, fence, signal) {
      signal.throwIfAborted();
      await saver.forget(fence);
      const state = {
        ...{ turn, messages, endTurn: false },
        ...(agent !== undefined && { agent }),
        ...(spent && { spent }),
        ...(notice !== undefined && { notice }),
      };
      const configurable = configOf(fence.thread, fence);
      // Continue as if the model had just answered: its calls are sent again.
      await graph.updateState({ configurable }, state, 'model');
      return await run(null, fence, signal);
    },
    snapshot: (fence) => saver.snapshot(fence),
    rest: (fence) => saver.rest(fence),
    unfinished: (thread) => unfinished.get(thread) ?? '',
    async forget(thread, fence: ThreadFence) {
      unfinished.delete(thread);
      await saver.forget(fence);
    },
  };
}

function configOf(thread: ThreadKey, fence: ThreadFence | undefined) {
  return { thread_id: thread, ...(fence && { fence_token: fence.token }) };
}

function isInterruptId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

/** For what the prompt adds to the instructions: the time, the authors, notes about cuts. */
const FACTS_TOKENS = 160;
/** The current turn's maximum share of the budget; the rest is for earlier turns. */
const CURRENT_TURN_SHARE = 0.8;

function describeCutMessage(bytes: number): string {
  return `Your message is too long for me to read at once, so I skipped about ${Math.ceil(bytes / 1024)} KB in the middle. If the rest matters, send it in separate, shorter messages.`;
}

/** Returns the tokens left in a request after the instructions and tools. */
function historyBudget(
  contextTokens: number,
  systemPrompt: string,
  tools: readonly Tool[],
): number {
  const fixed = [systemPrompt, ...tools.map((tool) => JSON.stringify(tool))];
  return contextTokens - estimateTokens(fixed.join('\n')) - FACTS_TOKENS;
}

/** Creates the graph's only step with outside effects: the request to the model. */
function createModelStep(deps: AgentDeps, unfinished: Map<ThreadKey, string>): RunModelStep {
  const { history, clock, onDelta } = deps;

  async function promptFor(thread: ThreadKey, state: TurnState, helper: Helper | undefined) {
    const systemPrompt = helper ? buildHelperPrompt(helper) : deps.systemPrompt;
    const tools = toolsOf(deps, thread, state.agent).list();
    const perImage = deps.readImage ? TOKENS_PER_IMAGE : 0;
    const own = pairCallsWithAnswers(state.messages);
    const forImages = estimateMessageTokens(own, perImage) - estimateMessageTokens(own);
    const budget = historyBudget(deps.contextTokens, systemPrompt, tools) - forImages;
    const current = fitTurn(own, Math.max(MIN_TURN_TOKENS, budget * CURRENT_TURN_SHARE));
    const left = budget - estimateMessageTokens(current.messages);
    const window = await readHistoryWindow(history, thread, state.turn, left, perImage);
    const turns = { earlier: window.messages, current: current.messages };
    const images = await loadImages(turns, { ...deps, read: deps.readImage });
    const prompt = buildPrompt({
      systemPrompt,
      now: clock.now(),
      timezone: await timezoneFor(state),
      earlier: window.messages,
      current: current.messages,
      isCut: window.isCut,
      isCurrentCut: current.isCut,
      isForAgent: helper !== undefined,
    });
    const notice =
      current.userBytesLeftOut > 0 ? describeCutMessage(current.userBytesLeftOut) : undefined;
    return {
      request: { messages: toChatMessages(prompt, images, deps.model.origin), tools },
      notice,
    };
  }

  /** The time zone is optional: without it the turn continues. */
  async function timezoneFor({ messages }: TurnState): Promise<string | undefined> {
    const request = messages.find(({ role }) => role === 'user');
    if (request?.role !== 'user') return undefined;
    try {
      return await deps.timezoneOf?.(request.author);
    } catch (error) {
      deps.log?.warn({ err: error }, 'Could not look up the requester’s time zone.');
      return undefined;
    }
  }

  function describeFailed(
    failure: ModelFailure,
    said: string | undefined,
    state: TurnState,
  ): Pick<ModelStep, 'failure' | 'privateNotice'> {
    const sentence = describeModelFailure(failure, deps.model.variables, said);
    const line = said?.split('\n', 1)[0] ?? '';
    const user = state.messages.find(({ role }) => role === 'user');
    const isAdmin = user?.role === 'user' && deps.adminUsers?.has(user.author.user) === true;
    const privateNotice = `The model’s server said: “${line}”`;
    return { failure: sentence, ...(isAdmin && line !== '' && { privateNotice }) };
  }

  /** The origin is stored only with fields that must be sent back to it. */
  function providerOf({ fields, calls }: ModelAnswer): Pick<AssistantMessage, 'provider'> {
    const { origin } = deps.model;
    const isNeeded = fields !== undefined || calls.some((call) => call.fields !== undefined);
    return origin !== undefined && isNeeded
      ? { provider: { origin, ...(fields && { fields }) } }
      : {};
  }

  return async function ask(state, config): Promise<ModelStep> {
    // Without a checkpoint, resuming would start an empty turn.
    if (state.turn === undefined) {
      throw new UnreadableStateError('The thread’s state was lost before it could be resumed.');
    }
    const helper = deps.helpers.find(({ name }) => name === state.agent);
    const stop = checkTurnLimits(state.messages) ?? describeMissingHelper(state, helper);
    if (stop !== undefined) return { failure: stop };
    const thread: ThreadKey = config.configurable?.thread_id;
    const signal = config.signal ?? new AbortController().signal;
    const { request, notice } = await promptFor(thread, state, helper);
    const answer = await askModel(deps, {
      ...request,
      signal,
      onDelta: (text, restarts) => {
        unfinished.set(thread, (restarts ? '' : (unfinished.get(thread) ?? '')) + text);
        onDelta?.(thread, text, restarts);
      },
    });
    unfinished.delete(thread);
    const id = `msg_${randomUUID()}`;
    const calls = withUniqueCallIds(answer.calls, state.messages);
    const hasContent = calls.length > 0 || answer.text.trim() !== '';
    return {
      ...(hasContent && {
        message: { role: 'assistant', id, text: answer.text, calls, ...providerOf(answer) },
      }),
      ...(notice !== undefined && { notice }),
      ...(answer.failure && describeFailed(answer.failure, answer.said, state)),
      spent: answer.spent,
    };
  };
}

/** A helper may have been removed after its turn started. */
function describeMissingHelper(
  { agent }: TurnState,
  helper: Helper | undefined,
): string | undefined {
  if (agent === undefined || helper) return undefined;
  return `The helper “${agent}” no longer exists.`;
}
