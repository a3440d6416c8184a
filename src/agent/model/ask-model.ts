import type { BaseMessage } from '@langchain/core/messages';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { sleep } from '../../domain/runtime/sleep.ts';
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

/** The result of a request: a complete answer, or a failure with the text received before it. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly failure?: ModelFailure;
  /** The server's message about the failure, without secrets and conversation text. */
  readonly said?: string;
  /** Why the connection failed, if it did. */
  readonly cause?: string;
  /** Provider fields that must be sent back with the message. */
  readonly fields?: ProviderFields | undefined;
  /** The cost of all requests, retries included. */
  readonly spent: ModelCost;
}

export interface ModelRequest {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /**
   * Called with each piece of text; `restarts` means that the earlier text was not part of the
   * answer.
   */
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
/** Finish reasons of a complete answer with calls. */
const CALLS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);
const COMPLETE: ReadonlySet<string> = new Set(['stop', ...CALLS, END_REASONS]);

/**
 * Asks the model and retries transient failures. Returns failures as answers; rejects only on
 * abort.
 */
export async function askModel(deps: AskDeps, request: ModelRequest): Promise<ModelAnswer> {
  let spent: ModelCost | undefined;
  for (let tries = 0; ; tries += 1) {
    const askedAt = deps.clock.now();
    const attempt = await tryOnce(deps, request);
    request.signal.throwIfAborted();
    spent = addModelCost(spent, costOf(attempt, deps.clock.now() - askedAt));
    if (attempt.kind === 'answered') return { ...checkAnswer(deps, attempt.answer), spent };
    logFailed(deps, attempt, tries);
    const waitMs = waitBeforeRetry(deps.model, attempt, tries);
    if (waitMs === undefined) {
      const { text, failure, facts } = attempt;
      const { cause, said } = facts;
      return { text, calls: [], failure, ...(said && { said }), ...(cause && { cause }), spent };
    }
    await sleep(deps.clock, waitMs, request.signal);
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
  | { readonly kind: 'answered'; readonly answer: CollectedAnswer }
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      /** The text received before the failure. */
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
      silence.restart();
      collector.add(piece);
      const restarts = piece.restarts === true;
      if (piece.text !== '' || restarts) request.onDelta?.(piece.text, restarts);
      if (collector.size() > MAX_ANSWER_CHARS) return fail('too-large');
    }
    silence.signal.throwIfAborted();
    return { kind: 'answered', answer: collector.answer() };
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

/** A failure with an HTTP status has no connection cause: the connection worked. */
function causeOf(failure: ModelFailure, error: unknown): string | undefined {
  if (error instanceof SilenceError) return error.message;
  return CONNECTION_FAILURES.has(failure) ? describeConnectionFailure(error) : undefined;
}

const CONNECTION_FAILURES: ReadonlySet<ModelFailure> = new Set([
  'unreachable',
  'timeout',
  'cut-off',
]);

/** The model sent nothing for the whole timeout. */
class SilenceError extends Error {
  constructor(ms: number) {
    super(`nothing came for ${ms / 1_000} seconds`);
  }
}

function costOf(attempt: Attempt, modelMs: number): ModelCost {
  const { tokens } = attempt.kind === 'answered' ? attempt.answer : attempt;
  return { requests: 1, modelMs, ...(tokens && { tokens }) };
}

/** Marks errors of the provider. Errors in our own code are rethrown. */
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

/** Aborts a stream that stays silent: the client's own timeout covers only the headers. */
function watchSilence(clock: Clock, timeoutMs: number) {
  const controller = new AbortController();
  const expire = () => controller.abort(new Error('The model was silent for too long.'));
  let cancel = clock.schedule(clock.now() + timeoutMs, expire);
  return {
    signal: controller.signal,
    restart() {
      cancel();
      cancel = clock.schedule(clock.now() + timeoutMs, expire);
    },
    stop: () => cancel(),
  };
}

/** Never retries once text has arrived: the person may have seen it. */
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
  // For example an HTML page instead of a model's stream.
  if (reason === undefined && isBlank) return 'unreadable';
  if (!isComplete(reason, calls)) return 'cut-off';
  if (calls.length > MAX_CALLS) return 'too-many-calls';
  // The calls came in a form that we cannot parse.
  if (calls.length === 0 && CALLS.has(reason ?? '')) return 'unreadable';
  return isBlank ? 'empty' : undefined;
}

/** With a nonstandard finish reason, only the arguments show whether a call is complete. */
function isComplete(reason: string | undefined, calls: readonly RawCall[]): boolean {
  return COMPLETE.has(reason ?? '') && (reason !== END_REASONS || calls.every(isCompleteCall));
}

function isCompleteCall({ args }: RawCall): boolean {
  return args.trim() === '' || isJson(args);
}
