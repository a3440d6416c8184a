import type { JsonValue } from '../../../domain/json/json.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { ToolContext } from '../../../domain/tools/tool.ts';
import type { McpSession } from '../connection/open-session.ts';
import type { ServerConnection } from '../connection/server-connection.ts';
import type { NamedTool, OfferedTools } from '../listing/offered-tools.ts';
import type { ServerSettings } from '../server-settings.ts';
import {
  callServerTool,
  isSessionLost,
  isSessionPossiblyLost,
  toNotSentError,
} from './call-server-tool.ts';
import { type RunningCalls, unlessAborted } from './running-calls.ts';

interface CallerDeps {
  readonly clock: Clock;
  readonly connection: ServerConnection;
  readonly offered: Pick<OfferedTools, 'isFresh' | 'refresh' | 'hashOf'>;
  readonly running: RunningCalls;
  readonly toolTimeoutMs: number;
}

/** Creates the function that calls a server's tools, connecting if necessary. */
export function createToolCaller(
  settings: ServerSettings,
  { clock, connection, offered, running, toolTimeoutMs }: CallerDeps,
): (tool: NamedTool, args: JsonValue, context: ToolContext) => Promise<string> {
  const { name, callMs } = settings;

  async function prepare<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
    try {
      return await unlessAborted(signal, work);
    } catch (error) {
      throw signal.aborted ? error : toNotSentError(name, error);
    }
  }

  /** Checks the approved tool again before the call: the server may have changed it. */
  async function callIn(
    session: McpSession,
    tool: NamedTool,
    args: JsonValue,
    context: ToolContext,
  ): Promise<string> {
    const { signal } = context;
    if (!offered.isFresh(session)) await prepare(signal, offered.refresh(session));
    if (offered.hashOf(tool.name) !== tool.hash) {
      throw new Error('the tool has changed since the approval and was not called.');
    }
    const deadlineAt = clock.now() + Math.min(toolTimeoutMs, callMs ?? toolTimeoutMs);
    signal.throwIfAborted();
    return await running.during({ context, deadlineAt }, () =>
      callServerTool(name, session, { args, tool: tool.claims.tool, signal, ms: callMs }),
    );
  }

  /**
   * Retries once in a new session if the server has forgotten ours after a restart: it has run
   * nothing.
   */
  return async (tool, args, context) => {
    let isForgotten = false;
    const callOnce = async () => {
      const session = await prepare(context.signal, connection.open());
      return await session.during(async () => {
        try {
          return await callIn(session, tool, args, context);
        } catch (error) {
          isForgotten = session.hasId() && isSessionLost(error);
          // If that is uncertain, only the next call uses a new session.
          if (isForgotten || isSessionPossiblyLost(error)) connection.leave(session);
          throw error;
        }
      });
    };
    try {
      return await callOnce();
    } catch (error) {
      if (!isForgotten) throw error;
      return await callOnce();
    }
  };
}
