/**
 * One MCP server: `connection/` reaches it, `listing/` lists its tools and compares them with their
 * pins, `calls/` calls them.
 */
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { AskPeople, ChangedTool, ServerState } from '../../domain/tools/server-tools.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import { createToolCaller } from './calls/create-tool-caller.ts';
import { createRunningCalls } from './calls/running-calls.ts';
import { createServerConnection } from './connection/server-connection.ts';
import { describeMcpError } from './describe-error.ts';
import { createChangedTool } from './listing/create-server-tool.ts';
import { createOfferedTools } from './listing/offered-tools.ts';
import type { ToolPins } from './listing/tool-pins.ts';
import type { ServerSettings } from './server-settings.ts';

export interface McpServer {
  /** Connects and lists the tools. Retries with backoff until that succeeds. */
  start(): Promise<void>;
  /** Compares the tools with the current pins. */
  comparePins(): Promise<void>;
  /** Tools that match their accepted pins. */
  tools(): readonly Tool[];
  changed(): readonly ChangedTool[];
  /** Returns a substitute for a changed tool. */
  standIn(name: string): Tool | undefined;
  state(): ServerState;
  stop(): Promise<void>;
}

interface ServerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly pins: ToolPins;
  readonly askPeople: AskPeople;
  readonly toolTimeoutMs: number;
  /** Called when its tools have changed. */
  readonly onChange: () => void;
}

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 300_000;
const NOT_STARTED = 'An MCP server can’t be used; the app goes on without it and retries';

/** Creates the server. Does not connect yet. */
export function createMcpServer(settings: ServerSettings, deps: ServerDeps): McpServer {
  const { clock, log } = deps;
  const { name } = settings;
  let problem: string | undefined;
  let isStopped = false;
  let cancelRetry: Cancel = () => {};
  const running = createRunningCalls(name, deps);
  const offered = createOfferedTools(name, {
    ...deps,
    run: (...call) => callTool(...call),
    onListed: () => {
      problem = undefined;
    },
  });
  const connection = createServerConnection(settings, {
    ...deps,
    onListChanged: offered.refreshSoon,
    onQuestion: running.ask,
  });
  const callTool = createToolCaller(settings, { ...deps, connection, offered, running });

  async function tryToStart(retryMs: number): Promise<void> {
    try {
      await offered.refresh(await connection.open());
      log.info({ server: name, tools: offered.tools().length }, 'An MCP server is connected.');
    } catch (error) {
      problem = describeMcpError(error);
      if (isStopped) return;
      log.warn({ server: name, why: problem }, `${NOT_STARTED} in ${retryMs / 1_000} s.`);
      cancelRetry = clock.schedule(clock.now() + retryMs, () => {
        void tryToStart(Math.min(LONGEST_RETRY_MS, retryMs * 2));
      });
    }
  }

  return {
    start: () => tryToStart(FIRST_RETRY_MS),
    comparePins: offered.comparePins,
    tools: offered.tools,
    changed: offered.changed,
    standIn(tool) {
      const found = offered.changed().find((each) => each.name === tool);
      return found && createChangedTool(found.now, found.hash);
    },
    state: () => ({
      name,
      isConnected: connection.isOpen(),
      tools: offered.tools().map((tool) => tool.name),
      leftOut: offered.leftOut(),
      ...(problem !== undefined && { problem }),
    }),
    async stop() {
      isStopped = true;
      cancelRetry();
      offered.cancel();
      await connection.close();
      await offered.settled();
    },
  };
}
