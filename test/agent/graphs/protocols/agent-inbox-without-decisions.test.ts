/** A graph whose request allows no decision: it is refused at once, and the graph gets the reason. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { AIMessage } from '@langchain/core/messages';
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createGraphAgent } from '../../../../src/agent/graphs/create-graph-agent.ts';
import { createLocalGraph } from '../../../../src/agent/graphs/local-graph.ts';
import { buildGraphDesk } from '../graph-desk.ts';

const INBOX = { action_request: { action: 'send', args: {} }, config: {} };
const MIDDLEWARE = {
  action_requests: [{ name: 'pay', args: {} }],
  review_configs: [{ action_name: 'pay', allowed_decisions: [] }],
};

async function deskOver(t: TestContext, ask: () => unknown) {
  return await buildGraphDesk(t, 'odd', {
    agentOf: async ({ saver }) => {
      const compiled = new StateGraph(MessagesAnnotation)
        .addNode('ask', () => ({ messages: [new AIMessage(JSON.stringify(ask()))] }))
        .addEdge(START, 'ask')
        .compile({ checkpointer: saver });
      const stream = compiled.stream.bind(compiled);
      const graph = createLocalGraph('odd', { graph: compiled, stream, saver });
      return createGraphAgent({ graph, log: { error: () => {} } });
    },
  });
}

describe('a request that allows no decision', () => {
  for (const [what, value, answer] of [
    ['of Agent Inbox', INBOX, /"type":"response"/],
    ['in a list of Agent Inbox', [INBOX, INBOX], /"type":"response".*"type":"response"/],
    ['of the middleware', MIDDLEWARE, /"type":"reject"/],
  ] as const) {
    it(`is refused at once, and the graph gets the reason: ${what}`, async (t) => {
      const desk = await deskOver(t, () => interrupt(value));
      await desk.send('go');
      const said = desk.said().at(-1) ?? '';
      assert.match(said, /Nobody was asked about “(?:send|pay)”: the request allows no decision/);
      assert.match(said, answer);
      assert.deepEqual(await desk.calls(), []);
    });
  }

  it('ends the turn with the reason to people if it is repeated', async (t) => {
    const desk = await deskOver(t, () => {
      for (;;) interrupt(INBOX);
    });
    await desk.send('go');
    assert.match(
      desk.said().at(-1) ?? '',
      /“odd” asks about “send” but allows no answer, so its turn ended\./,
    );
    assert.deepEqual(await desk.calls(), []);
  });
});
