import type { z } from 'zod';
import type { Call } from '../../../domain/calls/call.ts';
import { isTerminal } from '../../../domain/calls/call.ts';
import { toApproval } from '../../../domain/cards/approval-view.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApprovalVisibility, VisibleApproval } from '../auth/approval-visibility.ts';
import type { LongPollEnd, LongPolls } from '../long-poll.ts';
import { type ApiCaller, type ApiContext, createOperation } from '../operation.ts';
import { notFoundProblem, notVisibleProblem, problemResponse } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, WaitQuery } from '../schemas.ts';

const RETRY_S = 1;
/** Common proxies time out at 60 seconds. */
const MAX_WAIT_S = 50;
const UNAUTHORIZED: LongPollEnd = 'unauthorized';

interface ReadDeps {
  readonly deps: Pick<ApiDeps, 'log' | 'outside'>;
  readonly visibility: Pick<ApprovalVisibility, 'find' | 'findAgain'>;
  readonly waits: LongPolls;
}

/** Creates the operation that reads an approval, or waits for a decision on it. */
export function createReadApproval(
  deps: ApiDeps,
  visibility: Pick<ApprovalVisibility, 'find' | 'findAgain'>,
  waits: LongPolls,
) {
  return createOperation(
    {
      method: 'get',
      path: '/api/approvals/:id',
      operationId: 'readApproval',
      summary: 'Reads an approval; with wait, waits until people have decided',
      answers: {
        200: jsonResponse(Approval, 'The approval.'),
        202: jsonResponse(Approval, 'The wait ended without a change: ask again.'),
        ...problemResponses(404),
      },
    },
    { query: WaitQuery },
    async ({ c, id, query, caller }) => {
      const seen = await visibility.find(caller, id);
      if (!seen || seen === 'unclear') return notVisibleProblem(c, seen);
      const isPlain = query.wait === undefined && query.revision === undefined;
      return isPlain
        ? await answer(deps, c, caller, seen)
        : await answerLater({ deps, visibility, waits }, c, caller, seen, query);
    },
  );
}

/** Responds when there is news or the wait is over. */
async function answerLater(
  { deps, visibility, waits }: ReadDeps,
  c: ApiContext,
  caller: ApiCaller,
  seen: VisibleApproval,
  { revision, wait: seconds = 0 }: z.output<typeof WaitQuery>,
): Promise<Response> {
  const isNews = (call: Call) =>
    revision === undefined ? !waitsForPeople(call) : call.revision !== revision;
  const waited = Math.min(seconds, MAX_WAIT_S);
  // https://www.rfc-editor.org/rfc/rfc7240#section-4.3
  if (waited < seconds) c.header('preference-applied', `wait=${waited}`);
  const waiting = waits.open({ caller, gone: c.req.raw.signal, ms: waited * 1_000 });
  try {
    const call = await wait(deps, seen.call, isNews, waiting.signal);
    if (!call) return notFoundProblem(c);
    if (waiting.signal.reason === UNAUTHORIZED) {
      return problemResponse(
        c,
        401,
        'The key was revoked or the token expired while this request waited.',
      );
    }
    const now = await visibility.findAgain(caller, seen, call);
    if (!now || now === 'unclear') return notVisibleProblem(c, now);
    if (isNews(now.call)) return await answer(deps, c, caller, now);
    c.header('retry-after', String(RETRY_S));
    return c.json(toApproval(now.call, now.view), 202);
  } finally {
    waiting.release();
  }
}

/** Waits until there is news or the signal aborts. Returns undefined if the call is gone. */
async function wait(
  { outside }: Pick<ApiDeps, 'outside'>,
  seen: Call,
  isNews: (call: Call) => boolean,
  signal: AbortSignal,
): Promise<Call | undefined> {
  let call: Call | undefined = seen;
  while (call && !isNews(call)) {
    const changed: Call | undefined = await outside.changed(call.id, call.revision, signal);
    if (changed === undefined) return signal.aborted ? call : undefined;
    call = changed;
  }
  return call;
}

async function answer(
  deps: ReadDeps['deps'],
  c: ApiContext,
  caller: ApiCaller,
  { call, view }: VisibleApproval,
): Promise<Response> {
  await markTold(deps, caller, call);
  return c.json(toApproval(call, view), 200);
}

/** Once the program has read how its call ended, the outcome counts as delivered. */
async function markTold(
  { log, outside }: ReadDeps['deps'],
  caller: ApiCaller,
  call: Call,
): Promise<void> {
  const isOwn = caller.kind === 'key' && call.outside?.key === caller.key.id;
  if (!isOwn || call.delivered || !isTerminal(call)) return;
  try {
    await outside.markTold(call.id);
  } catch (error) {
    log.warn({ err: error, call: call.id }, 'Could not store that a program has read the outcome.');
  }
}

function waitsForPeople({ status }: Call): boolean {
  return status === 'pending' || status === 'proposed';
}
