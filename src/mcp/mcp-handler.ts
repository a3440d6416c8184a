/** MCP over streamable HTTP: one session per client, bound to the key that started it. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports */

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { JSONRPCRequestSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { createCountersign } from '../client/countersign-client.ts';
import type { JsonValue } from '../domain/json/json.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { StoreUnavailableError } from '../domain/ports/store.ts';
import type { McpCaller, RequestDefaults } from './asker.ts';
import { type ApprovalServer, createApprovalServer } from './create-approval-server.ts';
import { refuseMcpRequest } from './problem-response.ts';
import { readMessage } from './read-message.ts';
import { withSseHeartbeat } from './sse-heartbeat.ts';

/** Sends a request to our own HTTP API in process. The client address of the original request is kept. */
export type Dispatch = (request: Request) => Promise<Response>;

export interface McpHandlerDeps {
  readonly clock: Clock;
  /** Returns the id of the key that the token is valid for, or undefined. */
  readonly keyIdOf: (token: string) => Promise<string | undefined>;
  /** Sessions per key. Beyond it, the least recently used idle session ends; its client starts a new one by itself. (Default: 200.) */
  readonly maxSessionsPerKey?: number;
}

/** The MCP endpoint. */
export interface McpHandler {
  handle(request: Request, dispatch: Dispatch): Promise<Response>;
  /** Ends all sessions and cancels their waiting requests. */
  close(): Promise<void>;
}

interface Session {
  readonly keyId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: ApprovalServer;
  /** Number of its requests in progress. */
  open: number;
}

const MAX_SESSIONS_PER_KEY = 200;
const RETRY_S = '30';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Creates the MCP endpoint. */
export function createMcpHandler({
  clock,
  keyIdOf,
  maxSessionsPerKey = MAX_SESSIONS_PER_KEY,
}: McpHandlerDeps): McpHandler {
  /** Returns the key's id, or the response that refuses the token. */
  async function authenticate(token: string): Promise<string | Response> {
    if (token !== '' && !token.startsWith('csk_')) {
      const why = 'MCP needs a Countersign API key (csk_…). User tokens are not accepted here.';
      return refuseMcpRequest(401, why, { 'www-authenticate': 'Bearer' });
    }
    try {
      const keyId = await keyIdOf(token);
      if (keyId !== undefined) return keyId;
      const how = 'Send a valid API key as “Authorization: Bearer csk_…”.';
      return refuseMcpRequest(401, how, { 'www-authenticate': 'Bearer' });
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const why = 'The records can’t be reached right now. Try again in a moment.';
      return refuseMcpRequest(503, why, { 'retry-after': '5' });
    }
  }

  /** Least recently used first. */
  const sessions = new Map<string, Session>();
  const beginning = new Set<Session>();
  const ending = new Set<Promise<void>>();
  /** The sender of each request: its API client and its abort signal. */
  const callers = new WeakMap<AuthInfo, McpCaller>();

  function endSession(id: string | undefined, { server }: Session): void {
    if (id !== undefined) sessions.delete(id);
    const ended = server.close().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  const isIdle = ({ open, server }: Session) => open === 0 && !server.isBusy();
  const sessionsOf = (keyId: string) => [...sessions].filter(([, each]) => each.keyId === keyId);

  /** Only idle sessions can make room: one with a waiting request is never ended. */
  function hasRoom(keyId: string): boolean {
    const kept = sessionsOf(keyId).filter(([, session]) => !isIdle(session)).length;
    const begun = [...beginning].filter((each) => each.keyId === keyId).length;
    return kept + begun < maxSessionsPerKey;
  }

  function addSession(id: string, session: Session): void {
    const own = sessionsOf(session.keyId);
    sessions.set(id, session);
    const idle = own.filter(([, each]) => isIdle(each));
    const excess = Math.max(0, own.length + 1 - maxSessionsPerKey);
    for (const [each, old] of idle.slice(0, excess)) endSession(each, old);
  }

  async function createSession(keyId: string, defaults: RequestDefaults): Promise<Session> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => addSession(id, session),
      onsessionclosed: (id) => endSession(id, session),
    });
    const server = createApprovalServer((auth) => auth && callers.get(auth), defaults);
    const session: Session = { keyId, transport, server, open: 0 };
    beginning.add(session);
    await server.mcp.connect(transport);
    return session;
  }

  /** The session of the request, or a new one. */
  async function findSession(request: Request, keyId: string): Promise<Session | Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (hasRoom(keyId)) return await createSession(keyId, readDefaults(request));
      const why = `This key has ${maxSessionsPerKey} sessions with waiting requests, the maximum. Try again when one of them has ended.`;
      return refuseMcpRequest(429, why, { 'retry-after': RETRY_S });
    }
    const session = sessions.get(id);
    if (session?.keyId !== keyId)
      return refuseMcpRequest(404, 'This session does not exist. Start a new one.');
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  }

  async function forward(
    session: Session,
    request: Request,
    caller: McpCaller & { token: string },
  ) {
    const { token, ...by } = caller;
    const message = request.method === 'POST' ? await readMessage(request) : {};
    if (message instanceof Response) return message;
    // Two requests with one id would get each other's responses.
    if (idsOf(message).some((id) => session.server.isBusy(id))) {
      return refuseMcpRequest(
        400,
        'A request with this id is already in progress in this session. Use a unique id.',
      );
    }
    const authInfo = { token, clientId: session.keyId, scopes: [] };
    callers.set(authInfo, by);
    const answer = await session.transport.handleRequest(request, { authInfo, ...message });
    return withSseHeartbeat(answer, clock);
  }

  return {
    async handle(request, dispatch) {
      const refusal = rejectUnacceptable(request);
      if (refusal) return refusal;
      const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
      const keyId = await authenticate(token);
      if (typeof keyId !== 'string') return keyId;
      const session = await findSession(request, keyId);
      if (session instanceof Response) return session;
      const api = createCountersign({ url: 'http://desk', key: token, fetch: toFetch(dispatch) });
      session.open += 1;
      try {
        // A client that disconnected can't receive the response.
        return await forward(session, request, { api, signal: request.signal, token });
      } finally {
        session.open -= 1;
        beginning.delete(session);
        if (session.transport.sessionId === undefined) endSession(undefined, session);
      }
    },
    async close() {
      for (const [id, session] of sessions) endSession(id, session);
      await Promise.all(ending);
    },
  };
}

/** Refuses requests from web pages, and GET: the server sends no unsolicited messages. */
function rejectUnacceptable({ headers, method }: Request): Response | undefined {
  const origin = headers.get('origin');
  if (origin !== null && !isLoopback(origin)) {
    return refuseMcpRequest(403, `Web pages of ${origin} may not use this address.`);
  }
  if (method === 'POST' || method === 'DELETE') return undefined;
  return refuseMcpRequest(405, 'This server sends no unsolicited messages. Use POST.', {
    allow: 'POST, DELETE',
  });
}

/** The ids of one request or of a batch. */
function idsOf({ parsedBody }: { readonly parsedBody?: JsonValue }): readonly RequestId[] {
  const messages = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
  const requests = messages.map((each) => JSONRPCRequestSchema.safeParse(each));
  return requests.flatMap(({ data }) => (data ? [data.id] : []));
}

function toFetch(dispatch: Dispatch): typeof fetch {
  return async (input, init) => await dispatch(new Request(input, init));
}

function readDefaults({ url }: Request): RequestDefaults {
  const { searchParams } = new URL(url);
  const channel = searchParams.get('channel');
  const requester = searchParams.get('requester');
  return {
    ...(channel !== null && { channel }),
    ...(requester !== null && { requester }),
  };
}

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname);
}
