import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { createAuthenticate } from './auth/authenticate.ts';
import type { ApiCaller, ApiContext, Operation } from './operation.ts';
import { problemResponse, RETRY_AFTER_S } from './problem.ts';
import { readJsonBody } from './read-json-body.ts';

/** Creates the function that authenticates a request, applies the rate limit, reads its body and handles it. */
export function createServe(
  authenticate: ReturnType<typeof createAuthenticate>,
  ratePerMinute: number,
): (c: ApiContext, operation: Operation) => Promise<Response> {
  const checkRateLimit = createRateLimit(ratePerMinute);

  async function authenticateRequest(c: ApiContext): Promise<ApiCaller | Response> {
    const entry = await authenticate(c.req.header('authorization'));
    if (entry.kind === 'refused') return problemResponse(c, 401, entry.why);
    if (entry.kind === 'unclear')
      return problemResponse(c, 503, entry.why, { retryAfter: RETRY_AFTER_S });
    return entry.caller;
  }

  /** Authenticates again once the body was read: a slow sender's key may have been revoked meanwhile. */
  async function readBodyAndAuthenticate(c: ApiContext): Promise<ApiCaller | Response> {
    const read = await readJsonBody(c.req.raw);
    if (read.kind === 'refused') return problemResponse(c, read.status, read.why);
    c.set('body', read.kind === 'json' ? read.value : undefined);
    return await authenticateRequest(c);
  }

  return async (c, operation) => {
    c.header('cache-control', 'no-store');
    if (operation.isOpen) return await operation.serve(c);
    const authenticated = await authenticateRequest(c);
    if (authenticated instanceof Response) return authenticated;
    const limited = await checkRateLimit(c, authenticated);
    if (limited) return limited;
    const caller = operation.method === 'post' ? await readBodyAndAuthenticate(c) : authenticated;
    if (caller instanceof Response) return caller;
    c.set('caller', caller);
    return await operation.serve(c);
  };
}

/** Creates the check that returns a 429 response if the caller exceeds the rate limit. */
function createRateLimit(ratePerMinute: number) {
  const limiter = new RateLimiterMemory({ points: ratePerMinute, duration: 60 });
  return async (c: ApiContext, caller: ApiCaller): Promise<Response | undefined> => {
    const name = caller.kind === 'key' ? `key ${caller.key.id}` : `person ${caller.person.user}`;
    try {
      await limiter.consume(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return problemResponse(
        c,
        429,
        `More than ${ratePerMinute} requests per minute (API_RATE_PER_MINUTE). Wait a moment; ?wait=30 waits for a decision with one request.`,
        { retryAfter: Math.max(1, Math.ceil(error.msBeforeNext / 1_000)) },
      );
    }
  };
}
