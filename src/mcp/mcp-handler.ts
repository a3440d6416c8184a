/** MCP over streamable HTTP: one session per connected client, each bound to the key that began it. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports */

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createCountersign } from '../client/countersign-client.ts';
import { StoreUnavailableError } from '../domain/store.ts';
import type { AskDefaults, Asker } from './asker.ts';
import { type ApprovalServer, createApprovalServer } from './create-approval-server.ts';
import { refuse } from './refuse.ts';

/** Answers a request to the desk's own API, as if it had come over the network from where the given one came. */
export type Dispatch = (request: Request) => Promise<Response>;

export interface McpHandlerDeps {
  /** Tells the id of the key that a token opens; undefined when it opens none. */
  readonly keyIdOf: (token: string) => Promise<string | undefined>;
}

/** The endpoint of MCP. */
export interface McpHandler {
  handle(request: Request, dispatch: Dispatch): Promise<Response>;
  /** Ends all sessions and takes back what waits on them. */
  close(): Promise<void>;
}

interface Session {
  readonly keyId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: ApprovalServer;
}

/** Past that a key's session that was used longest ago ends; its client begins another one by itself. */
const MAX_SESSIONS_PER_KEY = 200;
const MAX_BODY_BYTES = 1_048_576;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Creates the endpoint. */
export function createMcpHandler({ keyIdOf }: McpHandlerDeps): McpHandler {
  /** Rejects no request: where the records can't tell, nobody is let in. */
  async function letIn(token: string): Promise<string | Response> {
    try {
      const keyId = await keyIdOf(token);
      if (keyId !== undefined) return keyId;
      const how = 'Send a key that works, as “Authorization: Bearer csk_…”.';
      return refuse(401, how, { 'www-authenticate': 'Bearer' });
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const why = 'The records can’t be reached right now. Try again in a moment.';
      return refuse(503, why, { 'retry-after': '5' });
    }
  }

  /** The one that was used last is the last. */
  const sessions = new Map<string, Session>();
  const ending = new Set<Promise<void>>();
  /** Who asks with a request: its key, and the address that it came from. */
  const askers = new WeakMap<AuthInfo, Asker>();

  function end(id: string | undefined, { server }: Session): void {
    if (id !== undefined) sessions.delete(id);
    const ended = server.close().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function keep(id: string, session: Session): void {
    sessions.set(id, session);
    const own = [...sessions].filter(([, { keyId }]) => keyId === session.keyId);
    for (const [each, old] of own.slice(0, -MAX_SESSIONS_PER_KEY)) end(each, old);
  }

  async function begin(keyId: string, defaults: AskDefaults): Promise<Session> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => keep(id, session),
      onsessionclosed: (id) => end(id, session),
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    const server = createApprovalServer((auth) => auth && askers.get(auth), defaults);
    const session: Session = { keyId, transport, server };
    await server.mcp.connect(transport);
    return session;
  }

  /** The session of the request, or one that it may begin. */
  async function findSession(request: Request, keyId: string): Promise<Session | undefined> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return await begin(keyId, readDefaults(request));
    const session = sessions.get(id);
    if (session?.keyId !== keyId) return undefined;
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  }

  return {
    async handle(request, dispatch) {
      const refusal = refuseUnheard(request);
      if (refusal) return refusal;
      const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
      const keyId = await letIn(token);
      if (typeof keyId !== 'string') return keyId;
      const session = await findSession(request, keyId);
      if (!session) return refuse(404, 'There is no such session. Begin another one.');
      const { transport } = session;
      const authInfo = { token, clientId: keyId, scopes: [] };
      const api = createCountersign({ url: 'http://desk', key: token, fetch: via(dispatch) });
      // Whoever hangs up can't hear the answer any more.
      askers.set(authInfo, { api, signal: request.signal });
      const response = await transport.handleRequest(request, { authInfo });
      if (transport.sessionId === undefined) end(undefined, session);
      return response;
    },
    async close() {
      for (const [id, session] of sessions) end(id, session);
      await Promise.all(ending);
    },
  };
}

/** Pages of others are kept out whatever they send, and nothing is sent unasked. */
function refuseUnheard({ headers, method }: Request): Response | undefined {
  const origin = headers.get('origin');
  if (origin !== null && !isLoopback(origin)) {
    return refuse(403, `Web pages of ${origin} may not use this address.`);
  }
  if (method === 'POST' || method === 'DELETE') return undefined;
  return refuse(405, 'Nothing is sent unasked here.', { allow: 'POST, DELETE' });
}

function via(dispatch: Dispatch): typeof fetch {
  return async (input, init) => await dispatch(new Request(input, init));
}

function readDefaults({ url }: Request): AskDefaults {
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
