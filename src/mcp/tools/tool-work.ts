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

/** What a tool does. */
type Tool = (api: ApprovalApi, waiting: ToolWait) => Promise<CallToolResult>;

/** Runs what tools do for as long as they wait for people. */
export interface ToolRunner {
  /** Runs it until the client cancels or the connection ends; what the desk refuses is told to the agent as the tool's error. */
  run(extra: Extra, tool: Tool): Promise<CallToolResult>;
  /** Tells whether something is under way; of an id, whether a request with it is. */
  isBusy(id?: RequestId): boolean;
  /** Resolves when nothing is under way. */
  ended(): Promise<void>;
}

/** How a tool waits: it ends when it is cancelled, and tells the client that it goes on. */
export interface ToolWait extends Required<Pick<WaitOptions, 'signal' | 'onWaiting'>> {
  /** The client hears that it goes on, so that a long wait does not look like a dead server. */
  readonly isFollowed: boolean;
}

/** Creates the work of one connection. */
export function createToolRunner(
  askerOf: (auth: AuthInfo | undefined) => McpCaller | undefined,
): ToolRunner {
  const underWay = new Map<Promise<unknown>, RequestId>();
  return {
    async run(extra, tool) {
      const running = carryOut(askerOf(extra.authInfo), extra, tool);
      underWay.set(running, extra.requestId);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    isBusy: (id) => (id === undefined ? underWay.size > 0 : [...underWay.values()].includes(id)),
    async ended() {
      await Promise.allSettled(underWay.keys());
    },
  };
}

async function carryOut(
  asker: McpCaller | undefined,
  extra: Extra,
  tool: Tool,
): Promise<CallToolResult> {
  const { progressToken } = extra._meta ?? {};
  if (!asker) throw new Error('A message came from nobody.');
  try {
    return await tool(asker.api, {
      signal: asker.signal ? AbortSignal.any([extra.signal, asker.signal]) : extra.signal,
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
    // A connection that is gone is told of by its signal.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}
