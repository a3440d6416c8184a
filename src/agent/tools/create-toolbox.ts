import type { Tool, Toolbox } from '../../domain/tool.ts';
import { type DefinedTool, defineTool, type ToolDefinition } from './define-tool.ts';
import { createFileTools } from './file-tools.ts';
import { ToolsModuleError } from './load-tools-module.ts';
import { createWorkspace } from './workspace.ts';

/** The tools that can be offered, and those that can't, with the reason. */
export interface ToolboxReport {
  readonly toolbox: Toolbox;
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Puts the built-in tools and the operator's own in one box; throws when an own tool has a name that is taken. */
export function createToolbox(options: {
  /** A folder that exists; the file tools reach nothing else. */
  readonly workspaceDir: string;
  /** Built-in tools that depend on the settings. */
  readonly offered?: readonly DefinedTool[];
  readonly extra?: readonly ToolDefinition[];
}): ToolboxReport {
  const files = createFileTools(createWorkspace(options.workspaceDir));
  const builtIn = [...files, ...(options.offered ?? [])];
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
  const list = [...tools.values()];
  return { toolbox: { get: (name) => tools.get(name), list: () => list }, leftOut };
}

function nameOf(made: DefinedTool): string {
  return made.kind === 'tool' ? made.tool.name : made.name;
}
