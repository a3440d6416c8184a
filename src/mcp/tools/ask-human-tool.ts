import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  ApprovalError,
  type ApprovalRequest,
  type RequestOptions,
} from '../../client/countersign-client.ts';
import type { ApprovalApi, RequestDefaults } from '../asker.ts';
import { ApprovalAnswer, toApprovalAnswer } from './approval-answer.ts';
import { toRequestOptions } from './request-options.ts';
import type { ToolRunner } from './tool-work.ts';

/** Adds the tool that asks people a question. */
export function addAskHuman(
  mcp: McpServer,
  { defaults, work }: { defaults: RequestDefaults; work: ToolRunner },
): void {
  mcp.registerTool(
    'ask_human',
    {
      title: 'Ask people a question',
      description:
        'Asks people in Slack a question and waits for the answer, which is in "reply". It approves nothing.',
      inputSchema: z.strictObject({
        question: z.string().min(1),
        choices: z
          .array(z.string().min(1).max(75))
          .min(1)
          .max(20)
          .optional()
          .describe('Answers to choose from; without them people write freely.'),
        channel: z.string().optional().describe('Id of the Slack channel to ask in.'),
        requester: z.string().optional().describe('Id of the person for whom you ask.'),
        wait_seconds: z.number().nonnegative().optional().describe('As in request_approval.'),
        idempotency_key: z.string().min(1).max(200).optional(),
      }),
      outputSchema: ApprovalAnswer,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    ({ question, choices, ...input }, extra) =>
      work.run(extra, async (api, waiting) => {
        const { channel = defaults.channel, requester = defaults.requester } = input;
        const request: ApprovalRequest = {
          action: 'ask_human',
          args: { question },
          decisions: ['reply'],
          ...(choices && { choices }),
          ...(channel !== undefined && { channel }),
          ...(requester !== undefined && { requester }),
        };
        return await ask(api, request, toRequestOptions(input, waiting));
      }),
  );
}

async function ask(
  api: ApprovalApi,
  request: ApprovalRequest,
  options: RequestOptions & { readonly idempotencyKey: string },
): Promise<CallToolResult> {
  const { idempotencyKey } = options;
  try {
    return toApprovalAnswer(await api.requestApproval(request, options), { idempotencyKey });
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    return toApprovalAnswer(error.approval, { idempotencyKey });
  }
}
