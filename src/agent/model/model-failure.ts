import { networkCodeOf } from './protocol/connection-failure.ts';
import { ModelServerError } from './protocol/server-error.ts';

/**
 * Everything that can go wrong with a model. `SENTENCES` explains each to the person in the thread.
 */
export type ModelFailure = keyof typeof SENTENCES;

const SENTENCES = {
  'rate-limited':
    'The model’s provider says that it gets too many requests from this app. Wait a minute and ask again.',
  'no-credit':
    'The model’s provider says that the account has no credit left. Ask the operator of this app to add credit, then ask again.',
  auth: 'The model’s provider does not accept our key. Ask the operator of this app to check {key}, then ask again.',
  'not-found':
    'The model’s provider does not know the configured model. Ask the operator of this app to check MODEL and {baseUrl}.',
  'too-long':
    'This conversation has become too long for the model. Start a new thread, or ask for less at a time. If this happens early in threads, ask the operator of this app to set CONTEXT_TOKENS to the limit of the model’s server.',
  'no-tools':
    'This model, or its server, can’t call tools, and I can’t work without them. Ask the operator of this app to {remedy}.',
  rejected:
    'The model’s provider did not accept the request. Ask again in other words; if it keeps happening, start a new thread and tell the operator of this app.',
  overloaded: 'The model’s provider has a temporary problem. Ask again in a few minutes.',
  timeout: 'The model did not answer in time. Ask again; a smaller question may help.',
  unreachable:
    'The model could not be reached. Ask again in a minute; if it keeps happening, tell the operator of this app.',
  'cut-off':
    'The model’s answer broke off before it was complete, and no action was taken from it. Ask again.',
  unreadable:
    'The model’s server sent an answer that I can’t read, and no action was taken from it. Ask again; if it keeps happening, ask the operator of this app to check {baseUrl}.',
  length:
    'The model’s answer reached its length limit before it was complete, and no action was taken from it. Ask it to go on, or to take smaller steps.',
  filtered:
    'The model’s provider blocked the answer because of its content rules. Ask in other words.',
  empty: 'The model gave an empty answer. Ask again, perhaps in other words.',
  'too-many-calls':
    'The model tried to do more than 32 things at once, so nothing was done. Ask it to take smaller steps.',
  'too-large':
    'The model’s answer was too large, so no action was taken from it. Ask it to take smaller steps.',
} as const;

const BY_STATUS: Readonly<Record<number, ModelFailure>> = {
  401: 'auth',
  402: 'no-credit',
  403: 'auth',
  404: 'not-found',
  408: 'timeout',
  409: 'overloaded',
  413: 'too-long',
  429: 'rate-limited',
};

/** Names of the environment variables that configure a model. */
export interface ModelVariables {
  readonly key: string;
  readonly baseUrl: string;
}

/** Anthropic's error types, also sent within a stream; https://docs.anthropic.com/en/api/errors. */
const BY_TYPE: Readonly<Record<string, ModelFailure>> = {
  overloaded_error: 'overloaded',
  api_error: 'overloaded',
  rate_limit_error: 'rate-limited',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'no-credit',
  not_found_error: 'not-found',
  request_too_large: 'too-long',
  timeout_error: 'timeout',
};

const TRANSIENT: ReadonlySet<ModelFailure> = new Set([
  'rate-limited',
  'overloaded',
  'timeout',
  'unreachable',
]);

/** Error messages of servers that can't call tools, each with its remedy. */
const TOOL_REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [
    /enable-auto-tool-choice|tool-call-parser/i,
    'start vLLM with --enable-auto-tool-choice and with --tool-call-parser for this model',
  ],
  [/requires? --jinja/i, 'start llama.cpp with --jinja'],
  [
    /no endpoints found that support tool use/i,
    'choose a model for which OpenRouter lists “tools” among its parameters',
  ],
  [/ollama.*does not support tools/i, 'choose a model that Ollama lists under “tools”'],
  [
    /(?:does not|doesn['’]t|do not|don['’]t) support (?:the use of )?(?:tools?\b|functions?\b)/i,
    'set MODEL to one that can call tools',
  ],
  [
    /(?:tools?|tool use|tool calling|function calling|tool calls) (?:is |are )?not supported/i,
    'set MODEL to one that can call tools',
  ],
];

/** Returns whether a server's message says that the model can't call tools. */
export function lacksToolSupport(said: string): boolean {
  return TOOL_REMEDIES.some(([pattern]) => pattern.test(said));
}

/** Returns the remedy for a model that can't call tools, as a clause. */
export function toolRemedy(said: string): string {
  const found = TOOL_REMEDIES.find(([pattern]) => pattern.test(said));
  return found?.[1] ?? 'set MODEL to one that can call tools';
}

/**
 * Describes a failure in one or two sentences: what happened and what to do. `said` is the server's
 * message.
 */
export function describeModelFailure(
  failure: ModelFailure,
  variables: ModelVariables,
  said = '',
): string {
  return SENTENCES[failure]
    .replace('{key}', variables.key)
    .replace('{baseUrl}', variables.baseUrl)
    .replace('{remedy}', toolRemedy(said));
}

/** Returns whether a retry of the same request may succeed. */
export function isTransientFailure(failure: ModelFailure): boolean {
  return TRANSIENT.has(failure);
}

/** Message patterns that are more specific than the HTTP status. */
const BY_MESSAGE: readonly (readonly [pattern: RegExp, failure: ModelFailure])[] = [
  [
    /context[ _-]?(?:length|window|size|limit|overflow)|exceed_context|maximum (?:context|prompt|input)|(?:prompt|input|request|conversation) (?:is |was )?too (?:long|large)|too many (?:input )?tokens|tokens? .{0,40}exceeds?|reduce the length/i,
    'too-long',
  ],
  [
    /credit balance|insufficient[_ ](?:quota|balance|credits?|funds)|payment required/i,
    'no-credit',
  ],
  [/api key (?:not valid|is invalid)|(?:invalid|incorrect) api key/i, 'auth'],
  [/rate.?limit|too many requests/i, 'rate-limited'],
  [/overloaded|over capacity/i, 'overloaded'],
  [/model .{0,80}(?:not found|does not exist)|unknown model/i, 'not-found'],
];

/** Classifies the error of a request to the provider. */
export function toModelFailure(error: unknown): ModelFailure {
  const facts = loggableFactsOf(error);
  const { status, message } = facts;
  const named = byCode(facts) ?? (lacksToolSupport(message) ? 'no-tools' : undefined);
  if (named !== undefined) return named;
  const isPlain = status !== undefined && Object.hasOwn(BY_STATUS, status);
  const matched = error instanceof ModelServerError && !isPlain ? byMessage(error) : undefined;
  if (matched !== undefined) return matched;
  return status === undefined ? withoutStatus(error, facts) : failureOfStatus(status);
}

function byCode({ code, name }: ErrorFacts): ModelFailure | undefined {
  if (code === 'insufficient_quota') return 'no-credit';
  if (name === 'ContextOverflowError' || code === 'context_length_exceeded') return 'too-long';
  return code === 'content_filter' ? 'filtered' : undefined;
}

function byMessage({ type = '', code = '', message }: ModelServerError): ModelFailure | undefined {
  const text = `${type} ${code} ${message}`;
  return BY_MESSAGE.find(([pattern]) => pattern.test(text))?.[1];
}

function withoutStatus(error: unknown, { name, message }: ErrorFacts): ModelFailure {
  const known = BY_TYPE[typeOf(error)];
  if (known !== undefined) return known;
  if (name === 'TimeoutError' || /timed? ?out/i.test(message)) return 'timeout';
  if (error instanceof SyntaxError) return 'unreadable';
  return error instanceof ModelServerError ? 'overloaded' : 'unreachable';
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : '';
}

function failureOfStatus(status: number): ModelFailure {
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'rejected');
}

/** Returns how long the provider asks us to wait, in milliseconds; undefined if it does not say. */
export function retryAfterMs(error: unknown, now: number): number | undefined {
  const headers = error instanceof Object && 'headers' in error ? error.headers : undefined;
  if (!(headers instanceof Headers)) return undefined;
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

interface ErrorFacts {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly message: string;
  readonly name: string;
}

/**
 * Extracts the facts of a provider's error. Never log `message`: it may contain a key or
 * conversation text.
 */
export function loggableFactsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error))
    return { status: undefined, code: undefined, message: '', name: '' };
  const { message, name } = error;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  const code = codeOf(error) ?? networkCodeOf(error);
  return { status, code, message, name };
}

function codeOf(error: unknown): string | undefined {
  const isNamed = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return isNamed ? String(error.code) : undefined;
}
