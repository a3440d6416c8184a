/** What can go wrong with a model, in words for the person who waits for its answer. */
export type ModelFailure = keyof typeof SENTENCES;

const SENTENCES = {
  'rate-limited':
    'The model’s provider says that it gets too many requests from us. Wait a minute and ask again.',
  'no-credit':
    'The model’s provider says that our account has no credit left. Ask whoever runs this app to top it up, then ask again.',
  auth: 'The model’s provider does not accept our key. Ask whoever runs this app to check {key}, then ask again.',
  'not-found':
    'The model’s provider does not know the configured model. Ask whoever runs this app to check MODEL and {baseUrl}.',
  'too-long':
    'This conversation has become too long for the model. Start a new thread, or ask for less at a time.',
  rejected:
    'The model’s provider did not accept the request. Ask again in other words; if it keeps happening, start a new thread and tell whoever runs this app.',
  overloaded: 'The model’s provider has trouble of its own. Ask again in a few minutes.',
  timeout: 'The model did not answer in time. Ask again; a smaller question may help.',
  unreachable:
    'The model could not be reached. Ask again in a minute; if it keeps happening, tell whoever runs this app.',
  'cut-off':
    'The model’s answer broke off before it was complete, and nothing was done from it. Ask again.',
  unreadable:
    'What came from the model’s address is no answer that I can read, and nothing was done from it. Ask again; if it keeps happening, ask whoever runs this app to check {baseUrl}.',
  length:
    'The model’s answer reached its length limit before it was complete, and no action was taken from it. Ask it to go on, or to take smaller steps.',
  filtered: 'The model’s provider held back the answer by its content rules. Ask in other words.',
  empty: 'The model gave an empty answer. Ask again, perhaps in other words.',
  'too-many-calls':
    'The model wanted to do more than 32 things at once, so nothing was done. Ask it to take smaller steps.',
  'too-large':
    'The model’s answer was too large to be handled, so nothing was done from it. Ask it to take smaller steps.',
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

/** Names of the environment variables behind a model. */
export interface ModelVariables {
  readonly key: string;
  readonly baseUrl: string;
}

/** Types of errors, as Anthropic sends them also amid a stream; https://docs.anthropic.com/en/api/errors. */
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

const PASSING: ReadonlySet<ModelFailure> = new Set([
  'rate-limited',
  'overloaded',
  'timeout',
  'unreachable',
]);

/** Says a failure in one or two sentences: what happened, and what to do. */
export function sayFailure(failure: ModelFailure, variables: ModelVariables): string {
  return SENTENCES[failure].replace('{key}', variables.key).replace('{baseUrl}', variables.baseUrl);
}

/** Tells whether the same request may well succeed a little later. */
export function isPassing(failure: ModelFailure): boolean {
  return PASSING.has(failure);
}

/** Sorts what a request to the provider was rejected with. */
export function toModelFailure(error: unknown): ModelFailure {
  const { status, code, message, name } = factsOf(error);
  if (code === 'insufficient_quota') return 'no-credit';
  if (name === 'ContextOverflowError' || code === 'context_length_exceeded') return 'too-long';
  if (code === 'content_filter') return 'filtered';
  if (status === 400 && /credit balance is too low/i.test(message)) return 'no-credit';
  if (status !== undefined) return failureOfStatus(status);
  const known = BY_TYPE[typeOf(error)];
  if (known !== undefined) return known;
  if (name === 'TimeoutError' || /timed? ?out/i.test(message)) return 'timeout';
  return 'unreachable';
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : '';
}

function failureOfStatus(status: number): ModelFailure {
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'rejected');
}

/** Returns how long the provider asks us to wait, in milliseconds; undefined when it does not say. */
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

/** Returns what may be logged of a provider's error; its message may hold parts of a key or of the conversation. */
export function factsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error))
    return { status: undefined, code: undefined, message: '', name: '' };
  const { message, name } = error;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { status, code, message, name };
}
