/** One MCP server with its current tools. */

import type { JsonValue } from '../../domain/json/json.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import {
  type AskPeople,
  type ChangedTool,
  type ServerState,
  serverToolName,
} from '../../domain/tools/server-tools.ts';
import type { Tool, ToolContext } from '../../domain/tools/tool.ts';
import { shortPin } from '../../domain/tools/tool-pin.ts';
import {
  callServerTool,
  isSessionLost,
  isSessionPossiblyLost,
  toNotSentError,
} from './call-server-tool.ts';
import { createChangedTool, createServerTool } from './create-server-tool.ts';
import { describeMcpError } from './describe-error.ts';
import type { ListedTool } from './parse-listed-tool.ts';
import { createRunningCalls, unlessAborted } from './running-calls.ts';
import {
  createServerConnection,
  listTools,
  MAX_LISTED_TOOLS,
  type McpSession,
} from './server-connection.ts';
import type { ServerSettings } from './server-settings.ts';
import { createToolListReader } from './tool-list-reader.ts';
import type { ToolPins } from './tool-pins.ts';

type Named = Extract<ListedTool, { kind: 'tool' }> & { readonly name: string };

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

/** Before a call, tools are listed again if the list is older than this. */
const FRESH_MS = 60_000;
const LIST_AGAIN_MS = 1_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 300_000;

/** Creates the server. `onChange` is called when its tools have changed. */
export function createMcpServer(
  settings: ServerSettings,
  deps: {
    readonly clock: Clock;
    readonly log: Log;
    readonly pins: ToolPins;
    readonly askPeople: AskPeople;
    readonly toolTimeoutMs: number;
    readonly onChange: () => void;
  },
): McpServer {
  const { clock, log, pins } = deps;
  const { name } = settings;
  const calls = createRunningCalls(name, deps);
  const readAll = createToolListReader(name);
  const connection = createServerConnection(settings, {
    ...{ clock, log },
    onListChanged: listAgain,
    onQuestion: calls.ask,
  });
  let listed: readonly Named[] = [];
  let leftOut: ServerState['leftOut'] = [];
  let offered: readonly Tool[] = [];
  let changed: readonly ChangedTool[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let isStopped = false;
  let isListQueued = false;
  let listedAgainAt = Number.NEGATIVE_INFINITY;
  let cancelList: Cancel = () => {};
  let cancelRetry: Cancel = () => {};
  let refreshing: Promise<void> = Promise.resolve();
  const logged = new Set<string>();

  function logProblem(error: unknown): void {
    log.warn(
      { server: name, why: describeMcpError(error) },
      'Could not list the tools of an MCP server.',
    );
  }

  /** Coalesces `list_changed`: lists again at most once a second. */
  function listAgain(session: McpSession): void {
    if (isListQueued) return;
    isListQueued = true;
    cancelList = clock.schedule(Math.max(clock.now(), listedAgainAt + LIST_AGAIN_MS), () => {
      const previous = refreshing
        .catch(() => {})
        .finally(() => {
          isListQueued = false;
          listedAgainAt = clock.now();
        });
      void previous.then(() => refresh(session)).catch(logProblem);
    });
  }

  /** Runs one at a time, so that an older list never replaces a newer one. */
  function refresh(session: McpSession): Promise<void> {
    const next = refreshing.catch(() => {}).then(() => list(session));
    refreshing = next;
    return next;
  }

  async function list(session: McpSession): Promise<void> {
    const { tools: found, isWhole } = await listTools(session);
    const all = await readAll(found);
    const named = new Map<string, Named>();
    const out: { readonly name: string; readonly reason: string }[] = isWhole ? [] : [FURTHER];
    for (const tool of all) {
      if (tool.kind === 'left-out') {
        out.push({ name: tool.name, reason: tool.reason });
        continue;
      }
      const own = serverToolName(name, tool.claims.tool);
      if (named.has(own)) out.push({ name: own, reason: 'another of its tools has that name' });
      else named.set(own, { ...tool, name: own });
    }
    logSkippedTools(out);
    listed = [...named.values()];
    leftOut = out;
    listedAt = clock.now();
    problem = undefined;
    await comparePins();
  }

  function logSkippedTools(out: ServerState['leftOut']): void {
    for (const { name: tool, reason } of out) {
      logOnce(`${tool}\0${reason}`, { server: name, tool }, `Left out a tool: ${reason}`);
    }
  }

  function logOnce(key: string, facts: object, message: string): void {
    if (logged.has(key)) return;
    logged.add(key);
    log.warn(facts, message);
  }

  async function comparePins(): Promise<void> {
    const good: Tool[] = [];
    const bad: ChangedTool[] = [];
    for (const tool of listed) {
      const pin = await pins.getOrCreate(tool);
      const { claims, hash } = tool;
      if (pin.hash === hash) good.push(toolOf(tool));
      else bad.push({ name: tool.name, before: pin, now: claims, hash });
    }
    for (const { before, hash, name: tool } of bad) {
      const facts = { server: name, tool, before: shortPin(before.hash), now: shortPin(hash) };
      logOnce(`${tool}\0${hash}`, facts, CHANGED);
    }
    changed = bad;
    if (namesOf(good) === namesOf(offered)) return;
    offered = good;
    deps.onChange();
  }

  function toolOf(tool: Named): Tool {
    return createServerTool(tool, (args, context) => call(tool, args, context));
  }

  async function prepare<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
    try {
      return await unlessAborted(signal, work);
    } catch (error) {
      throw signal.aborted ? error : toNotSentError(name, error);
    }
  }

  /**
   * Retries once in a new session if the server has forgotten ours after a restart: it has run
   * nothing.
   */
  async function call(tool: Named, args: JsonValue, context: ToolContext): Promise<string> {
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
  }

  /** Checks the approved tool again before the call: the server may have changed it. */
  async function callIn(
    session: McpSession,
    tool: Named,
    args: JsonValue,
    context: ToolContext,
  ): Promise<string> {
    if (clock.now() - listedAt > FRESH_MS || session !== listedFrom) {
      await prepare(context.signal, refreshFor(session));
    }
    const now = listed.find(({ name: each }) => each === tool.name);
    if (now?.hash !== tool.hash) {
      throw new Error('the tool has changed since the approval and was not called.');
    }
    const timeoutMs = Math.min(deps.toolTimeoutMs, settings.callMs ?? deps.toolTimeoutMs);
    const deadlineAt = clock.now() + timeoutMs;
    const { signal } = context;
    signal.throwIfAborted();
    return await calls.during({ context, deadlineAt }, () =>
      callServerTool(name, session, { args, tool: tool.claims.tool, signal, ms: settings.callMs }),
    );
  }

  let listedFrom: McpSession | undefined;

  async function refreshFor(session: McpSession): Promise<void> {
    await refresh(session);
    listedFrom = session;
  }

  async function tryToStart(retryMs: number): Promise<void> {
    try {
      const session = await connection.open();
      await refreshFor(session);
      log.info({ server: name, tools: offered.length }, 'An MCP server is connected.');
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
    comparePins,
    tools: () => offered,
    changed: () => changed,
    standIn(tool) {
      const found = changed.find((each) => each.name === tool);
      return found && createChangedTool(found.now, found.hash);
    },
    state: () => ({
      name,
      isConnected: connection.isOpen(),
      tools: offered.map((tool) => tool.name),
      leftOut,
      ...(problem !== undefined && { problem }),
    }),
    async stop() {
      isStopped = true;
      cancelRetry();
      cancelList();
      await connection.close();
      await refreshing.catch(() => {});
    },
  };
}

const CHANGED =
  'A tool of an MCP server has changed: nobody can call it until an admin accepts it with /countersign tools.';
const FURTHER = {
  name: 'all further tools',
  reason: `only the first ${MAX_LISTED_TOOLS} tools of a server are used, and this one has more`,
};
const NOT_STARTED = 'An MCP server can’t be used; the app goes on without it and retries';

/** Identifies a list of tools for comparison. */
function namesOf(tools: readonly Tool[]): string {
  return tools.map(({ name, schemaHash }) => `${name}:${schemaHash}`).join('\n');
}
