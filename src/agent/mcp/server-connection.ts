/** One MCP server: connected when needed, and again after it died. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { describeMcpError } from './describe-error.ts';
import { openTransport } from './open-transport.ts';
import type { ServerSettings } from './server-settings.ts';

/** A server that is there. */
export interface McpSession {
  readonly client: Client;
  /** Whether the connection is gone: what had not been answered never will be. */
  isClosed(): boolean;
  /** Whether the server gave it an id: only then can it be forgotten, and a request be said to belong to nothing. */
  hasId(): boolean;
  /** Keeps it until the work has ended, even when it is left meanwhile. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface ServerConnection {
  /** Connects unless it is connected; rejects, saying why, when the server can't be reached, and for a while after that. */
  open(): Promise<McpSession>;
  /** Has the next opening begin another session; what others have asked for in this one is still answered. */
  leave(session: McpSession): void;
  isOpen(): boolean;
  /** Ends the server's process, or our session with it, for good. */
  close(): Promise<void>;
}

/** A process may have to be fetched first, by `npx -y` or as a container. */
const START_MS = { stdio: 120_000, http: 30_000, sse: 30_000 } as const;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;
const END_SESSION_MS = 2_000;

/** Creates the connection; nothing is connected yet. */
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
  /** Whichever is connected now. */
  let live: McpSession | undefined;
  /** Those that are kept for what was asked in them. */
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
      // Only forms: a server can't send people to an address of its own.
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
          // Nobody is told of anything in it any more.
          if (inUse === 0 && left.has(session)) await client.close().catch(() => {});
        }
      },
    };
    client.onerror = (error) => log.debug({ server: name, why: describeMcpError(error) }, TROUBLE);
    client.onclose = () => {
      // A transport may say so twice, and another one may have followed by then.
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
      await within(clock, END_SESSION_MS, endSession()).catch((error: unknown) =>
        log.debug({ server: name, why: describeMcpError(error) }, TROUBLE),
      );
      await client.close();
      // A client that never came to be connected has not got hold of its process.
      await transport.close();
    };
    try {
      await client.connect(transport, { timeout: startTimeoutMsOf(settings) });
      if (isClosed) throw new Error('it ended as soon as it was connected.');
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
      if (isOver) throw new Error(`The MCP server “${name}” is not used any more: the app stops.`);
      if (!current && clock.now() < refusedUntil) {
        const seconds = Math.ceil((refusedUntil - clock.now()) / 1_000);
        throw new Error(
          `The MCP server “${name}” can't be reached: ${why}. It is tried again in ${seconds} s.`,
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
      // One that is being opened ends with it: nobody waits for a server that keeps silent.
      await end();
      for (const session of left) await session.client.close();
      await current?.catch(() => {});
    },
  };
}

/** Nobody can take up again where the server has forgotten us; in the older way a stream that is opened again is another session, which was never begun. */
function isStreamLost(error: Error): boolean {
  return error instanceof SseError || /Maximum reconnection attempts/.test(error.message);
}

/** How long a server may take to start. */
export function startTimeoutMsOf({ reach, startMs }: ServerSettings): number {
  return startMs ?? START_MS[reach.kind];
}

const TROUBLE = 'Something went wrong with an MCP server.';

async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  let cancel: Cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.schedule(clock.now() + ms, resolve);
  });
  await Promise.race([work, late]).finally(() => cancel());
}

/** A page of tools, each of which is looked at by itself. */
const PageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  // Some say null where there is no further page.
  nextCursor: z.string().nullish(),
});

const LIST_MS = 30_000;
const MAX_PAGES = 50;
/** How many tools of a server are looked at. */
export const MAX_LISTED_TOOLS = 500;

/** Lists what a server calls its tools: the first ones, where there are very many. */
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
    // Some servers say that there is more, and give the same page for ever.
    const next = read.nextCursor || undefined;
    cursor = next !== undefined && !seen.has(next) ? next : undefined;
    if (cursor === undefined) break;
    seen.add(cursor);
  }
  const isWhole = cursor === undefined && found.length <= MAX_LISTED_TOOLS;
  return { tools: found.slice(0, MAX_LISTED_TOOLS), isWhole };
}
