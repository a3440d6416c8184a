import type { z } from 'zod';
import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { toApproval } from '../../../domain/cards/approval-view.ts';
import { mayRead } from '../../../domain/people/api-key.ts';
import type { Person } from '../../../domain/people/person.ts';
import { plainSentence } from '../../../domain/text/sentence.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApprovalVisibility } from '../auth/approval-visibility.ts';
import { type ApiCaller, type ApiContext, createOperation } from '../operation.ts';
import { notVisibleProblem, problemResponse } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { ListQuery, Page } from '../schemas.ts';

type Query = z.output<typeof ListQuery>;

/** Calls examined per page. More matches are on the next page. */
const MAX_EXAMINED = 500;
const BATCH = 100;
const RETRY_S = 5;

interface Found {
  readonly calls: readonly Call[];
  readonly next?: string | undefined;
  readonly note?: string;
}

type Fits = (call: Call) => boolean;
type ReadBatch = (before: string | undefined, limit: number) => Promise<readonly Call[]>;

/** Reads batches as they are needed. */
async function* inBatches(read: ReadBatch, after: string | undefined): AsyncGenerator<Call> {
  for (let before = after; ; ) {
    const batch = await read(before, BATCH);
    yield* batch;
    before = batch.at(-1)?.id;
    if (batch.length < BATCH) return;
  }
}

type ListDeps = Pick<ApiDeps, 'desk' | 'store'>;

/** Creates the operation that lists approvals. */
export function createListApprovals(
  { desk, store }: ListDeps,
  { find, viewFor }: Pick<ApprovalVisibility, 'find' | 'viewFor'>,
) {
  async function checkStart(c: ApiContext, caller: ApiCaller, after: string) {
    const found = await find(caller, after);
    if (found === 'unclear') return notVisibleProblem(c, found);
    if (found) return undefined;
    return problemResponse(
      c,
      422,
      'The previous page no longer exists. Start again without “after”.',
    );
  }

  function answer(c: ApiContext, caller: ApiCaller, { calls, next, note }: Found): Response {
    const approvals = calls.map((call) => toApproval(call, viewFor(caller, call)));
    return c.json({ approvals, next: next ?? null, ...(note !== undefined && { note }) }, 200);
  }

  return createOperation(
    {
      method: 'get',
      path: '/api/approvals',
      operationId: 'listApprovals',
      summary:
        'Lists approvals. A key gets its own requests (with the scope read, all), newest first. A person gets those that wait for their decision, oldest first; with a status other than pending, those requested in their name',
      answers: { 200: jsonResponse(Page, 'A page.'), ...problemResponses(403, 422) },
    },
    { query: ListQuery },
    async ({ c, query, caller }) => {
      const { after } = query;
      const refusal = after === undefined ? undefined : await checkStart(c, caller, after);
      if (refusal) return refusal;
      if (caller.kind === 'key') return answer(c, caller, await listOfKey(store, caller, query));
      const found = await listOfPerson({ desk, store }, caller.person, query);
      if ('calls' in found) return answer(c, caller, found);
      return found.passes
        ? problemResponse(c, 503, found.why, { retryAfter: RETRY_S })
        : problemResponse(c, 403, found.why);
    },
  );
}

/** Collects calls until the page is full or `MAX_EXAMINED` were examined. */
async function findPage(read: ReadBatch, fits: Fits, { after, limit }: Query): Promise<Found> {
  const calls: Call[] = [];
  let last = after;
  let examined = 0;
  for await (const call of inBatches(read, after)) {
    const isFull = calls.length === limit && fits(call);
    if (isFull || examined === MAX_EXAMINED) return { calls, next: last };
    if (fits(call)) calls.push(call);
    last = call.id;
    examined += 1;
  }
  return { calls };
}

async function listOfPerson(
  { desk, store }: ListDeps,
  person: Person,
  query: Query,
): Promise<Found | { readonly why: string; readonly passes: boolean }> {
  const { status } = query;
  if (status === undefined || status === 'pending') {
    const waiting = await desk.listWaiting(person, query);
    if (waiting.kind === 'nobody') {
      return { why: plainSentence(waiting.why), passes: waiting.passes === true };
    }
    const { calls, warning, next } = waiting;
    const note = warning === undefined ? undefined : plainSentence(warning);
    return { calls: calls.filter(fitting(query)), next, ...(note !== undefined && { note }) };
  }
  const isOver = isTerminal({ status } as Call);
  const read: ReadBatch = (before, limit) =>
    store.ledger.requestedBy(person, { isOver, before, limit });
  return await findPage(read, fitting(query), query);
}

async function listOfKey(
  store: ListDeps['store'],
  { key }: Extract<ApiCaller, { kind: 'key' }>,
  query: Query,
): Promise<Found> {
  const own = mayRead(key) ? {} : { key: key.id };
  const read: ReadBatch = (before, limit) => store.ledger.newest({ ...own, before, limit });
  return await findPage(read, fitting(query), query);
}

function fitting({ requester, status, tool }: Query): Fits {
  return (call) =>
    (status === undefined || call.status === status) &&
    (tool === undefined || call.tool === tool) &&
    (requester === undefined || call.requester.user === requester);
}
