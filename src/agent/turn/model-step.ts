import { randomUUID } from 'node:crypto';
import type { Person } from '../../domain/people/person.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { History } from '../../domain/ports/store.ts';
import type { AssistantMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { type Helper, toolsOf } from '../../domain/tools/helper.ts';
import type { Tool, Toolbox } from '../../domain/tools/tool.ts';
import { askModel, type ModelAnswer } from '../model/ask-model.ts';
import type { ChatModel } from '../model/create-chat-model.ts';
import { describeModelFailure, type ModelFailure } from '../model/model-failure.ts';
import { loadImages, type ReadImage, TOKENS_PER_IMAGE } from '../model/request/load-images.ts';
import { toChatMessages } from '../model/request/to-chat-messages.ts';
import { estimateMessageTokens, estimateTokens } from './estimate-tokens.ts';
import { fitTurn, MIN_TURN_TOKENS } from './fit-turn.ts';
import { readHistoryWindow } from './history-window.ts';
import { buildHelperPrompt, buildPrompt } from './prompt.ts';
import type { ModelStep, RunModelStep, TurnState } from './turn-graph.ts';
import { checkTurnLimits } from './turn-limits.ts';
import { pairCallsWithAnswers } from './turn-messages.ts';
import { withUniqueCallIds } from './unique-call-ids.ts';

/** What a model step needs. */
export interface ModelStepDeps {
  readonly model: ChatModel;
  /** All tools. The thread's own agent may use every one. */
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  readonly history: Pick<History, 'newest'>;
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

/** For what the prompt adds to the instructions: the time, the authors, notes about cuts. */
const FACTS_TOKENS = 160;
/** The current turn's maximum share of the budget; the rest is for earlier turns. */
const CURRENT_TURN_SHARE = 0.8;

function describeCutMessage(bytes: number): string {
  return `Your message is too long for me to read at once, so I skipped about ${Math.ceil(bytes / 1024)} KB in the middle. If the rest matters, send it in separate, shorter messages.`;
}

/** Returns whether the instructions and tools leave room for a turn. */
export function hasRoomForTurn({
  contextTokens,
  systemPrompt,
  toolbox,
}: Pick<ModelStepDeps, 'contextTokens' | 'systemPrompt' | 'toolbox'>): boolean {
  return historyBudget(contextTokens, systemPrompt, toolbox.list()) >= MIN_TURN_TOKENS;
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
export function createModelStep(
  deps: ModelStepDeps,
  unfinished: Map<ThreadKey, string>,
): RunModelStep {
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
    const { request, notice } = await buildRequest(deps, thread, state, helper);
    const answer = await askModel(deps, {
      ...request,
      signal,
      onDelta: (text, restarts) => {
        unfinished.set(thread, (restarts ? '' : (unfinished.get(thread) ?? '')) + text);
        deps.onDelta?.(thread, text, restarts);
      },
    });
    unfinished.delete(thread);
    return {
      ...toMessage(deps, answer, state),
      ...(notice !== undefined && { notice }),
      ...(answer.failure && describeFailed(deps, answer.failure, answer.said, state)),
      spent: answer.spent,
    };
  };
}

/** Fits the turn, and as much of the earlier ones as possible, into the context window. */
async function buildRequest(
  deps: ModelStepDeps,
  thread: ThreadKey,
  state: TurnState,
  helper: Helper | undefined,
) {
  const systemPrompt = helper ? buildHelperPrompt(helper) : deps.systemPrompt;
  const tools = toolsOf(deps, thread, state.agent).list();
  const perImage = deps.readImage ? TOKENS_PER_IMAGE : 0;
  const own = pairCallsWithAnswers(state.messages);
  const forImages = estimateMessageTokens(own, perImage) - estimateMessageTokens(own);
  const budget = historyBudget(deps.contextTokens, systemPrompt, tools) - forImages;
  const current = fitTurn(own, Math.max(MIN_TURN_TOKENS, budget * CURRENT_TURN_SHARE));
  const left = budget - estimateMessageTokens(current.messages);
  const window = await readHistoryWindow(deps.history, thread, state.turn, left, perImage);
  const turns = { earlier: window.messages, current: current.messages };
  const images = await loadImages(turns, { ...deps, read: deps.readImage });
  const prompt = buildPrompt({
    ...turns,
    systemPrompt,
    now: deps.clock.now(),
    timezone: await findTimezone(deps, state),
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
async function findTimezone(
  { timezoneOf, log }: ModelStepDeps,
  { messages }: TurnState,
): Promise<string | undefined> {
  const request = messages.find(({ role }) => role === 'user');
  if (request?.role !== 'user') return undefined;
  try {
    return await timezoneOf?.(request.author);
  } catch (error) {
    log?.warn({ err: error }, 'Could not look up the requester’s time zone.');
    return undefined;
  }
}

function toMessage(
  { model }: ModelStepDeps,
  answer: ModelAnswer,
  state: TurnState,
): Pick<ModelStep, 'message'> {
  const calls = withUniqueCallIds(answer.calls, state.messages);
  if (calls.length === 0 && answer.text.trim() === '') return {};
  const id = `msg_${randomUUID()}`;
  const provider = providerOf(model.origin, answer);
  return { message: { role: 'assistant', id, text: answer.text, calls, ...provider } };
}

/** The origin is stored only with fields that must be sent back to it. */
function providerOf(
  origin: string | undefined,
  { fields, calls }: ModelAnswer,
): Pick<AssistantMessage, 'provider'> {
  const isNeeded = fields !== undefined || calls.some((call) => call.fields !== undefined);
  return origin !== undefined && isNeeded
    ? { provider: { origin, ...(fields && { fields }) } }
    : {};
}

function describeFailed(
  { model, adminUsers }: ModelStepDeps,
  failure: ModelFailure,
  said: string | undefined,
  state: TurnState,
): Pick<ModelStep, 'failure' | 'privateNotice'> {
  const sentence = describeModelFailure(failure, model.variables, said);
  const line = said?.split('\n', 1)[0] ?? '';
  const user = state.messages.find(({ role }) => role === 'user');
  const isAdmin = user?.role === 'user' && adminUsers?.has(user.author.user) === true;
  const privateNotice = `The model’s server said: “${line}”`;
  return { failure: sentence, ...(isAdmin && line !== '' && { privateNotice }) };
}

/** A helper may have been removed after its turn started. */
function describeMissingHelper(
  { agent }: TurnState,
  helper: Helper | undefined,
): string | undefined {
  if (agent === undefined || helper) return undefined;
  return `The helper “${agent}” no longer exists.`;
}
