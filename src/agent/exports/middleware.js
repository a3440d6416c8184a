/**
 * Approvals call by call for LangChain's createAgent. This file stands alone, and needs no compiler:
 * import it as `countersign/middleware`, or copy it (and its types) to where your graph is.
 */
import { ToolMessage } from '@langchain/core/messages';
import { interrupt } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';

/**
 * Makes the middleware: each tool call asks with an interrupt of its own, so that each decision takes
 * effect at once, whatever the others of the message wait for. The tool runs with the arguments that
 * were decided; what is not run, the model is told.
 *
 * @param {import('./middleware.js').PerCallOptions} [options]
 */
export function perCallApprovals({ tools, describe } = {}) {
  return createMiddleware({
    name: 'PerCallApprovals',
    async wrapToolCall(request, handler) {
      const { id, name, args } = request.toolCall;
      if (tools && !tools.includes(name)) return await handler(request);
      const call = { id, name, args };
      // Nothing may stand before it: a call that waits begins anew whenever another is decided.
      const answer = interrupt({
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

      /** @param {string} content */
      function tell(content) {
        return new ToolMessage({ content, name, tool_call_id: id ?? '', status: 'error' });
      }
    },
  });
}
