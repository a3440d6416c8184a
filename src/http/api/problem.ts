import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { FieldProblem } from '../../domain/tools/tool.ts';

/** Body of every error response: https://www.rfc-editor.org/rfc/rfc9457 */
export interface Problem {
  readonly title: string;
  /** What happened, and what to do. */
  readonly detail: string;
  /** What is wrong with parts of the request. */
  readonly errors?: readonly FieldProblem[];
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number;
}

/** Retry-After of temporary failures (seconds). */
export const RETRY_AFTER_S = 5;

/** Detail for a stored record that can't be read. */
export const DAMAGED_RECORD_DETAIL =
  'Its stored record is damaged: it can’t be decided or run until the operator restores it from a backup.';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  410: 'Too late',
  413: 'Too large',
  415: 'Unsupported body',
  422: 'The request can’t be carried out',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Temporarily unavailable',
};

/** Creates an error response; `detail` says what happened and what to do. */
export function problemResponse<Status extends ContentfulStatusCode>(
  c: Context,
  status: Status,
  detail: string,
  more: Pick<Problem, 'errors' | 'retryAfter'> = {},
) {
  const { errors, retryAfter } = more;
  const body = {
    type: 'about:blank',
    title: TITLES[status] ?? 'Request failed',
    status: Number(status),
    detail,
    ...(errors && {
      errors: errors.map(({ path, message }) => ({ path: [...path], message })),
    }),
  };
  return c.json(body, status, {
    'content-type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="countersign"' }),
  });
}

/** 404; the same for another program's approval, so that ids can't be probed. */
export function notFoundProblem(c: Context) {
  return problemResponse(
    c,
    404,
    'You have no approval with this id. A key finds only those that it requested.',
  );
}

/** 404, or 503 if Slack can't say right now whether the caller may read it. */
export function notVisibleProblem(c: Context, found: 'unclear' | undefined) {
  if (found === undefined) return notFoundProblem(c);
  const why = 'Slack can’t be asked right now who may read this. Try again in a moment.';
  return problemResponse(c, 503, why, { retryAfter: RETRY_AFTER_S });
}
