import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { RequestDefaults } from '../asker.ts';
import { askPermission } from './ask-permission.ts';
import type { ToolRunner } from './tool-work.ts';

/** Adds the tool for Claude Code's `--permission-prompt-tool`. Its result is one text: the permission as JSON. https://code.claude.com/docs/en/cli-reference */
export function addPermissionPrompt(
  mcp: McpServer,
  { defaults, work }: { defaults: RequestDefaults; work: ToolRunner },
): void {
  mcp.registerTool(
    'permission_prompt',
    {
      title: 'Ask people whether a tool may run',
      description:
        'For --permission-prompt-tool of a coding agent, not for the model: asks people in Slack whether a tool may run, and answers allow with the input to run, or deny with the reason.',
      // Not strict: other versions may send more fields.
      inputSchema: {
        tool_name: z.string().min(1),
        input: z.record(z.string(), z.unknown()),
        tool_use_id: z.string().optional(),
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    ({ tool_name: toolName, input, tool_use_id: toolUseId }, extra) =>
      work.run(extra, async (api, { signal, onWaiting }) => {
        const metadata = toolUseId === undefined ? {} : { metadata: { toolUseId } };
        const use = { toolName, input, ...metadata, ...defaults };
        const permission = await askPermission(api, use, { signal, onWaiting });
        return { content: [{ type: 'text', text: JSON.stringify(permission) }] };
      }),
  );
}
