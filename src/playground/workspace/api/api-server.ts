import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Json, toText } from '../json-value.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { ApiFault } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { type ApiMethods, slackError } from './api-method.ts';
import { decodeCall } from './decode-call.ts';

type Bound = { Bindings: HttpBindings };

/** The only methods that need the app-level token. */
const APP_TOKEN_METHODS = new Set(['apps.connections.open']);

/** Methods that need no token. */
const OPEN_METHODS = new Set(['api.test', 'blocks.validate']);

/**
 * Serves `/api/*`. Token checks, faults and the journal come before the methods and the backend.
 */
export function mountApi(app: Hono<Bound>, core: WorkspaceCore, methods: ApiMethods): void {
  app.all('/api/:method', async (c) => {
    const method = c.req.param('method');
    const { token, args } = await readCall(c);
    const finish = core.journal.open('api', method, args);
    const fault = core.faults.takeApi(method);
    if (fault !== undefined && fault.kind !== 'lost') {
      finish({ ok: false, answer: fault, problem: `fault: ${fault.kind}` });
      return faultyAnswer(c, fault);
    }
    const answer = checkToken(method, token) ?? (await run(core, methods, method, args));
    const problem = fault === undefined ? firstProblem(answer) : 'fault: lost';
    finish({ ok: answer.ok === true, answer, ...(problem === undefined ? {} : { problem }) });
    return fault === undefined ? c.json(answer) : dropConnection(c);
  });
}

async function readCall(c: Context<Bound>): Promise<{ token: string; args: Json }> {
  const query = new URL(c.req.url).searchParams;
  const body = c.req.method === 'GET' ? '' : await c.req.text();
  const { token, ...args } = decodeCall(c.req.header('content-type') ?? '', body, query);
  return { token: bearerToken(c.req.header('authorization')) || toText(token), args };
}

function bearerToken(header: string | undefined): string {
  return (header ?? '').replace(/^Bearer\s+/i, '').trim();
}

function checkToken(method: string, token: string): Json | undefined {
  if (OPEN_METHODS.has(method)) {
    return undefined;
  }
  if (token === '') {
    return slackError('not_authed');
  }
  if (token !== IDENTITY.botToken && token !== IDENTITY.appToken) {
    return slackError('invalid_auth');
  }
  const required = APP_TOKEN_METHODS.has(method) ? IDENTITY.appToken : IDENTITY.botToken;
  return token === required ? undefined : slackError('not_allowed_token_type');
}

async function run(
  core: WorkspaceCore,
  methods: ApiMethods,
  name: string,
  args: Json,
): Promise<Json> {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method === undefined
    ? core.backend.call(IDENTITY.app.botUserId, name, args)
    : method(args);
}

function firstProblem(answer: Json): string | undefined {
  if (answer.ok === true) {
    return undefined;
  }
  const errors = Array.isArray(answer.errors) ? answer.errors.map((e) => JSON.stringify(e)) : [];
  return [toText(answer.error), ...errors].join('; ');
}

function faultyAnswer(
  c: Context<Bound>,
  fault: Exclude<ApiFault, { kind: 'lost' }>,
): Response | Promise<Response> {
  switch (fault.kind) {
    case 'rate-limited':
      c.header('retry-after', String(fault.retryAfterS));
      return c.json(slackError('ratelimited'), 429);
    case 'status':
      return c.text(fault.body ?? '', fault.status as ContentfulStatusCode);
    case 'error':
      return c.json(slackError(fault.error));
    case 'reset':
      return dropConnection(c);
    case 'hang':
      // Never answers. Stopping the workspace closes the connection.
      return new Promise(() => undefined);
  }
}

/** Closes the connection after the call took effect, so that its answer is lost. */
function dropConnection(c: Context<Bound>): Response {
  c.env.incoming.socket.destroy();
  return c.body(null);
}
