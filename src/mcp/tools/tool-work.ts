import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  RequestId,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import {
  type Approval,
  CountersignError,
  type WaitOptions,
} from '../../client/countersign-client.ts';
import type { ApprovalApi, McpCaller } from '../asker.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The implementation of a tool. */
type Tool = (api: ApprovalApi, waiting: ToolWait) => Promise<CallToolResult>;

/** Runs tools that wait for people. */
export interface ToolRunner {
  /** Runs the tool until the client cancels or disconnects. A `CountersignError` becomes the tool's error result. */
  run(extra: Extra, tool: Tool): Promise<CallToolResult>;
  /** Whether a tool call is in progress; with an id, whether the request with that id is. */
  isBusy(id?: RequestId): boolean;
  /** Resolves once no tool call is in progress. */
  ended(): Promise<void>;
}

/** How a tool waits: until `signal` aborts, with progress notifications. */
export interface ToolWait extends Required<Pick<WaitOptions, 'signal' | 'onWaiting'>> {
  /** Whether the client receives progress, so that a long wait doesn't look like a dead server. */
  readonly isFollowed: boolean;
}

/** Creates the tool runner of one connection. */
export function createToolRunner(
  callerOf: (auth: AuthInfo | undefined) => McpCaller | undefined,
): ToolRunner {
  const inProgress = new Map<Promise<unknown>, RequestId>();
  return {
    async run(extra, tool) {
      const running = runTool(callerOf(extra.authInfo), extra, tool);
      inProgress.set(running, extra.requestId);
      try {
        return await running;
      } finally {
        inProgress.delete(running);
      }
    },
    isBusy: (id) =>
      id === undefined ? inProgress.size > 0 : [...inProgress.values()].includes(id),
    async ended() {
      await Promise.allSettled(inProgress.keys());
    },
  };
}

async function runTool(
  caller: McpCaller | undefined,
  extra: Extra,
  tool: Tool,
): Promise<CallToolResult> {
  const { progressToken } = extra._meta ?? {};
  if (!caller) throw new Error('A message has no authenticated sender.');
  try {
    return await tool(caller.api, {
      signal: caller.signal ? AbortSignal.any([extra.signal, caller.signal]) : extra.signal,
      isFollowed: progressToken !== undefined,
      onWaiting: progressToken === undefined ? () => {} : createProgress(extra, progressToken),
    });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { isError: true, content: [{ type: 'text', text: error.message }] };
  }
}

function createProgress(extra: Extra, progressToken: string | number) {
  let progress = 0;
  return ({ id }: Approval<object>) => {
    progress += 1;
    const message = `Waiting for people to decide ${id} in Slack.`;
    const params = { progressToken, progress, message };
    // Ignored: a closed connection aborts the signal.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}
