/** The tools of all MCP servers that the settings name. */
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Pins } from '../../domain/ports/store.ts';
import {
  type AskPeople,
  type ServerTools,
  serverToolName,
} from '../../domain/tools/server-tools.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import type { DynamicTools } from '../tools/create-toolbox.ts';
import { describeMcpError } from './describe-error.ts';
import { createMcpServer } from './mcp-server.ts';
import type { ServerSettings } from './server-settings.ts';
import { createToolPins } from './tool-pins.ts';

export interface McpTools extends ServerTools, DynamicTools {
  /** Connects to all; resolves when each is there or has failed, and after ten seconds at the latest. */
  start(): Promise<void>;
  /** Ends the servers' processes and sessions. */
  stop(): Promise<void>;
}

const START_MS = 10_000;
/** Some providers take no more than 128 tools, and few models tell so many apart. */
const MANY = 100;
const TOO_MANY =
  'The MCP servers have very many tools: some models refuse so many. Name fewer servers in MCP_CONFIG.';
/** Fewer letters of a hash could be guessed, or typed by accident. */
const SHORTEST = 12;
/** How often it is looked whether another process has accepted what has changed. */
const LOOK_MS = 15_000;

/** Creates the tools of these servers; nothing is started yet. */
export function createMcpTools(
  settings: readonly ServerSettings[],
  deps: {
    readonly pins: Pins;
    readonly clock: Clock;
    readonly log: Log;
    readonly askPeople: AskPeople;
    /** How long a tool may run: nobody answers a server's question after that. */
    readonly toolTimeoutMs: number;
  },
): McpTools {
  const { clock, log } = deps;
  const pins = createToolPins(deps);
  let tools: readonly Tool[] = [];
  let cancelLook: Cancel = () => {};
  let isStopped = false;
  const onChange = () => {
    tools = servers.flatMap((server) => server.tools());
    if (tools.length > MANY) log.warn({ tools: tools.length }, TOO_MANY);
  };
  const servers = settings.map((each) => createMcpServer(each, { ...deps, pins, onChange }));

  async function judgeAll(): Promise<void> {
    await pins.read();
    for (const server of servers) await server.judge();
  }

  function lookLater(): void {
    if (isStopped) return;
    cancelLook = clock.schedule(clock.now() + LOOK_MS, () => {
      const look = changed().length > 0 ? judgeAll() : Promise.resolve();
      look
        .catch((error: unknown) =>
          log.warn({ why: describeMcpError(error) }, 'Pins of tools were not read.'),
        )
        .finally(lookLater);
    });
  }

  const changed = () => servers.flatMap((server) => server.changed());

  return {
    async start() {
      await pins.read();
      let cancel: Cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.schedule(clock.now() + START_MS, resolve);
      });
      await Promise.race([Promise.all(servers.map((server) => server.start())), late]);
      cancel();
      if (servers.length > 0) lookLater();
    },
    list: () => tools,
    mayCome: (name) => settings.some((each) => name.startsWith(serverToolName(each.name, ''))),
    standIn(name) {
      for (const server of servers) {
        const found = server.standIn(name);
        if (found) return found;
      }
      return undefined;
    },
    servers: () => servers.map((server) => server.state()),
    changed,
    async accept({ by, hash, name }) {
      await judgeAll();
      const found = changed().find((each) => each.name === name);
      if (!found) return { kind: 'not-changed' };
      if (hash.length < SHORTEST || !found.hash.startsWith(hash))
        return { kind: 'other', changed: found };
      await pins.accept({ claims: found.now, hash: found.hash }, found.before, by);
      await judgeAll();
      const still = changed().find((each) => each.name === name);
      return still ? { kind: 'other', changed: still } : { kind: 'accepted', name };
    },
    async stop() {
      isStopped = true;
      cancelLook();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
