/** MCP over streamable HTTP: one session per client, bound to the key that started it. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports */

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { JSONRPCRequestSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { createCountersign } from '../client/countersign-client.ts';
import type { JsonValue } from '../domain/json/json.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { StoreUnavailableError } from '../domain/ports/store.ts';
import type { McpCaller, RequestDefaults } from './asker.ts';
import { createMcpSessions, type McpSession } from './mcp-sessions.ts';
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

const MAX_SESSIONS_PER_KEY = 200;
const RETRY_S = '30';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Creates the MCP endpoint. */
export function createMcpHandler({
  clock,
  keyIdOf,
  maxSessionsPerKey = MAX_SESSIONS_PER_KEY,
}: McpHandlerDeps): McpHandler {
  /** The sender of each request: its API client and its abort signal. */
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const sessions = createMcpSessions(maxSessionsPerKey, (auth) => auth && callers.get(auth));

  async function forward(session: McpSession, request: Request, caller: McpCaller, token: string) {
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
    callers.set(authInfo, caller);
    const answer = await session.transport.handleRequest(request, { authInfo, ...message });
    return withSseHeartbeat(answer, clock);
  }

  return {
    async handle(request, dispatch) {
      const refusal = rejectUnacceptable(request);
      if (refusal) return refusal;
      const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
      const keyId = await authenticate(token, keyIdOf);
      if (typeof keyId !== 'string') return keyId;
      const id = request.headers.get('mcp-session-id') ?? undefined;
      const session =
        id === undefined
          ? await sessions.begin(keyId, readDefaults(request))
          : sessions.find(id, keyId);
      if (!session) return refuseSession(id, maxSessionsPerKey);
      const api = createCountersign({ url: 'http://desk', key: token, fetch: toFetch(dispatch) });
      // A client that disconnected can't receive the response.
      const caller = { api, signal: request.signal };
      return await sessions.during(session, () => forward(session, request, caller, token));
    },
    close: sessions.close,
  };
}

function refuseSession(id: string | undefined, max: number): Response {
  if (id !== undefined) {
    return refuseMcpRequest(404, 'This session does not exist. Start a new one.');
  }
  const why = `This key has ${max} sessions with waiting requests, the maximum. Try again when one of them has ended.`;
  return refuseMcpRequest(429, why, { 'retry-after': RETRY_S });
}

/** Returns the key's id, or the response that refuses the token. */
async function authenticate(
  token: string,
  keyIdOf: McpHandlerDeps['keyIdOf'],
): Promise<string | Response> {
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
