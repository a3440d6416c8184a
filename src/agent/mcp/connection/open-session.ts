import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { withTimeout } from '../../../domain/runtime/timeout.ts';
import { describeMcpError } from '../describe-error.ts';
import type { ServerSettings } from '../server-settings.ts';
import { openTransport } from './open-transport.ts';

/** A session with a connected server. */
export interface McpSession {
  readonly client: Client;
  /** Whether the connection is closed: open requests will never be answered. */
  isClosed(): boolean;
  /** Whether the server assigned a session id: only then can it forget the session. */
  hasId(): boolean;
  /** Keeps the session open until the work has ended, even if it is left meanwhile. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What a session needs, and what it reports. */
export interface SessionDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly onListChanged: (session: McpSession) => void;
  readonly onQuestion: (
    question: ElicitRequest['params'],
    signal: AbortSignal,
  ) => Promise<ElicitResult>;
}

/** A session that is not connected yet. */
export interface OpenSession {
  readonly session: McpSession;
  connect(): Promise<void>;
  /** Ends the session and the server's process, also while it connects. */
  end(): Promise<void>;
}

/** A process may have to be downloaded first, by `npx -y` or as a container. */
const START_MS = { stdio: 120_000, http: 30_000, sse: 30_000 } as const;
const END_SESSION_MS = 2_000;
const TROUBLE = 'An MCP server had an error.';

/** Opens a session. `isLeft` tells whether it was replaced, and closes once nothing uses it. */
export function openSession(
  settings: ServerSettings,
  deps: SessionDeps & {
    readonly isLeft: (session: McpSession) => boolean;
    readonly onClosed: (session: McpSession) => void;
  },
): OpenSession {
  const { clock, log } = deps;
  const { transport, endSession } = openTransport(settings, log);
  const client = new Client(
    { name: 'countersign', version: '0.1.0' },
    // Forms only: a server must not send people to its own web pages.
    { capabilities: { elicitation: { form: {} } } },
  );
  let isClosed = false;
  const session: McpSession = {
    client,
    isClosed: () => isClosed,
    hasId: () => transport.sessionId !== undefined,
    during: countUses(async () => {
      if (deps.isLeft(session)) await client.close().catch(() => {});
    }),
  };
  const logTrouble = (error: unknown) =>
    log.debug({ server: settings.name, why: describeMcpError(error) }, TROUBLE);
  client.onerror = logTrouble;
  client.onclose = () => {
    // A transport may report this twice, and a new session may already exist.
    if (isClosed) return;
    isClosed = true;
    deps.onClosed(session);
  };
  answerServer(session, deps);

  async function end(): Promise<void> {
    await withTimeout(clock, END_SESSION_MS, endSession(), () => {}).catch(logTrouble);
    await client.close();
    // An unconnected client does not close its process.
    await transport.close();
  }

  async function connect(): Promise<void> {
    try {
      await client.connect(transport, { timeout: startTimeoutMsOf(settings) });
      if (isClosed) throw new Error('it closed the connection immediately.');
    } catch (error) {
      await end();
      throw error;
    }
    client.onerror = (error) => {
      logTrouble(error);
      if (isStreamLost(error)) void client.close();
    };
  }

  return { session, connect, end };
}

/** Runs work, and calls back each time that none runs any longer. */
function countUses(onUnused: () => Promise<void>): McpSession['during'] {
  let inUse = 0;
  return async (work) => {
    inUse += 1;
    try {
      return await work();
    } finally {
      inUse -= 1;
      if (inUse === 0) await onUnused();
    }
  };
}

function answerServer(session: McpSession, { onListChanged, onQuestion }: SessionDeps): void {
  session.client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
    onQuestion(params, signal),
  );
  session.client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
    onListChanged(session),
  );
}

/**
 * Returns whether a stream cannot be resumed. With the older SSE transport, a reopened stream is a
 * new, uninitialized session.
 */
function isStreamLost(error: Error): boolean {
  return error instanceof SseError || /Maximum reconnection attempts/.test(error.message);
}

/** Returns how long a server may take to start, in milliseconds. */
export function startTimeoutMsOf({ reach, startMs }: ServerSettings): number {
  return startMs ?? START_MS[reach.kind];
}
