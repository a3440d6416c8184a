import type { Helper } from '../../domain/tools/helper.ts';
import type { Tool, Toolbox } from '../../domain/tools/tool.ts';
import { buildToolbox } from '../../domain/tools/toolbox.ts';
import { BUILT_IN_HELPERS } from './built-in-helpers.ts';
import { type DefinedTool, defineTool, type ToolDefinition } from './define-tool.ts';
import { toExternalTool } from './external-tool.ts';
import { createFileTools } from './files/file-tools.ts';
import { createSearchFiles } from './files/search-files.ts';
import { createWorkspace } from './files/workspace.ts';
import { ToolsModuleError } from './load-tools-module.ts';
import { createTaskTool } from './task-tool.ts';

/** The available tools and helpers, and the tools left out with the reasons. */
export interface ToolboxReport {
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Tools that may change while the app runs: those of MCP servers. */
export interface DynamicTools {
  /** Returns the same array until a tool changes. */
  list(): readonly Tool[];
  /** Returns a substitute for a tool that is no longer offered. */
  standIn(name: string): Tool | undefined;
  /** Whether a tool of that name may appear later. */
  mayCome(name: string): boolean;
}

/**
 * Combines the built-in tools, the operator's own tools and the `task` tool. Throws `ToolsModuleError`
 * if an own tool or agent has a taken name, or an agent names an unknown tool.
 */
export function createToolbox(options: {
  /** An existing folder. The file tools cannot leave it. */
  readonly workspaceDir: string;
  /** Further built-in tools that use this folder. */
  readonly withFiles?: readonly DefinedTool[];
  /** Why the folder can't be used; if set, all its tools are left out. */
  readonly filesOff?: string;
  /** Built-in tools that depend on the settings. */
  readonly offered?: readonly DefinedTool[];
  readonly extra?: readonly ToolDefinition[];
  /** The operator's own helpers. */
  readonly agents?: readonly Helper[];
  /** Tools that change while the app runs. */
  readonly live?: DynamicTools;
}): ToolboxReport {
  const { filesOff } = options;
  const workspace = createWorkspace(options.workspaceDir);
  const all = [
    ...createFileTools(workspace),
    createSearchFiles(workspace),
    ...(options.withFiles ?? []),
  ];
  const files =
    filesOff === undefined
      ? all
      : all.map((made) => ({ kind: 'left-out', name: nameOf(made), reason: filesOff }) as const);
  const helpers = [...BUILT_IN_HELPERS, ...(options.agents ?? [])];
  const task = createTaskTool(helpers);
  const builtIn = [...files, ...(options.offered ?? []), ...(task ? [task] : [])];
  const names = new Set(builtIn.map(nameOf));
  const own = (options.extra ?? []).map((definition) => {
    if (names.has(definition.name)) {
      throw new ToolsModuleError(
        `TOOLS_MODULE: the name “${definition.name}” is taken by another tool. Give it another name.`,
      );
    }
    names.add(definition.name);
    return defineTool(definition);
  });
  const tools = new Map<string, Tool>();
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  for (const made of [...builtIn, ...own]) {
    if (made.kind === 'tool') tools.set(made.tool.name, made.tool);
    else leftOut.push({ name: made.name, reason: made.reason });
  }
  checkAgents(options.agents ?? [], names, options.live?.mayCome);
  const list = withLive([...tools.values()], options.live?.list);
  return { toolbox: buildToolbox(list, toExternalTool, options.live?.standIn), helpers, leftOut };
}

/** Own tools win over live tools of the same name. */
function withLive(own: readonly Tool[], live: DynamicTools['list'] = () => []) {
  const names = new Set(own.map(({ name }) => name));
  let known: readonly Tool[] = [];
  let all = own;
  return () => {
    const now = live();
    if (now !== known) {
      known = now;
      all = [...own, ...now.filter(({ name }) => !names.has(name))];
    }
    return all;
  };
}

function checkAgents(
  agents: readonly Helper[],
  tools: ReadonlySet<string>,
  mayCome: DynamicTools['mayCome'] = () => false,
): void {
  for (const { name, tools: has } of agents) {
    if (BUILT_IN_HELPERS.some((helper) => helper.name === name)) {
      throw new ToolsModuleError(
        `TOOLS_MODULE: the name “${name}” is taken by a built-in agent. Give yours another name.`,
      );
    }
    const unknown = has === 'all' ? [] : has.filter((tool) => !tools.has(tool) && !mayCome(tool));
    if (unknown.length === 0) continue;
    throw new ToolsModuleError(
      `TOOLS_MODULE: the agent “${name}” has unknown tools: ${unknown.join(', ')}. Available tools: ${[...tools].join(', ')}.`,
    );
  }
}

function nameOf(made: DefinedTool): string {
  return made.kind === 'tool' ? made.tool.name : made.name;
}
