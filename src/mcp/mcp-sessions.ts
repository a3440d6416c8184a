import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { RequestDefaults } from './asker.ts';
import { type ApprovalServer, createApprovalServer } from './create-approval-server.ts';

/** The session of one client. */
export interface McpSession {
  readonly keyId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: ApprovalServer;
  /** Number of its requests in progress. */
  open: number;
}

export interface McpSessions {
  /** Begins a session; undefined if its key has no room for one. */
  begin(keyId: string, defaults: RequestDefaults): Promise<McpSession | undefined>;
  /** Finds a session of the key. */
  find(id: string, keyId: string): McpSession | undefined;
  /** Keeps the session while a request is handled. Ends it afterwards if it got no id. */
  during<Result>(session: McpSession, work: () => Promise<Result>): Promise<Result>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

type CallerOf = Parameters<typeof createApprovalServer>[0];

/** Creates the sessions of one endpoint. */
export function createMcpSessions(maxPerKey: number, callerOf: CallerOf): McpSessions {
  /** Least recently used first. */
  const sessions = new Map<string, McpSession>();
  const beginning = new Set<McpSession>();
  const ending = new Set<Promise<void>>();
  const sessionsOf = (keyId: string) => [...sessions].filter(([, each]) => each.keyId === keyId);

  function end(id: string | undefined, { server }: McpSession): void {
    if (id !== undefined) sessions.delete(id);
    const ended = server.close().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  /** Only idle sessions can make room: one with a waiting request is never ended. */
  function hasRoom(keyId: string): boolean {
    const active = sessionsOf(keyId).filter(([, session]) => !isIdle(session));
    const begun = [...beginning].filter((each) => each.keyId === keyId);
    return active.length + begun.length < maxPerKey;
  }

  function add(id: string, session: McpSession): void {
    const own = sessionsOf(session.keyId);
    sessions.set(id, session);
    const excess = Math.max(0, own.length + 1 - maxPerKey);
    const idle = own.filter(([, each]) => isIdle(each)).slice(0, excess);
    for (const [each, old] of idle) end(each, old);
  }

  return {
    async begin(keyId, defaults) {
      if (!hasRoom(keyId)) return undefined;
      const server = createApprovalServer(callerOf, defaults);
      const session = createSession(keyId, server, { add, end });
      beginning.add(session);
      await server.mcp.connect(session.transport);
      return session;
    },
    find(id, keyId) {
      const session = sessions.get(id);
      if (session?.keyId !== keyId) return undefined;
      sessions.delete(id);
      sessions.set(id, session);
      return session;
    },
    async during(session, work) {
      session.open += 1;
      try {
        return await work();
      } finally {
        session.open -= 1;
        beginning.delete(session);
        if (session.transport.sessionId === undefined) end(undefined, session);
      }
    },
    async close() {
      for (const [id, session] of sessions) end(id, session);
      await Promise.all(ending);
    },
  };
}

function createSession(
  keyId: string,
  server: ApprovalServer,
  on: Readonly<Record<'add' | 'end', (id: string, session: McpSession) => void>>,
): McpSession {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => on.add(id, session),
    onsessionclosed: (id) => on.end(id, session),
  });
  const session: McpSession = { keyId, transport, server, open: 0 };
  return session;
}

function isIdle({ open, server }: McpSession): boolean {
  return open === 0 && !server.isBusy();
}
