/** The tools of all configured MCP servers; `mcp-server.ts` is one of them. */
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Pins } from '../../domain/ports/store.ts';
import { withTimeout } from '../../domain/runtime/timeout.ts';
import {
  type AskPeople,
  type ServerTools,
  serverToolName,
} from '../../domain/tools/server-tools.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import type { DynamicTools } from '../tools/create-toolbox.ts';
import { describeMcpError } from './describe-error.ts';
import { createToolPins } from './listing/tool-pins.ts';
import { createMcpServer } from './mcp-server.ts';
import type { ServerSettings } from './server-settings.ts';

export interface McpTools extends ServerTools, DynamicTools {
  /** Connects to all servers. Resolves when each has connected or failed, or after ten seconds. */
  start(): Promise<void>;
  /** Ends the servers' sessions and processes. */
  stop(): Promise<void>;
}

interface McpToolsDeps {
  readonly pins: Pins;
  readonly clock: Clock;
  readonly log: Log;
  readonly askPeople: AskPeople;
  /** Timeout of a tool. A server's question expires with it. */
  readonly toolTimeoutMs: number;
}

const START_MS = 10_000;
/** Some providers allow at most 128 tools, and few models handle that many. */
const MANY = 100;
const TOO_MANY =
  'The MCP servers have too many tools for some models. Configure fewer servers in MCP_CONFIG.';
/** A shorter hash prefix could be guessed or typed by accident. */
const MIN_HASH_CHARS = 12;
/** How often to check whether another process has accepted a changed tool. */
const CHECK_MS = 15_000;

/** Creates the tools of these servers. Starts nothing yet. */
export function createMcpTools(settings: readonly ServerSettings[], deps: McpToolsDeps): McpTools {
  const { clock, log } = deps;
  const pins = createToolPins(deps);
  let tools: readonly Tool[] = [];
  let stopChecks: Cancel = () => {};
  const onChange = () => {
    tools = servers.flatMap((server) => server.tools());
    if (tools.length > MANY) log.warn({ tools: tools.length }, TOO_MANY);
  };
  const servers = settings.map((each) => createMcpServer(each, { ...deps, pins, onChange }));

  async function comparePins(): Promise<void> {
    await pins.read();
    for (const server of servers) await server.comparePins();
  }

  const changed = () => servers.flatMap((server) => server.changed());

  return {
    async start() {
      await pins.read();
      const started = Promise.all(servers.map((server) => server.start()));
      await withTimeout(clock, START_MS, started, () => {});
      const check = async () => (changed().length > 0 ? await comparePins() : undefined);
      if (servers.length > 0) stopChecks = checkOften(deps, check);
    },
    list: () => tools,
    mayCome: (name) => settings.some((each) => name.startsWith(serverToolName(each.name, ''))),
    standIn: (name) => servers.map((server) => server.standIn(name)).find((tool) => tool),
    servers: () => servers.map((server) => server.state()),
    changed,
    async accept({ by, hash, name }) {
      await comparePins();
      const found = changed().find((each) => each.name === name);
      if (!found) return { kind: 'not-changed' };
      if (hash.length < MIN_HASH_CHARS || !found.hash.startsWith(hash))
        return { kind: 'other', changed: found };
      await pins.accept({ claims: found.now, hash: found.hash }, found.before, by);
      await comparePins();
      const still = changed().find((each) => each.name === name);
      return still ? { kind: 'other', changed: still } : { kind: 'accepted', name };
    },
    async stop() {
      stopChecks();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Checks again some time after each check has ended, until cancelled. */
function checkOften(deps: Pick<McpToolsDeps, 'clock' | 'log'>, check: () => Promise<void>): Cancel {
  const { clock, log } = deps;
  let isStopped = false;
  let cancel: Cancel = () => {};
  const schedule = () => {
    if (isStopped) return;
    cancel = clock.schedule(clock.now() + CHECK_MS, () => {
      check()
        .catch((error: unknown) =>
          log.warn({ why: describeMcpError(error) }, 'Could not read the pins of tools.'),
        )
        .finally(schedule);
    });
  };
  schedule();
  return () => {
    isStopped = true;
    cancel();
  };
}
