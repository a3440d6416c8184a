/**
 * Approvals call by call for LangChain's createAgent. This file stands alone: import it as
 * `countersign/middleware`, or copy it to where your graph is.
 */
import { ToolMessage } from '@langchain/core/messages';
import { interrupt } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';

/** What a call asks. */
export interface CallQuestion {
  readonly countersign: 1;
  readonly call: {
    readonly id: string | undefined;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  /** In the agent's words. */
  readonly description?: string;
}

/** What it is resumed with. */
export type CallAnswer =
  | { readonly type: 'approve' }
  | { readonly type: 'edit'; readonly args: Record<string, unknown> }
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'ignore' };

/** Which calls ask; the others run. */
export interface PerCallOptions {
  /** Names of tools. (Default: all of them; the policy of the desk says which of those wait for people.) */
  readonly tools?: readonly string[];
  /** Says to people what a call is about. */
  readonly describe?: (call: CallQuestion['call']) => string;
}

/**
 * Makes the middleware: each tool call asks with an interrupt of its own, so that each decision takes
 * effect at once, whatever the others of the message wait for. The tool runs with the arguments that
 * were decided; what is not run, the model is told.
 */
export function perCallApprovals({ tools, describe }: PerCallOptions = {}) {
  return createMiddleware({
    name: 'PerCallApprovals',
    async wrapToolCall(request, handler) {
      const { id, name, args } = request.toolCall;
      if (tools && !tools.includes(name)) return await handler(request);
      const call = { id, name, args };
      // Nothing may stand before it: a call that waits begins anew whenever another is decided.
      const answer = interrupt<CallQuestion, CallAnswer>({
        countersign: 1,
        call,
        ...(describe && { description: describe(call) }),
      });
      switch (answer.type) {
        case 'approve':
          return await handler(request);
        case 'edit':
          return await handler({
            ...request,
            toolCall: { ...request.toolCall, args: answer.args },
          });
        case 'reply':
          return tell(`Not run. A person answered instead of approving: ${answer.text}`);
        case 'ignore':
          return tell('Not run: a person ignored this call. Do not try it again unasked.');
        default:
          throw new Error(
            `“${name}” was resumed with what is no decision: ${JSON.stringify(answer)}.`,
          );
      }

      function tell(content: string): ToolMessage {
        return new ToolMessage({ content, name, tool_call_id: id ?? '', status: 'error' });
      }
    },
  });
}
