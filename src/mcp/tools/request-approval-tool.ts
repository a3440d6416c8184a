import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  type Approval,
  ApprovalError,
  type ApprovalRequest,
  ProblemError,
  type RequestOptions,
} from '../../client/countersign-client.ts';
import type { ApprovalApi, RequestDefaults } from '../asker.ts';
import { ApprovalAnswer, toApprovalAnswer } from './approval-answer.ts';
import { toRequestOptions } from './request-options.ts';
import type { ToolRunner } from './tool-work.ts';

const Input = z.strictObject({
  action: z.string().min(1).describe('Name of the tool or action, like "delete_branch".'),
  arguments: z
    .record(z.string(), z.unknown())
    .describe('What exactly would run: an object, shown to people as it is.'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the arguments, so that people can edit them in a form.'),
  summary: z
    .string()
    .min(1)
    .max(150)
    .optional()
    .describe('What it would do, in one line for people, like "Delete the branch old-login".'),
  description: z.string().optional().describe('Why you want to do it, in a sentence or two.'),
  risk: z.enum(['low', 'medium', 'high']).optional(),
  channel: z.string().optional().describe('Id of the Slack channel to ask in.'),
  requester: z.string().optional().describe('Id of the person for whom you ask.'),
  deadline_seconds: z.number().int().positive().optional(),
  wait_seconds: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'How long to wait. Default: until the decision if the client follows progress, else 45. When the wait ends, the decision is "pending": call again with the same input and idempotency_key to keep waiting.',
    ),
  idempotency_key: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Repeating the same key with the same input returns the same approval.'),
  consume: z
    .boolean()
    .optional()
    .describe(
      'Default true: once approved, it is consumed for you, and you run it once. False: pass approval_id and digest to the program that runs it, which consumes it with POST /api/approvals/{approval_id}/consume {digest} and reports the outcome.',
    ),
});

/** Adds the tool that requests approval of an action and waits for the decision. */
export function addRequestApproval(
  mcp: McpServer,
  { defaults, work }: { defaults: RequestDefaults; work: ToolRunner },
): void {
  mcp.registerTool(
    'request_approval',
    {
      title: 'Ask people to approve an action',
      description:
        'Shows an action with its arguments to people in Slack and waits until they decide. Only with the decision "approved" may it run, once, with exactly the arguments of the result (people may have edited them).',
      inputSchema: Input,
      outputSchema: ApprovalAnswer,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (input, extra) =>
      work.run(extra, async (api, waiting) => {
        const options = toRequestOptions(input, waiting);
        return await ask(api, toRequest(input, defaults), options);
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
    const approved = await api.requestApproval(request, options);
    return request.silent
      ? await take(api, approved, idempotencyKey)
      : toApprovalAnswer(approved, { idempotencyKey });
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    return toApprovalAnswer(error.approval, { idempotencyKey });
  }
}

async function take(
  api: ApprovalApi,
  approved: Approval,
  idempotencyKey: string,
): Promise<CallToolResult> {
  try {
    const { approval, token } = await api.consume<Record<string, unknown>>(approved);
    return toApprovalAnswer(approval, { idempotencyKey, token });
  } catch (error) {
    const isHeld = error instanceof ProblemError && error.status === 409;
    if (!isHeld) throw error;
    return toApprovalAnswer(approved, { idempotencyKey, heldBecause: error.message });
  }
}

function toRequest(input: z.infer<typeof Input>, defaults: RequestDefaults): ApprovalRequest {
  const { action, schema, summary, description, risk, consume = true } = input;
  const { deadline_seconds: deadline } = input;
  const { channel = defaults.channel, requester = defaults.requester } = input;
  return {
    action,
    args: input.arguments,
    ...(schema && { schema }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(risk && { risk }),
    ...(deadline !== undefined && { deadline }),
    ...(channel !== undefined && { channel }),
    ...(requester !== undefined && { requester }),
    ...(consume && { silent: true }),
  };
}
