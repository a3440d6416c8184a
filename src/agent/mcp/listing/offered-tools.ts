/** The tools of one MCP server: listed when needed, and compared with their accepted pins. */
import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import {
  type ChangedTool,
  type ServerState,
  serverToolName,
} from '../../../domain/tools/server-tools.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { shortPin } from '../../../domain/tools/tool-pin.ts';
import type { McpSession } from '../connection/open-session.ts';
import { describeMcpError } from '../describe-error.ts';
import { createServerTool } from './create-server-tool.ts';
import { listTools, MAX_LISTED_TOOLS } from './list-tools.ts';
import type { ListedTool } from './parse-listed-tool.ts';
import { createToolListReader } from './tool-list-reader.ts';
import type { ToolPins } from './tool-pins.ts';

/** A tool that the server lists, with the name that we give it. */
export type NamedTool = Extract<ListedTool, { kind: 'tool' }> & { readonly name: string };

export interface OfferedTools {
  /** Lists the session's tools again. Lists run one at a time: an older one never replaces a newer one. */
  refresh(session: McpSession): Promise<void>;
  /** Lists again soon, at most once a second. */
  refreshSoon(session: McpSession): void;
  /** Whether the session's list is new enough for a call. */
  isFresh(session: McpSession): boolean;
  comparePins(): Promise<void>;
  /** The hash of a tool as the server listed it last. */
  hashOf(name: string): string | undefined;
  /** Tools that match their accepted pins. */
  tools(): readonly Tool[];
  changed(): readonly ChangedTool[];
  leftOut(): ServerState['leftOut'];
  /** Stops lists that have not begun. */
  cancel(): void;
  /** Resolves when the running list has ended. */
  settled(): Promise<void>;
}

interface OfferedDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly pins: ToolPins;
  readonly run: (tool: NamedTool, ...call: Parameters<Tool['run']>) => Promise<string>;
  readonly onListed: () => void;
  /** Called when the tools that match their pins have changed. */
  readonly onChange: () => void;
}

/** Before a call, tools are listed again if the list is older than this. */
const FRESH_MS = 60_000;
const LIST_AGAIN_MS = 1_000;

/** Creates the tools of a server. Lists none yet. */
export function createOfferedTools(server: string, deps: OfferedDeps): OfferedTools {
  const { clock } = deps;
  const readAll = createToolListReader(server);
  const problems = createProblemLog(server, deps.log);
  let listed: readonly NamedTool[] = [];
  let leftOut: ServerState['leftOut'] = [];
  let offered: readonly Tool[] = [];
  let changed: readonly ChangedTool[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let listedFrom: McpSession | undefined;
  let refreshing: Promise<void> = Promise.resolve();
  const settled = () => refreshing.catch(() => {});
  const again = createCoalescedList(clock, {
    settled,
    list: listNext,
    onError: problems.failedList,
  });

  async function list(session: McpSession): Promise<void> {
    const { tools: found, isWhole } = await listTools(session);
    const named = nameTools(server, await readAll(found));
    leftOut = [...(isWhole ? [] : [FURTHER]), ...named.leftOut];
    problems.leftOut(leftOut);
    listed = named.tools;
    listedAt = clock.now();
    deps.onListed();
    await comparePins();
  }

  function listNext(session: McpSession): Promise<void> {
    refreshing = settled().then(() => list(session));
    return refreshing;
  }

  async function comparePins(): Promise<void> {
    const compared = await compareWithPins(listed, deps);
    problems.changed(compared.changed);
    changed = compared.changed;
    if (identify(compared.accepted) === identify(offered)) return;
    offered = compared.accepted;
    deps.onChange();
  }

  return {
    async refresh(session) {
      await listNext(session);
      listedFrom = session;
    },
    refreshSoon: again.request,
    isFresh: (session) => clock.now() - listedAt <= FRESH_MS && session === listedFrom,
    comparePins,
    hashOf: (name) => listed.find((each) => each.name === name)?.hash,
    tools: () => offered,
    changed: () => changed,
    leftOut: () => leftOut,
    cancel: again.cancel,
    settled,
  };
}

/** Coalesces `list_changed`: lists again at most once a second, after the running list. */
function createCoalescedList(
  clock: Clock,
  {
    settled,
    list,
    onError,
  }: {
    readonly settled: () => Promise<void>;
    readonly list: (session: McpSession) => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
): { request(session: McpSession): void; cancel(): void } {
  let isQueued = false;
  let beganAt = Number.NEGATIVE_INFINITY;
  let cancel: Cancel = () => {};
  return {
    request(session) {
      if (isQueued) return;
      isQueued = true;
      cancel = clock.schedule(Math.max(clock.now(), beganAt + LIST_AGAIN_MS), () => {
        const ready = settled().finally(() => {
          isQueued = false;
          beganAt = clock.now();
        });
        void ready.then(() => list(session)).catch(onError);
      });
    },
    cancel: () => cancel(),
  };
}

/** Gives tools our names for them. Leaves out those that can't be read, or share a name. */
function nameTools(server: string, all: readonly ListedTool[]) {
  const named = new Map<string, NamedTool>();
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  for (const tool of all) {
    if (tool.kind === 'left-out') {
      leftOut.push({ name: tool.name, reason: tool.reason });
      continue;
    }
    const name = serverToolName(server, tool.claims.tool);
    if (named.has(name)) leftOut.push({ name, reason: 'another of its tools has that name' });
    else named.set(name, { ...tool, name });
  }
  return { tools: [...named.values()], leftOut };
}

/** Sorts tools by whether they match their pins. */
async function compareWithPins(
  listed: readonly NamedTool[],
  { pins, run }: Pick<OfferedDeps, 'pins' | 'run'>,
) {
  const accepted: Tool[] = [];
  const changed: ChangedTool[] = [];
  for (const tool of listed) {
    const pin = await pins.getOrCreate(tool);
    const { claims, hash, name } = tool;
    if (pin.hash === hash) accepted.push(createServerTool(tool, (...call) => run(tool, ...call)));
    else changed.push({ name, before: pin, now: claims, hash });
  }
  return { accepted, changed };
}

/** Logs problems of tools, each once. */
function createProblemLog(server: string, log: Log) {
  const logged = new Set<string>();

  function logOnce(key: string, facts: object, message: string): void {
    if (logged.has(key)) return;
    logged.add(key);
    log.warn(facts, message);
  }

  return {
    leftOut(tools: ServerState['leftOut']) {
      for (const { name: tool, reason } of tools) {
        logOnce(`${tool}\0${reason}`, { server, tool }, `Left out a tool: ${reason}`);
      }
    },
    changed(tools: readonly ChangedTool[]) {
      for (const { before, hash, name: tool } of tools) {
        const facts = { server, tool, before: shortPin(before.hash), now: shortPin(hash) };
        logOnce(`${tool}\0${hash}`, facts, CHANGED);
      }
    },
    failedList: (error: unknown) =>
      log.warn(
        { server, why: describeMcpError(error) },
        'Could not list the tools of an MCP server.',
      ),
  };
}

const CHANGED =
  'A tool of an MCP server has changed: nobody can call it until an admin accepts it with /countersign tools.';
const FURTHER = {
  name: 'all further tools',
  reason: `only the first ${MAX_LISTED_TOOLS} tools of a server are used, and this one has more`,
};

/** Identifies a list of tools for comparison. */
function identify(tools: readonly Tool[]): string {
  return tools.map(({ name, schemaHash }) => `${name}:${schemaHash}`).join('\n');
}
