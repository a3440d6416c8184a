import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { ApprovalAnswer, toApprovalAnswer } from './approval-answer.ts';
import type { ToolRunner } from './tool-work.ts';

/** Adds the tool that reads an approval. */
export function addGetApproval(mcp: McpServer, { work }: { work: ToolRunner }): void {
  mcp.registerTool(
    'get_approval',
    {
      title: 'Read an approval',
      description: 'Returns the status of an approval that you requested. It changes nothing.',
      inputSchema: z.strictObject({
        approval_id: z.string().min(1),
        wait_seconds: z
          .number()
          .nonnegative()
          .optional()
          .describe('Wait this long for a decision. Default: 0.'),
      }),
      outputSchema: ApprovalAnswer,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ approval_id: id, wait_seconds: wait = 0 }, extra) =>
      work.run(extra, async (api, waiting) =>
        toApprovalAnswer(await api.getApproval(id, { ...waiting, wait })),
      ),
  );
}
