/** The connection to one MCP server: opened on demand, and again after it died. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { withTimeout } from '../../domain/runtime/timeout.ts';
import { describeMcpError } from './describe-error.ts';
import { openTransport } from './open-transport.ts';
import type { ServerSettings } from './server-settings.ts';

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

export interface ServerConnection {
  /**
   * Connects if necessary. Rejects with the reason if the server can't be reached, also during the
   * backoff after that.
   */
  open(): Promise<McpSession>;
  /**
   * Makes the next `open` start a new session. Running requests in this one still get their
   * answers.
   */
  leave(session: McpSession): void;
  isOpen(): boolean;
  /** Permanently ends the session and the server's process. */
  close(): Promise<void>;
}

/** A process may have to be downloaded first, by `npx -y` or as a container. */
const START_MS = { stdio: 120_000, http: 30_000, sse: 30_000 } as const;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;
const END_SESSION_MS = 2_000;

/** Creates the connection. Does not connect yet. */
export function createServerConnection(
  settings: ServerSettings,
  deps: {
    readonly clock: Clock;
    readonly log: Log;
    readonly onListChanged: (session: McpSession) => void;
    readonly onQuestion: (
      question: ElicitRequest['params'],
      signal: AbortSignal,
    ) => Promise<ElicitResult>;
  },
): ServerConnection {
  const { clock, log } = deps;
  const { name } = settings;
  let current: Promise<McpSession> | undefined;
  /** The connected session. */
  let live: McpSession | undefined;
  /** Replaced sessions with running requests. */
  const left = new Set<McpSession>();
  let isOver = false;
  let tries = 0;
  let refusedUntil = 0;
  let why = '';
  let cause: unknown;
  let end = async () => {};

  async function connect(): Promise<McpSession> {
    const { transport, endSession } = openTransport(settings, log);
    const client = new Client(
      { name: 'countersign', version: '0.1.0' },
      // Forms only: a server must not send people to its own web pages.
      { capabilities: { elicitation: { form: {} } } },
    );
    let isClosed = false;
    let inUse = 0;
    const session: McpSession = {
      client,
      isClosed: () => isClosed,
      hasId: () => transport.sessionId !== undefined,
      async during(work) {
        inUse += 1;
        try {
          return await work();
        } finally {
          inUse -= 1;
          // No request uses the replaced session any longer.
          if (inUse === 0 && left.has(session)) await client.close().catch(() => {});
        }
      },
    };
    client.onerror = (error) => log.debug({ server: name, why: describeMcpError(error) }, TROUBLE);
    client.onclose = () => {
      // A transport may report this twice, and a new session may already exist.
      if (isClosed) return;
      isClosed = true;
      left.delete(session);
      if (live !== session) return;
      if (!isOver) log.warn({ server: name }, 'The connection to an MCP server has ended.');
      live = undefined;
      current = undefined;
    };
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
      deps.onQuestion(params, signal),
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
      deps.onListChanged(session),
    );
    end = async () => {
      await withTimeout(clock, END_SESSION_MS, endSession(), () => {}).catch((error: unknown) =>
        log.debug({ server: name, why: describeMcpError(error) }, TROUBLE),
      );
      await client.close();
      // An unconnected client does not close its process.
      await transport.close();
    };
    try {
      await client.connect(transport, { timeout: startTimeoutMsOf(settings) });
      if (isClosed) throw new Error('it closed the connection immediately.');
    } catch (error) {
      await end();
      throw error;
    }
    client.onerror = (error) => {
      log.debug({ server: name, why: describeMcpError(error) }, TROUBLE);
      if (isStreamLost(error)) void client.close();
    };
    live = session;
    tries = 0;
    return session;
  }

  async function tryToConnect(): Promise<McpSession> {
    try {
      return await connect();
    } catch (error) {
      current = undefined;
      why = describeMcpError(error);
      cause = error;
      refusedUntil = clock.now() + Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** tries);
      tries += 1;
      throw new Error(`The MCP server “${name}” can't be reached: ${why}`, { cause: error });
    }
  }

  return {
    async open() {
      if (isOver) throw new Error(`The MCP server “${name}” can't be used: the app is stopping.`);
      if (!current && clock.now() < refusedUntil) {
        const seconds = Math.ceil((refusedUntil - clock.now()) / 1_000);
        throw new Error(
          `The MCP server “${name}” can't be reached: ${why}. Next try in ${seconds} s.`,
          { cause },
        );
      }
      current ??= tryToConnect();
      return await current;
    },
    leave(session) {
      if (live !== session) return;
      live = undefined;
      current = undefined;
      left.add(session);
    },
    isOpen: () => live !== undefined,
    async close() {
      isOver = true;
      // Also ends a connection attempt, so that a silent server does not delay the stop.
      await end();
      for (const session of left) await session.client.close();
      await current?.catch(() => {});
    },
  };
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

const TROUBLE = 'An MCP server had an error.';

/** A page of tools. Each tool is checked separately. */
const PageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  // Some servers send null for the last page.
  nextCursor: z.string().nullish(),
});

const LIST_MS = 30_000;
const MAX_PAGES = 50;
/** Maximum number of tools used of a server. */
export const MAX_LISTED_TOOLS = 500;

/** Lists a server's tools, at most `MAX_LISTED_TOOLS`. */
export async function listTools({
  client,
}: McpSession): Promise<{ readonly tools: readonly unknown[]; readonly isWhole: boolean }> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  const seen = new Set<string>();
  for (let page = 0; page < MAX_PAGES && found.length < MAX_LISTED_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await client.request({ method: 'tools/list', params }, PageSchema, {
      timeout: LIST_MS,
    });
    found.push(...read.tools);
    // Some servers repeat the same page endlessly.
    const next = read.nextCursor || undefined;
    cursor = next !== undefined && !seen.has(next) ? next : undefined;
    if (cursor === undefined) break;
    seen.add(cursor);
  }
  const isWhole = cursor === undefined && found.length <= MAX_LISTED_TOOLS;
  return { tools: found.slice(0, MAX_LISTED_TOOLS), isWhole };
}
