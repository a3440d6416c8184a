import { type Agent, UNREADABLE_STATE } from '../../domain/ports/agent.ts';
import { toUserMessage } from '../turn/prompt.ts';
import { toGraphUserMessage } from './graph-messages.ts';
import { createGraphReader, createGraphRuns, type GraphAgentDeps } from './graph-runs.ts';
import {
  answerOpenCalls,
  describeMissingMessages,
  describeUnreadable,
  end,
  toAnswers,
  toGraphState,
} from './graph-state.ts';

/**
 * Creates the agent that runs a foreign graph. A Slack thread is one thread of the graph, which keeps the
 * conversation itself. Its tools run inside it, under the lease of our thread. Its interrupts become
 * open calls and are answered by id.
 */
export function createGraphAgent(deps: GraphAgentDeps): Agent {
  const { graph } = deps;
  const { name } = graph;
  const reader = createGraphReader(deps);
  const runs = createGraphRuns(deps, reader);

  return {
    read: reader.read,
    async start(message, fence, signal) {
      await graph.settle(fence.thread, signal);
      const user = toUserMessage(message);
      if (user.role !== 'user') throw new TypeError('A turn must start with a person’s message.');
      const before = await reader.snapshotOf(fence.thread, fence);
      const started = { turn: message.id, messages: [user] };
      if (!before) return { ...end(UNREADABLE_STATE, describeUnreadable(name)), ...started };
      // An earlier worker started this turn before it died, and the server continued it.
      const held = await reader.turnOf(fence.thread, before);
      if (held?.id === message.id) return toGraphState(before, held, name);
      const messages = [...answerOpenCalls(before), toGraphUserMessage(user)];
      const state = await runs.run({ kind: 'messages', messages }, fence, signal);
      if (state.turn === message.id) return state;
      // Starting again would repeat the model request endlessly.
      return { ...end(state, describeMissingMessages(name)), ...started };
    },
    async resume(thread, replies, fence, signal) {
      await graph.settle(thread, signal);
      const snapshot = await graph.read(thread, fence);
      const { answers, lost, messages, why } = toAnswers(name, snapshot, replies);
      // LangGraph treats an empty map as no input.
      const isEmpty = Object.keys(answers).length === 0;
      const state = isEmpty
        ? await reader.toState(thread, snapshot)
        : { ...(await runs.run({ kind: 'answers', answers, messages }, fence, signal)), lost };
      // By now the graph has the other decisions, so the turn can end.
      return why === undefined ? state : end(state, state.failure ?? why);
    },
    async proceed(thread, fence, signal) {
      await graph.settle(thread, signal);
      const state = await reader.read(thread, fence);
      return state.phase === 'stuck' ? await runs.run({ kind: 'proceed' }, fence, signal) : state;
    },
    unfinished: runs.unfinished,
    async forget(thread) {
      runs.forget(thread);
      await graph.halt(thread);
    },
  };
}
