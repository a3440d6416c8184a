/** The comparison for Countersign: the LangChain agent with its approvals, on the stock saver of the same store. */
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { CALL_ONCE, PeerModel, type Script, TOOL_NAME } from './bench-model.ts';

/** Creates the agent; each cycle is one message, one call, one approval, one answer, in its own thread. */
export function createPeer(saver: BaseCheckpointSaver, script: Script = CALL_ONCE) {
  const write = tool(() => 'Written.', {
    name: TOOL_NAME,
    description: 'Writes a note.',
    schema: z.object({ path: z.string(), content: z.string() }),
  });
  // Its own types do not match each other under exact optional properties.
  const approvals = { interruptOn: { [TOOL_NAME]: true } } as never;
  const agent = createAgent({
    model: new PeerModel(script),
    tools: [write],
    systemPrompt: 'You are a helpful assistant.',
    middleware: [humanInTheLoopMiddleware(approvals)] as never[],
    checkpointer: saver,
  });
  let threads = 0;

  return {
    async cycle(): Promise<void> {
      threads += 1;
      const config = { configurable: { thread_id: `peer-${threads}` } };
      const content = 'Please write the note of today.';
      const asked = await agent.invoke({ messages: [{ role: 'user', content }] }, config);
      if (!('__interrupt__' in asked)) throw new Error('The peer did not ask.');
      const resume = { decisions: [{ type: 'approve' }] };
      const { messages } = await agent.invoke(new Command({ resume }), config);
      if (messages.at(-1)?.content !== script.answer) throw new Error('The peer did not answer.');
    },
  };
}
