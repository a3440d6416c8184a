/** The HTTP API: programs request approvals, and people decide from their own front ends. */
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { StoreUnavailableError } from '../../domain/ports/store.ts';
import type { ApiDeps } from './api-deps.ts';
import { createApprovalVisibility } from './auth/approval-visibility.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createKeyRing } from './auth/key-ring.ts';
import { createLongPolls, type LongPolls } from './long-poll.ts';
import { writeOpenApi } from './openapi-document.ts';
import { type ApiContext, type ApiEnv, createOperation, type Operation } from './operation.ts';
import { createDecideApproval } from './operations/decide-approval.ts';
import { createFollowApproval } from './operations/follow-approval.ts';
import { createListApprovals } from './operations/list-approvals.ts';
import { createProgramOperations } from './operations/program-operations.ts';
import { createReadApproval } from './operations/read-approval.ts';
import { createRequestApproval } from './operations/request-approval.ts';
import { DAMAGED_RECORD_DETAIL, problemResponse, RETRY_AFTER_S } from './problem.ts';
import { jsonResponse, PROBLEM } from './response-schemas.ts';
import { createServe } from './serve-operation.ts';

/** The HTTP API, ready to be mounted. */
export interface Api {
  /** Handles requests under `/api`. */
  readonly routes: Hono<ApiEnv>;
  /** Returns the id of the key that the token is valid for now, or undefined. */
  keyIdOf(token: string): Promise<string | undefined>;
  /** Ends long polls, whose clients are told to ask again, and closes streams. */
  close(): void;
}

/** Creates the API. */
export function createApi(deps: ApiDeps): Api {
  const { clock, log, store } = deps;
  const ring = createKeyRing({ keys: store.keys, clock, log });
  const waits = createLongPolls({ clock, ring });
  const authenticate = createAuthenticate(deps, ring);
  const operations = createOperations(deps, waits);
  const document = writeOpenApi(operations);

  const routes = new Hono<ApiEnv>();
  if (deps.corsOrigins.length > 0) routes.use('/api/*', allowPages(deps.corsOrigins));
  routes.get('/api/openapi.json', (c) => c.json(document));
  mountOperations(routes, operations, createServe(authenticate, deps.ratePerMinute));
  routes.notFound((c) =>
    problemResponse(
      c,
      404,
      'There is nothing at this address. /api/openapi.json lists all operations.',
    ),
  );
  routes.onError((error, c) => {
    log.warn({ err: error, path: c.req.path }, 'An API request could not be handled.');
    return answerError(error, c);
  });

  async function keyIdOf(token: string): Promise<string | undefined> {
    const entry = await authenticate(`Bearer ${token}`);
    return entry.kind === 'authenticated' && entry.caller.kind === 'key'
      ? entry.caller.key.id
      : undefined;
  }

  return { routes, keyIdOf, close: waits.close };
}

function createOperations(deps: ApiDeps, waits: LongPolls): readonly Operation[] {
  const visibility = createApprovalVisibility(deps);
  return [
    createRequestApproval(deps),
    createListApprovals(deps, visibility),
    createReadApproval(deps, visibility, waits),
    createFollowApproval(deps, visibility, waits),
    ...createProgramOperations(deps),
    ...createDecideApproval(deps, visibility),
    createOperation(
      {
        method: 'get',
        path: '/api/jwks.json',
        operationId: 'readKeySet',
        summary: 'Returns the public key that verifies consume tokens',
        isOpen: true,
        answers: { 200: jsonResponse(KeySet, 'A JSON Web Key Set.'), 400: PROBLEM },
      },
      {},
      ({ c }) => c.json(deps.tokens.keySet, 200),
    ),
  ];
}

/** Adds the operations. Other methods of their paths are refused with those that exist. */
function mountOperations(
  routes: Hono<ApiEnv>,
  operations: readonly Operation[],
  serve: (c: ApiContext, operation: Operation) => Promise<Response>,
): void {
  for (const each of operations) {
    // Hono routes HEAD to GET handlers. A stream without a reader would never end, and reads would count as delivered.
    routes.on(each.method, each.path, (c, next) =>
      c.req.method === 'HEAD' && !each.isOpen ? next() : serve(c, each),
    );
  }
  for (const path of new Set(['/api/openapi.json', ...operations.map((each) => each.path)])) {
    const methods = operations.flatMap((each) => (each.path === path ? [each.method] : []));
    const allowed = [...new Set(methods.length > 0 ? methods : ['get'])].join(', ').toUpperCase();
    routes.all(path, (c) => {
      c.header('allow', allowed);
      return problemResponse(c, 405, `This address accepts ${allowed}.`);
    });
  }
}

function answerError(error: unknown, c: Context): Response {
  if (error instanceof DamagedRecordError) return problemResponse(c, 500, DAMAGED_RECORD_DETAIL);
  return error instanceof StoreUnavailableError
    ? problemResponse(c, 503, 'The records can’t be reached right now. Try again in a moment.', {
        retryAfter: RETRY_AFTER_S,
      })
    : problemResponse(
        c,
        500,
        'Something went wrong, and it was logged. It is unknown whether the request was carried out: read the approval.',
      );
}

/** CORS: pages of these origins may use the API with an Authorization header; cookies are never used. */
function allowPages(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'POST'],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'last-event-id'],
    exposeHeaders: ['location', 'retry-after', 'preference-applied', 'www-authenticate'],
    maxAge: 600,
  });
}

const KeySet = z.strictObject({ keys: z.array(z.record(z.string(), z.string())) });
