import { createMcpTools } from '../agent/mcp/mcp-tools.ts';
import { createToolbox } from '../agent/tools/create-toolbox.ts';
import type { ToolDefinition } from '../agent/tools/define-tool.ts';
import { toExternalTool } from '../agent/tools/external-tool.ts';
import { createSendFile } from '../agent/tools/files/send-file.ts';
import { createWorkspaceBytes } from '../agent/tools/files/workspace-bytes.ts';
import type { loadToolsModule } from '../agent/tools/load-tools-module.ts';
import type { SlackModeConfig } from '../config/config.ts';
import { createAskQuestion } from '../desk/external/ask-question.ts';
import { createFileUpload } from '../slack/files/upload-file.ts';
import type { AppParts } from './app-deps.ts';
import { createCommandTool, createWebTools } from './create-machine-tools.ts';
import type { Records } from './open-records.ts';

const TOOL_TIMEOUT_MS = 10 * 60_000;

export type Tools = Awaited<ReturnType<typeof openTools>>;

/** Opens the agent's tools and connects to the MCP servers. */
export async function openTools(
  config: SlackModeConfig,
  deps: AppParts &
    Records & { readonly own: Awaited<ReturnType<typeof loadToolsModule>> | undefined },
) {
  const { calls, clock, connection, filesOff, log, newId, overrides = {}, own, store } = deps;
  const toolTimeoutMs = overrides.toolTimeoutMs ?? TOOL_TIMEOUT_MS;
  const ofOutside = toExternalTool;
  const askPeople = createAskQuestion({ store, clock, newId, ofOutside, watch: calls.watch });
  const { pins } = store;
  const mcp = createMcpTools(config.mcp.servers, { pins, clock, log, askPeople, toolTimeoutMs });
  deps.onRelease(() => mcp.stop());
  await mcp.start();

  const files = createWorkspaceBytes(config.workspaceDir);
  const send = createFileUpload({ connection, log });
  const { toolbox, helpers, leftOut } = createToolbox({
    workspaceDir: config.workspaceDir,
    withFiles: [createSendFile({ files, send }), await createCommandTool(config, { clock, log })],
    offered: createWebTools(config, { clock, reach: overrides.reach }),
    live: mcp,
    ...(filesOff !== undefined && { filesOff }),
    extra: withTools(own?.tools, deps.tools),
    ...(own && { agents: own.agents }),
  });
  for (const { name, reason } of leftOut) log.warn({ tool: name }, `Left out a tool: ${reason}`);
  return { toolbox, helpers, mcp, files, toolTimeoutMs };
}

function withTools(own: readonly ToolDefinition[] = [], further: readonly ToolDefinition[] = []) {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...further.filter(({ name }) => !names.has(name))];
}
