import type { BaseMessage } from '@langchain/core/messages';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Spent, TokenCount } from '../domain/message.ts';
import type { Tool } from '../domain/tool.ts';
import { type CollectedAnswer, createAnswerCollector, type RawCall } from './collect-answer.ts';
import type { ChatModel, ModelPiece } from './model.ts';
import {
  factsOf,
  isPassing,
  type ModelFailure,
  retryAfterMs,
  toModelFailure,
} from './model-failure.ts';
import { addSpent } from './spent.ts';

/** What came of a request: a whole answer, or a failure with the text that had come until then. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly failure?: ModelFailure;
  /** By all requests that it took. */
  readonly spent: Spent;
}

export interface ModelRequest {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Told of the text as it comes. */
  readonly onDelta?: ((text: string) => void) | undefined;
}

interface AskDeps {
  readonly model: ChatModel;
  readonly clock: Clock;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

const MAX_CALLS = 32;
const MAX_ANSWER_CHARS = 1024 * 1024;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The answer is whole, and calls something. */
const CALLS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);
const WHOLE: ReadonlySet<string> = new Set(['stop', ...CALLS, 'end_turn', 'eos']);

/** Asks the model, again where that may help; a failure is an answer, and only the request's signal makes it reject. */
export async function askModel(deps: AskDeps, request: ModelRequest): Promise<ModelAnswer> {
  let spent: Spent | undefined;
  for (let tries = 0; ; tries += 1) {
    const askedAt = deps.clock.now();
    const attempt = await tryOnce(deps, request);
    request.signal.throwIfAborted();
    spent = addSpent(spent, spentBy(attempt, deps.clock.now() - askedAt));
    if (attempt.kind === 'came') return { ...judge(deps, attempt.answer), spent };
    deps.log?.warn(
      { model: deps.model.name, failure: attempt.failure, tries, ...attempt.facts },
      'The model did not answer.',
    );
    const waitMs = waitBeforeRetry(deps.model, attempt, tries);
    if (waitMs === undefined) {
      return { text: attempt.text, calls: [], failure: attempt.failure, spent };
    }
    await wait(deps.clock, waitMs, request.signal);
  }
}

type Attempt =
  | { readonly kind: 'came'; readonly answer: CollectedAnswer }
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      /** What had come until then. */
      readonly text: string;
      readonly tokens: TokenCount | undefined;
      readonly hadBegun: boolean;
      readonly retryAfterMs: number | undefined;
      readonly facts: Readonly<Record<string, unknown>>;
    };

async function tryOnce({ model, clock }: AskDeps, request: ModelRequest): Promise<Attempt> {
  const silence = watchSilence(clock, model.timeoutMs);
  const collector = createAnswerCollector();
  try {
    const signal = AbortSignal.any([request.signal, silence.signal]);
    for await (const piece of streamFrom(model, request, signal)) {
      silence.heard();
      collector.add(piece);
      if (piece.text !== '') request.onDelta?.(piece.text);
      if (collector.size() > MAX_ANSWER_CHARS) return failed(clock, collector, 'too-large');
    }
    silence.signal.throwIfAborted();
    return { kind: 'came', answer: collector.answer() };
  } catch (error) {
    if (silence.signal.aborted) return failed(clock, collector, 'timeout');
    if (!(error instanceof ProviderError)) throw error;
    const failure = failureOf(error.cause, collector.size() > 0);
    return failed(clock, collector, failure, error.cause);
  } finally {
    silence.stop();
  }
}

function failed(
  clock: Clock,
  collector: ReturnType<typeof createAnswerCollector>,
  failure: ModelFailure,
  error?: unknown,
): Attempt {
  const { status, code, name } = factsOf(error);
  const { text, tokens } = collector.answer();
  return {
    kind: 'failed',
    failure,
    text,
    tokens,
    hadBegun: collector.size() > 0,
    retryAfterMs: retryAfterMs(error, clock.now()),
    facts: { status, code, error: name },
  };
}

function spentBy(attempt: Attempt, modelMs: number): Spent {
  const { tokens } = attempt.kind === 'came' ? attempt.answer : attempt;
  return { requests: 1, modelMs, ...(tokens && { tokens }) };
}

/** Tells what comes from the provider from mistakes of our own, which must come out. */
class ProviderError extends Error {}

async function* streamFrom(
  model: ChatModel,
  { messages, tools }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  try {
    yield* model.stream(messages, tools, signal);
  } catch (error) {
    throw new ProviderError('The model’s stream failed.', { cause: error });
  }
}

function failureOf(error: unknown, hadBegun: boolean): ModelFailure {
  const failure = toModelFailure(error);
  return failure === 'unreachable' && hadBegun ? 'cut-off' : failure;
}

/** A stream that stays open without a word is lost: the client's own timeout ends at the headers. */
function watchSilence(clock: Clock, timeoutMs: number) {
  const controller = new AbortController();
  const expire = () => controller.abort(new Error('The model was silent for too long.'));
  let cancel = clock.schedule(clock.now() + timeoutMs, expire);
  return {
    signal: controller.signal,
    heard() {
      cancel();
      cancel = clock.schedule(clock.now() + timeoutMs, expire);
    },
    stop: () => cancel(),
  };
}

/** Words that the person may have seen are not asked for a second time. */
function waitBeforeRetry(
  model: ChatModel,
  attempt: Extract<Attempt, { kind: 'failed' }>,
  tries: number,
): number | undefined {
  if (attempt.hadBegun || tries >= model.maxRetries || !isPassing(attempt.failure))
    return undefined;
  const waitMs = attempt.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tries;
  return waitMs > LONGEST_WAIT_MS ? undefined : waitMs;
}

async function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.schedule(clock.now() + ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

function judge({ model, log }: AskDeps, answer: CollectedAnswer): Omit<ModelAnswer, 'spent'> {
  const failure = failureIn(answer);
  if (failure === undefined) return { text: answer.text, calls: answer.calls };
  const { finishReason, calls } = answer;
  log?.warn(
    { model: model.name, failure, finishReason, calls: calls.length },
    'The model’s answer can’t be used.',
  );
  return { text: failure === 'filtered' ? '' : answer.text, calls: [], failure };
}

function failureIn(answer: CollectedAnswer): ModelFailure | undefined {
  if (answer.finishReason === 'length') return 'length';
  if (answer.finishReason === 'content_filter') return 'filtered';
  const isBlank = answer.calls.length === 0 && answer.text.trim() === '';
  // A page, or whatever else is no stream of a model, ends so.
  if (answer.finishReason === undefined && isBlank) return 'unreadable';
  if (answer.finishReason === undefined || !WHOLE.has(answer.finishReason)) return 'cut-off';
  if (answer.calls.length > MAX_CALLS) return 'too-many-calls';
  // The library drops calls in silence that come in another form than the usual one.
  if (answer.calls.length === 0 && CALLS.has(answer.finishReason)) return 'unreadable';
  return isBlank ? 'empty' : undefined;
}
