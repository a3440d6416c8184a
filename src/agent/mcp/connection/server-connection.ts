/** The connection to one MCP server: opened on demand, and again after it died. */
import { describeMcpError } from '../describe-error.ts';
import type { ServerSettings } from '../server-settings.ts';
import { type McpSession, openSession, type SessionDeps } from './open-session.ts';

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

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** Creates the connection. Does not connect yet. */
export function createServerConnection(
  settings: ServerSettings,
  deps: SessionDeps,
): ServerConnection {
  const { clock, log } = deps;
  const { name } = settings;
  const backOff = createBackOff(name, clock);
  let current: Promise<McpSession> | undefined;
  /** The connected session. */
  let live: McpSession | undefined;
  /** Replaced sessions with running requests. */
  const left = new Set<McpSession>();
  let isOver = false;
  let end = async () => {};

  function forget(session: McpSession): void {
    left.delete(session);
    if (live !== session) return;
    if (!isOver) log.warn({ server: name }, 'The connection to an MCP server has ended.');
    live = undefined;
    current = undefined;
  }

  async function connect(): Promise<McpSession> {
    const isLeft = (session: McpSession) => left.has(session);
    const opened = openSession(settings, { ...deps, isLeft, onClosed: forget });
    end = opened.end;
    await opened.connect();
    live = opened.session;
    backOff.reset();
    return live;
  }

  return {
    async open() {
      if (isOver) throw new Error(`The MCP server “${name}” can't be used: the app is stopping.`);
      if (!current) backOff.throwIfTooEarly();
      current ??= connect().catch((error: unknown) => {
        current = undefined;
        throw backOff.fail(error);
      });
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

/** Counts failed attempts to connect, and delays the next one. */
function createBackOff(server: string, clock: SessionDeps['clock']) {
  let tries = 0;
  let refusedUntil = 0;
  let failure: { readonly why: string; readonly cause: unknown } | undefined;

  return {
    reset() {
      tries = 0;
    },
    throwIfTooEarly() {
      if (!failure || clock.now() >= refusedUntil) return;
      const { why, cause } = failure;
      const seconds = Math.ceil((refusedUntil - clock.now()) / 1_000);
      throw new Error(
        `The MCP server “${server}” can't be reached: ${why}. Next try in ${seconds} s.`,
        { cause },
      );
    },
    /** Returns the error to throw. */
    fail(cause: unknown): Error {
      const why = describeMcpError(cause);
      failure = { why, cause };
      refusedUntil = clock.now() + Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** tries);
      tries += 1;
      return new Error(`The MCP server “${server}” can't be reached: ${why}`, { cause });
    },
  };
}
