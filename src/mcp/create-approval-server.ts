/** The MCP server that Countersign offers to agents. */
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { McpCaller, RequestDefaults } from './asker.ts';
import { addAskHuman } from './tools/ask-human-tool.ts';
import { addGetApproval } from './tools/get-approval-tool.ts';
import { addPermissionPrompt } from './tools/permission-prompt-tool.ts';
import { addRequestApproval } from './tools/request-approval-tool.ts';
import { createToolRunner } from './tools/tool-work.ts';

/** A server for one connection. */
export interface ApprovalServer {
  readonly mcp: McpServer;
  /** Whether a tool call is in progress; with an id, whether the request with that id is. */
  isBusy(id?: RequestId): boolean;
  /** Closes the connection and cancels its waiting requests; resolves when that is done. */
  close(): Promise<void>;
}

const INSTRUCTIONS = `Asks people in Slack to approve your actions before you run them.
Call request_approval before anything risky, wait for its result, and run exactly the arguments that it returns: people may have edited them. Anything but the decision "approved" means: do not run it.
Ask people a question with ask_human.`;

/** Creates the server; `callerOf` maps a message's auth info to its sender. */
export function createApprovalServer(
  callerOf: (auth: AuthInfo | undefined) => McpCaller | undefined,
  defaults: RequestDefaults = {},
): ApprovalServer {
  const mcp = new McpServer(
    { name: 'countersign', title: 'Countersign', version: '0.1.0' },
    { instructions: INSTRUCTIONS },
  );
  const work = createToolRunner(callerOf);
  addRequestApproval(mcp, { defaults, work });
  addGetApproval(mcp, { work });
  addAskHuman(mcp, { defaults, work });
  addPermissionPrompt(mcp, { defaults, work });
  return {
    mcp,
    isBusy: work.isBusy,
    async close() {
      await mcp.close();
      await work.ended();
    },
  };
}
