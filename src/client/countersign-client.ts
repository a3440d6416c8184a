/** Client for the HTTP API: runs only what people approved. One file without imports, for Node 20+, Deno, Bun and browsers: copy it, or import `countersign/client`. */

/** Status of an approval. */
export type ApprovalStatus =
  | 'pending'
  | 'approved'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'replied'
  | 'ignored'
  | 'expired'
  | 'withdrawn'
  | 'refused';

/** A call that needs approval. `arguments` are the current ones, with people's edits. */
export interface Approval<Args extends object = Record<string, unknown>> {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly revision: number;
  readonly toolName: string;
  readonly arguments: Args;
  /** Hash of exactly these arguments; send it back to consume the approval. */
  readonly digest: string;
  readonly edited: boolean;
  readonly decidedBy: string | null;
  readonly approvedBy: readonly string[];
  /** A person's answer in place of an approval. */
  readonly reply: string | null;
  readonly reason: string | null;
}

/** A request for approval of one call. */
export interface ApprovalRequest<Args extends object = Record<string, unknown>> {
  readonly action: string;
  readonly args: Args;
  /** JSON Schema of the arguments. People edit the arguments in a form built from it. */
  readonly schema?: object;
  readonly summary?: string;
  readonly description?: string;
  readonly risk?: 'low' | 'medium' | 'high';
  /** Slack channel id. (Default: the key's channel.) */
  readonly channel?: string;
  /** Slack id of the person the request is for. (Default: the key's owner.) */
  readonly requester?: string;
  /** Seconds, or an ISO 8601 time. */
  readonly deadline?: number | string;
  readonly decisions?: readonly ('approve' | 'edit' | 'reply' | 'ignore')[];
  readonly callbackUrl?: string;
  readonly metadata?: unknown;
  readonly choices?: readonly string[];
  /** True if nobody will report the outcome: consuming ends the call. */
  readonly silent?: boolean;
}

export interface WaitOptions {
  /** Seconds. */
  readonly wait?: number;
  /** Aborts the wait. If the same function created the request, it is also cancelled. */
  readonly signal?: AbortSignal;
  /** Called when the wait for people begins, then every 20 seconds. */
  readonly onWaiting?: (approval: Approval<object>) => void;
}

export interface RequestOptions extends WaitOptions {
  /** Repeating a request with the same key returns the same approval, also after a restart. (Default: a random key.) */
  readonly idempotencyKey?: string;
}

/** An approval that this program may run, once. The token proves it to others for one minute. */
export interface Taken<Args extends object = Record<string, unknown>> {
  readonly token: string;
  readonly approval: Approval<Args>;
}

/** What to consume. If `arguments` are given, consume fails unless they match the approved ones. */
export type Approved<Args extends object = Record<string, unknown>> = Pick<
  Approval<Args>,
  'id' | 'digest'
> &
  Partial<Pick<Approval<Args>, 'arguments'>>;

export interface Report {
  readonly status: 'succeeded' | 'failed';
  readonly text?: string;
}

export interface WithApprovalOptions<Args extends object, Result>
  extends Omit<ApprovalRequest<Args>, 'args'>,
    WaitOptions {
  /** Text of the result for people to read. (Default: only that the call succeeded.) */
  readonly describe?: (result: Result) => string;
  /** Called if the function ran but its outcome could not be reported; people are asked then. (Default: a console warning.) */
  readonly onUnreported?: (error: unknown, approval: Approval<Args>) => void;
}

export interface CountersignOptions {
  /** Base URL of the app, like `https://countersign.example.com`. */
  readonly url: string;
  readonly key: string;
  readonly fetch?: typeof fetch;
  /** How long an unreachable server is retried, in seconds. (Default: 120.) */
  readonly patience?: number;
}

/** Base of all errors thrown here, except the reason of an abort and errors of the wrapped function. */
export class CountersignError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server can't be reached, or its response is not Countersign's. Nothing was run. */
export class UnreachableError extends CountersignError {}

/** The server refuses the request, e.g. for a wrong key or field. */
export class ProblemError extends CountersignError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The call must not run; see the status of `approval`. */
export class ApprovalError extends CountersignError {
  readonly approval: Approval<object>;

  constructor(message: string, approval: Approval<object>) {
    super(message);
    this.approval = approval;
  }
}

/** A person rejected the call (`approval.reply` is null), or replied instead of approving. */
export class DeclinedError extends ApprovalError {
  get reply(): string | null {
    return this.approval.reply;
  }

  get decidedBy(): string | null {
    return this.approval.decidedBy;
  }
}

/** Nobody decided in time, or the approval was not consumed in time. */
export class ExpiredError extends ApprovalError {}
/** The request was withdrawn. */
export class CancelledError extends ApprovalError {}

/** The policy refused the call. */
export class RefusedError extends ApprovalError {}

/** Nobody has decided yet. */
export class PendingError extends ApprovalError {}

/** The approval was consumed before, perhaps by this program before a restart. */
export class TakenError extends ApprovalError {}

/** The approval was consumed, but it is unknown whether the call ran. People are asked. */
export class OutcomeUnknownError extends ApprovalError {}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly why?: never;
}

interface RetryableFailure {
  readonly why: string;
  readonly afterMs: number;
}

interface RetriedAnswer extends Answer {
  /** Whether an earlier try may have reached the server. */
  readonly isRepeated: boolean;
}

interface OutgoingRequest {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Aborting the signal does not interrupt the request: cancelling an approval needs its id, which is in the response. */
  readonly noAbort?: boolean;
}

/** Proxies close connections that are silent for a minute, some sooner. */
const POLL_SECONDS = 20;
/** A connection without a response for longer than this is dead. */
const REQUEST_TIMEOUT_MS = (POLL_SECONDS + 15) * 1_000;
const MIN_POLL_MS = 500;
const FIRST_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 10_000;
const HELD_RETRY_MS = 5_000;

/** A client of one Countersign server. */
export type Countersign = ReturnType<typeof createCountersign>;

/** Creates a client. Throws a `TypeError` if the key or the URL is malformed. */
export function createCountersign(options: CountersignOptions) {
  const { key, patience = 120 } = options;
  const send = options.fetch ?? fetch;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('Invalid API key: pass the whole key.');
  const base = `${new URL(options.url).href.replace(/\/+$/, '')}/api/approvals`;

  /** Sends the request once. Returns the response, or why it should be sent again. */
  async function attempt(
    path: string,
    { method = 'GET', body, headers, signal, noAbort = false }: OutgoingRequest,
  ): Promise<Answer | RetryableFailure> {
    signal?.throwIfAborted();
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const aborter = new AbortController();
    const end = () => aborter.abort();
    const timer = setTimeout(end, REQUEST_TIMEOUT_MS);
    if (!noAbort) signal?.addEventListener('abort', end);
    try {
      const response = await send(base + path, {
        method,
        // Never send the key to another host.
        redirect: 'manual',
        signal: aborter.signal,
        headers: {
          ...headers,
          authorization: `Bearer ${key}`,
          ...(sent !== undefined && { 'content-type': 'application/json' }),
        },
        ...(sent !== undefined && { body: sent }),
      });
      return await readAnswer(response);
    } catch (error) {
      signal?.throwIfAborted();
      return { why: describeError(error), afterMs: 0 };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  async function sendWithRetry(path: string, sending: OutgoingRequest): Promise<RetriedAnswer> {
    let failingSince: number | undefined;
    for (let tries = 0; ; tries += 1) {
      const answer = await attempt(path, sending);
      if (answer.why === undefined) {
        assertFromCountersign(answer, base);
        return { ...answer, isRepeated: tries > 0 };
      }
      failingSince ??= performance.now();
      const backoff = Math.min(MAX_RETRY_DELAY_MS, FIRST_RETRY_DELAY_MS * 2 ** tries);
      const delayMs = Math.max(answer.afterMs, backoff * (0.5 + Math.random() / 2));
      if (performance.now() - failingSince + delayMs > patience * 1_000) {
        throw new UnreachableError(`Countersign at ${base} can't be reached: ${answer.why}`);
      }
      await sleep(delayMs, sending.signal);
    }
  }

  async function sendOrThrow(path: string, sending: OutgoingRequest): Promise<unknown> {
    const { status, body } = await sendWithRetry(path, sending);
    if (status < 200 || status > 299) throw new ProblemError(detailOf(body), status);
    return body;
  }

  const pathOf = (id: string, rest = '') => `/${encodeURIComponent(id)}${rest}`;

  /** Requests an approval and returns without waiting. Safe to retry with the same `idempotencyKey`. */
  async function createApproval<Args extends object>(
    request: ApprovalRequest<Args>,
    { signal, idempotencyKey = crypto.randomUUID() }: RequestOptions = {},
  ): Promise<Approval<Args>> {
    const headers = { 'idempotency-key': idempotencyKey };
    const sending = { method: 'POST', body: request, headers, signal, noAbort: true } as const;
    return readApproval(await sendOrThrow('', sending));
  }

  /** Reads an approval. Waits until it is no longer pending, at most `wait` seconds. (Default: 0.) */
  async function getApproval<Args extends object = Record<string, unknown>>(
    id: string,
    { wait = 0, signal, onWaiting }: WaitOptions = {},
  ): Promise<Approval<Args>> {
    const until = performance.now() + wait * 1_000;
    for (;;) {
      const askedAt = performance.now();
      const seconds = Math.min(POLL_SECONDS, Math.ceil(Math.max(0, until - askedAt) / 1_000));
      const path = pathOf(id, seconds > 0 ? `?wait=${seconds}` : '');
      const approval = readApproval<Args>(await sendOrThrow(path, { signal }), id);
      if (approval.status !== 'pending' || performance.now() >= until) return approval;
      onWaiting?.(approval);
      // Don't poll in a tight loop if the server answers at once, as it does while it shuts down.
      if (performance.now() - askedAt < MIN_POLL_MS) await sleep(2 * MIN_POLL_MS, signal);
    }
  }

  /** Withdraws the request unless it was consumed. Returns its current state. */
  async function cancel(id: string): Promise<Approval> {
    const { status, body } = await sendWithRetry(pathOf(id, '/cancel'), { method: 'POST' });
    if (status === 409 || status === 410) return await getApproval(id);
    if (status !== 200) throw new ProblemError(detailOf(body), status);
    return readApproval(body, id);
  }

  /** Requests an approval and returns it once approved; throws an `ApprovalError` if the call must not run. (Default of wait: until the deadline.) */
  async function requestApproval<Args extends object>(
    request: ApprovalRequest<Args>,
    options: RequestOptions = {},
  ): Promise<Approval<Args>> {
    const approval = await createApproval(request, options);
    const decided = await waitForDecision(approval, { wait: Number.POSITIVE_INFINITY, ...options });
    if (decided.status !== 'approved') throw toError(decided);
    return decided;
  }

  async function waitForDecision<Args extends object>(
    approval: Approval<Args>,
    waiting: WaitOptions,
  ): Promise<Approval<Args>> {
    try {
      waiting.signal?.throwIfAborted();
      if (approval.status !== 'pending') return approval;
      waiting.onWaiting?.(approval);
      return await getApproval<Args>(approval.id, waiting);
    } catch (error) {
      if (waiting.signal?.aborted) await tryCancel(approval.id);
      throw error;
    }
  }

  /** Tries once: if that fails, the request expires by itself. Returns whether it is known to be withdrawn. */
  async function tryCancel(id: string): Promise<boolean> {
    const answer = await attempt(pathOf(id, '/cancel'), { method: 'POST' });
    return answer.why === undefined && answer.status === 200;
  }

  /** Consumes the approval, or returns its current state if people have to decide again. */
  async function tryConsume<Args extends object>(
    approved: Approved<Args>,
  ): Promise<Taken<Args> | Approval<Args>> {
    const { digest, id } = approved;
    const sending = { method: 'POST', body: { digest } } as const;
    const { status, body, isRepeated } = await sendWithRetry(pathOf(id, '/consume'), sending);
    if (status === 200) return readTaken(body, approved);
    if (status !== 409 && status !== 410) throw new ProblemError(detailOf(body), status);
    const approval = await getApproval<Args>(id);
    if (approval.status === 'pending') return approval;
    if (approval.status === 'approved' && approval.digest !== digest) return approval;
    throw toNotConsumedError(approval, { detail: detailOf(body), isRepeated });
  }

  /** Consumes the approval, once. From then on this program may run the call, with exactly these arguments. */
  async function consume<Args extends object>(approval: Approved<Args>): Promise<Taken<Args>> {
    const taken = await tryConsume<Args>(approval);
    if ('token' in taken) return taken;
    throw new PendingError('The approval has changed. Read it again before consuming it.', taken);
  }

  /** Reports the outcome of a consumed call. */
  async function report(id: string, outcome: Report): Promise<Approval> {
    const { status, body, isRepeated } = await sendWithRetry(pathOf(id, '/report'), {
      method: 'POST',
      body: { outcome },
    });
    if (status === 200) return readApproval(body, id);
    const approval = status === 409 ? await getApproval(id) : undefined;
    // An earlier try arrived, and only its response was lost.
    if (isRepeated && approval?.status === outcome.status) return approval;
    throw new ProblemError(detailOf(body), status);
  }

  async function requestAndConsume<Args extends object>(
    request: ApprovalRequest<Args>,
    { wait = Number.POSITIVE_INFINITY, ...options }: RequestOptions,
  ): Promise<Taken<Args>> {
    const until = performance.now() + wait * 1_000;
    const { signal } = options;
    let approval = await createApproval(request, options);
    for (;;) {
      const left = Math.max(0, until - performance.now()) / 1_000;
      approval = await waitForDecision(approval, { ...options, wait: left });
      if (approval.status === 'pending') {
        throw toExpiredError(approval, await tryCancel(approval.id));
      }
      if (approval.status !== 'approved') throw toError(approval);
      const taken = await consumeOrWait(approval, until - performance.now(), signal);
      if ('token' in taken) return taken;
      approval = taken;
    }
  }

  /** Waits a while before the next try if the call is held, e.g. because Countersign is paused. */
  async function consumeOrWait<Args extends object>(
    approval: Approval<Args>,
    leftMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Taken<Args> | Approval<Args>> {
    try {
      return await tryConsume<Args>(approval);
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 409)) throw error;
      if (leftMs <= 0) {
        await tryCancel(approval.id);
        throw error;
      }
      await sleep(Math.min(HELD_RETRY_MS, leftMs), signal);
      return approval;
    }
  }

  /** Wraps a function of one object. It runs only once people approved, with the approved arguments, and its outcome is reported. */
  function withApproval<Args extends object, Result>(
    fn: (args: Args, taken: Taken<Args>) => Result | Promise<Result>,
    options: WithApprovalOptions<Args, Result>,
  ): (args: Args) => Promise<Result> {
    const { describe, onUnreported = warn, ...asking } = options;
    const { wait, signal, onWaiting, ...request } = asking;

    async function sendReport({ approval }: Taken<Args>, outcome: () => Report): Promise<void> {
      if (request.silent) return;
      try {
        await report(approval.id, outcome());
      } catch (error) {
        onUnreported(error, approval);
      }
    }

    return async (args) => {
      const taken = await requestAndConsume<Args>({ ...request, args }, asking);
      let result: Result;
      try {
        result = await fn(taken.approval.arguments, taken);
      } catch (error) {
        await sendReport(taken, () => ({ status: 'failed', text: describeError(error) }));
        throw error;
      }
      await sendReport(taken, () => ({
        status: 'succeeded',
        ...(describe && { text: describe(result) }),
      }));
      return result;
    };
  }

  return { createApproval, getApproval, requestApproval, consume, report, cancel, withApproval };
}

/** Server errors and rate limits are worth a retry. */
async function readAnswer(response: Response): Promise<Answer | RetryableFailure> {
  const { status, headers } = response;
  const body = parse(await response.text());
  if (status < 500 && status !== 429 && status !== 408) return { status, body };
  const afterMs = Number(headers.get('retry-after')) * 1_000 || 0;
  return { why: `it answered ${status}: ${detailOf(body)}`, afterMs };
}

function toNotConsumedError(
  approval: Approval<object>,
  { detail, isRepeated }: { readonly detail: string; readonly isRepeated: boolean },
): CountersignError {
  if (approval.status === 'approved') return new ProblemError(detail, 409);
  if (!isRepeated || approval.status !== 'running') return toError(approval);
  const lost = 'The response to consuming it was lost: it counts as consumed, but was not run.';
  return new OutcomeUnknownError(lost, approval);
}

function toExpiredError(approval: Approval<object>, isCancelled: boolean): ExpiredError {
  const then = isCancelled ? 'so the request was cancelled' : 'and it could not be cancelled';
  return new ExpiredError(`Nobody decided in time, ${then}.`, approval);
}

function toError(approval: Approval<object>): ApprovalError {
  const { status, reason } = approval;
  const because = reason === null ? '' : ` ${reason}`;
  const by = approval.decidedBy ?? 'Somebody';
  switch (status) {
    case 'replied':
      return new DeclinedError(`${by} answered: ${approval.reply ?? ''}`, approval);
    case 'ignored':
      return new DeclinedError(`${by} said no.${because}`, approval);
    case 'expired':
      return new ExpiredError(`Nobody decided in time.${because}`, approval);
    case 'withdrawn':
      return new CancelledError(`The request was cancelled.${because}`, approval);
    case 'refused':
      return new RefusedError(`The policy forbids it.${because}`, approval);
    case 'unknown':
      return new OutcomeUnknownError('It was consumed; whether it ran is unknown.', approval);
    case 'running':
    case 'succeeded':
    case 'failed':
      return new TakenError(`It was already consumed and is ${status}.`, approval);
    case 'pending':
    case 'approved':
      return new PendingError('Nobody has decided yet.', approval);
  }
}

const STATUSES: Readonly<Record<ApprovalStatus, true>> = {
  pending: true,
  approved: true,
  running: true,
  succeeded: true,
  failed: true,
  unknown: true,
  replied: true,
  ignored: true,
  expired: true,
  withdrawn: true,
  refused: true,
};

/** Throws on a response that is malformed or about another approval, so that nothing is run. */
function readApproval<Args extends object = Record<string, unknown>>(
  body: unknown,
  asked?: string,
): Approval<Args> {
  const { id, status, digest, arguments: args } = isObject(body) ? body : {};
  const isRead =
    typeof id === 'string' &&
    (asked === undefined || id === asked) &&
    typeof digest === 'string' &&
    typeof status === 'string' &&
    Object.hasOwn(STATUSES, status) &&
    isObject(args);
  if (!isRead) throw new UnreachableError('The response is not a valid response of Countersign.');
  return body as unknown as Approval<Args>;
}

function readTaken<Args extends object>(body: unknown, approved: Approved<Args>): Taken<Args> {
  const { token, approval } = isObject(body) ? body : {};
  const read = readApproval<Args>(approval, approved.id);
  const isTaken = read.status === 'running' || read.status === 'succeeded';
  const { arguments: args = read.arguments, digest } = approved;
  const isSame = read.digest === digest && isEqual(read.arguments, args);
  if (typeof token !== 'string' || !isTaken || !isSame) {
    throw new UnreachableError('The consumed call is not the approved one. Nothing was run.');
  }
  return { token, approval: read };
}

/** Deep equality of JSON values; the order of keys doesn't matter. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [entries, others] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isEqual(value, others.get(key)))
  );
}

/** Countersign explains every refusal. A redirect or another site's page is not its response. */
function assertFromCountersign({ body, status }: Answer, base: string): void {
  if (Math.trunc(status / 100) === 2 || (isObject(body) && typeof body.detail === 'string')) return;
  throw new UnreachableError(
    `The server at ${base} is not Countersign: it answered ${status || 'a redirect'}.`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailOf(body: unknown): string {
  const { detail, title } = isObject(body) ? body : {};
  return [detail, title].find((each) => typeof each === 'string') ?? 'No reason was given.';
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function warn(error: unknown, { id }: Approval<object>): void {
  // biome-ignore lint/suspicious/noConsole: a program that did not ask to be called must not miss it.
  console.warn(`The outcome of ${id} could not be reported: ${describeError(error)}`);
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
