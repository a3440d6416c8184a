/**
 * Per-call approvals for LangChain's createAgent. This file is self-contained and needs no compiler:
 * import it as `countersign/middleware`, or copy it (and its types) to your graph.
 */
import { ToolMessage } from '@langchain/core/messages';
import { interrupt } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';

/**
 * Creates the middleware. Each tool call asks with its own interrupt, so each decision takes effect at
 * once. The tool runs with the approved arguments. If it does not run, the model is told why.
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
      // No effects before this: a waiting call re-runs whenever another one is decided.
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
          return notRun(`Not run. A person answered instead of approving: ${answer.text}`);
        case 'ignore':
          return notRun('Not run: a person ignored this call. Do not try it again unasked.');
        default:
          throw new Error(
            `“${name}” was resumed with an invalid decision: ${JSON.stringify(answer)}.`,
          );
      }

      /** @param {string} content */
      function notRun(content) {
        return new ToolMessage({ content, name, tool_call_id: id ?? '', status: 'error' });
      }
    },
  });
}
