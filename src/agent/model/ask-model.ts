import type { BaseMessage } from '@langchain/core/messages';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { ModelCost, ProviderFields, TokenCount } from '../../domain/threads/message.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import {
  type CollectedAnswer,
  createAnswerCollector,
  isJson,
  type RawCall,
} from './collect-answer.ts';
import type { ChatModel } from './create-chat-model.ts';
import {
  isTransientFailure,
  loggableFactsOf,
  type ModelFailure,
  retryAfterMs,
  toModelFailure,
} from './model-failure.ts';
import type { AnswerChunk } from './protocol/answer-chunk.ts';
import { describeConnectionFailure, redactAddress } from './protocol/connection-failure.ts';
import { END_REASONS } from './protocol/parse-chunk.ts';
import { toSafeMessage } from './protocol/safe-message.ts';
import { addModelCost } from './usage.ts';

/** What came of a request: a whole answer, or a failure with the text that had come until then. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly failure?: ModelFailure;
  /** What the server said of the failure, without secrets and without words of the conversation. */
  readonly said?: string;
  /** Why the connection failed, where it did. */
  readonly cause?: string;
  /** What the provider needs back with the message. */
  readonly fields?: ProviderFields | undefined;
  /** By all requests that it took. */
  readonly spent: ModelCost;
}

export interface ModelRequest {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Told of the text as it comes; `restarts` when what came before was none of the answer. */
  readonly onDelta?: ((text: string, restarts: boolean) => void) | undefined;
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
const WHOLE: ReadonlySet<string> = new Set(['stop', ...CALLS, END_REASONS]);

/** Asks the model, again where that may help; a failure is an answer, and only the request's signal makes it reject. */
export async function askModel(deps: AskDeps, request: ModelRequest): Promise<ModelAnswer> {
  let spent: ModelCost | undefined;
  for (let tries = 0; ; tries += 1) {
    const askedAt = deps.clock.now();
    const attempt = await tryOnce(deps, request);
    request.signal.throwIfAborted();
    spent = addModelCost(spent, spentBy(attempt, deps.clock.now() - askedAt));
    if (attempt.kind === 'came') return { ...checkAnswer(deps, attempt.answer), spent };
    logFailed(deps, attempt, tries);
    const waitMs = waitBeforeRetry(deps.model, attempt, tries);
    if (waitMs === undefined) {
      const { text, failure, facts } = attempt;
      const { cause, said } = facts;
      return { text, calls: [], failure, ...(said && { said }), ...(cause && { cause }), spent };
    }
    await wait(deps.clock, waitMs, request.signal);
  }
}

function logFailed(
  { log, model }: AskDeps,
  { facts, failure }: FailedAttempt,
  tries: number,
): void {
  const address = model.origin === undefined ? undefined : redactAddress(model.origin);
  const where =
    address === undefined || facts.cause === undefined ? '' : ` at ${address}: ${facts.cause}`;
  log?.warn(
    { model: model.name, address, failure, tries, ...facts },
    `The model did not answer${where}.`,
  );
}

type FailedAttempt = Extract<Attempt, { kind: 'failed' }>;

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
      readonly facts: {
        readonly status: number | undefined;
        readonly code: string | undefined;
        readonly error: string;
        readonly said: string | undefined;
        readonly cause: string | undefined;
      };
    };

async function tryOnce({ model, clock }: AskDeps, request: ModelRequest): Promise<Attempt> {
  const fail = (failure: ModelFailure, error?: unknown) =>
    failed(clock.now(), collector, failure, {
      error,
      said: toSafeMessage(error, { secrets: model.secrets ?? [], messages: request.messages }),
    });
  const silence = watchSilence(clock, model.timeoutMs);
  const collector = createAnswerCollector();
  try {
    const signal = AbortSignal.any([request.signal, silence.signal]);
    for await (const piece of streamFrom(model, request, signal)) {
      silence.heard();
      collector.add(piece);
      const restarts = piece.restarts === true;
      if (piece.text !== '' || restarts) request.onDelta?.(piece.text, restarts);
      if (collector.size() > MAX_ANSWER_CHARS) return fail('too-large');
    }
    silence.signal.throwIfAborted();
    return { kind: 'came', answer: collector.answer() };
  } catch (error) {
    if (silence.signal.aborted) return fail('timeout', new SilenceError(model.timeoutMs));
    if (!(error instanceof ProviderError)) throw error;
    const failure = failureOf(error.cause, collector.size() > 0);
    return fail(failure, error.cause);
  } finally {
    silence.stop();
  }
}

function failed(
  now: number,
  collector: ReturnType<typeof createAnswerCollector>,
  failure: ModelFailure,
  { error, said }: { readonly error: unknown; readonly said: string | undefined },
): Attempt {
  const { status, code, name } = loggableFactsOf(error);
  const { text, tokens } = collector.answer();
  return {
    kind: 'failed',
    failure,
    text,
    tokens,
    hadBegun: collector.size() > 0,
    retryAfterMs: retryAfterMs(error, now),
    facts: { status, code, error: name, said, cause: causeOf(failure, error) },
  };
}

/** An answer with a status came through a connection that works. */
function causeOf(failure: ModelFailure, error: unknown): string | undefined {
  if (error instanceof SilenceError) return error.message;
  return CONNECTION_FAILURES.has(failure) ? describeConnectionFailure(error) : undefined;
}

const CONNECTION_FAILURES: ReadonlySet<ModelFailure> = new Set([
  'unreachable',
  'timeout',
  'cut-off',
]);

/** Nothing came for too long. */
class SilenceError extends Error {
  constructor(ms: number) {
    super(`nothing came for ${ms / 1_000} seconds`);
  }
}

function spentBy(attempt: Attempt, modelMs: number): ModelCost {
  const { tokens } = attempt.kind === 'came' ? attempt.answer : attempt;
  return { requests: 1, modelMs, ...(tokens && { tokens }) };
}

/** Tells what comes from the provider from mistakes of our own, which must come out. */
class ProviderError extends Error {}

async function* streamFrom(
  model: ChatModel,
  { messages, tools }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AnswerChunk> {
  try {
    yield* model.stream(messages, tools, signal);
  } catch (error) {
    throw new ProviderError('The model’s stream failed.', { cause: error });
  }
}

function failureOf(error: unknown, hadBegun: boolean): ModelFailure {
  const failure = toModelFailure(error);
  const isBroken = failure === 'unreachable' || failure === 'unreadable';
  return isBroken && hadBegun ? 'cut-off' : failure;
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
  attempt: FailedAttempt,
  tries: number,
): number | undefined {
  if (attempt.hadBegun || tries >= model.maxRetries || !isTransientFailure(attempt.failure))
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

function checkAnswer({ model, log }: AskDeps, answer: CollectedAnswer): Omit<ModelAnswer, 'spent'> {
  const failure = failureIn(answer);
  const { text, fields } = answer;
  if (failure === undefined) return { text, calls: answer.calls, ...(fields && { fields }) };
  const { finishReason, calls } = answer;
  log?.warn(
    { model: model.name, failure, finishReason, calls: calls.length },
    'The model’s answer can’t be used.',
  );
  return { text: failure === 'filtered' ? '' : answer.text, calls: [], failure };
}

function failureIn(answer: CollectedAnswer): ModelFailure | undefined {
  const { finishReason: reason, calls } = answer;
  if (reason === 'length') return 'length';
  if (reason === 'content_filter') return 'filtered';
  const isBlank = calls.length === 0 && answer.text.trim() === '';
  // A page, or whatever else is no stream of a model, ends so.
  if (reason === undefined && isBlank) return 'unreadable';
  if (!isWhole(reason, calls)) return 'cut-off';
  if (calls.length > MAX_CALLS) return 'too-many-calls';
  // Calls in another form than the usual one are not read.
  if (calls.length === 0 && CALLS.has(reason ?? '')) return 'unreadable';
  return isBlank ? 'empty' : undefined;
}

/** Without a reason that everybody knows, only the arguments tell that a call is whole. */
function isWhole(reason: string | undefined, calls: readonly RawCall[]): boolean {
  return WHOLE.has(reason ?? '') && (reason !== END_REASONS || calls.every(isWholeCall));
}

function isWholeCall({ args }: RawCall): boolean {
  return args.trim() === '' || isJson(args);
}
