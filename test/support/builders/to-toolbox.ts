import { defineTool, type ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import { toExternalTool } from '../../../src/agent/tools/external-tool.ts';
import type { Tool, Toolbox } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';

/** Builds a toolbox as the app does; throws for a tool that the app would leave out. */
export function toToolbox(definitions: readonly ToolDefinition[], made: readonly Tool[]): Toolbox {
  const tools = new Map(made.map((tool) => [tool.name, tool]));
  for (const definition of definitions) {
    const defined = defineTool(definition);
    if (defined.kind !== 'tool') throw new Error(`${definition.name}: ${defined.reason}`);
    tools.set(defined.tool.name, defined.tool);
  }
  return buildToolbox(tools.values(), toExternalTool);
}
