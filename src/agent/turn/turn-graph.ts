/**
 * The pure graph of a turn: it calls the model and waits for outcomes, and runs nothing itself. The
 * names of its nodes and the shape of its interrupts are a contract with stored threads.
 */
import {
  Annotation,
  type BaseCheckpointSaver,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { ToolReply } from '../../domain/calls/outcome.ts';
import type { OpenCall } from '../../domain/ports/agent.ts';
import type { AssistantMessage, ModelCost, TurnMessage } from '../../domain/threads/message.ts';
import { addModelCost } from '../model/usage.ts';
import { lastAssistantMessage } from './turn-messages.ts';

/** A call as an interrupt carries it: all of it but the address of its answer. */
type AskedCall = Omit<OpenCall, 'interruptId'>;

/** What one interrupt says; its answer is a `ToolReply`. */
export interface AskedInterrupt {
  readonly v: 1;
  readonly call: AskedCall;
}

const State = Annotation.Root({
  /** Id of the message that began the turn. */
  turn: Annotation<string>,
  /** The helper whose turn it is; undefined when it is the thread's own agent's. */
  agent: Annotation<string | undefined>,
  messages: Annotation<readonly TurnMessage[]>({
    // The answers of a batch are added in the order of its calls, whenever they came.
    reducer: (before, added) => [...before, ...added],
    default: () => [],
  }),
  endTurn: Annotation<boolean>({ reducer: (_before, after) => after, default: () => false }),
  failure: Annotation<string>,
  notice: Annotation<string>,
  privateNotice: Annotation<string>,
  spent: Annotation<ModelCost | undefined, ModelCost>({
    reducer: addModelCost,
    default: () => undefined,
  }),
});

export type TurnState = typeof State.State;

/** What the model made of the turn so far: its message, or why there is none. */
export interface ModelStep {
  readonly message?: AssistantMessage;
  readonly failure?: string;
  /** What the person should know about the answer. */
  readonly notice?: string;
  /** What only the person who asked may read of the failure. */
  readonly privateNotice?: string;
  readonly spent?: ModelCost;
}

/** Asks the model; rejects only when the work itself must stop. */
export type RunModelStep = (
  state: TurnState,
  config: LangGraphRunnableConfig,
) => Promise<ModelStep>;

/** Compiles the graph over a saver. */
export function compileTurnGraph(ask: RunModelStep, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(State)
    .addNode('model', async (state, config) => {
      const { message, failure, notice, privateNotice, spent } = await ask(state, config);
      return {
        endTurn: false,
        ...(message && { messages: [message] }),
        ...(failure !== undefined && { failure }),
        ...(notice !== undefined && { notice }),
        ...(privateNotice !== undefined && { privateNotice }),
        ...(spent && { spent }),
      };
    })
    .addNode('call', answerCall)
    .addNode('join', () => ({}))
    .addEdge(START, 'model')
    .addConditionalEdges('model', sendCalls, ['call', END])
    .addEdge('call', 'join')
    .addConditionalEdges('join', ({ endTurn }) => (endTurn ? END : 'model'), ['model', END])
    .compile({ checkpointer });
}

/** Runs again from its top at every resume of a sibling: nothing but the interrupt may stand here. */
function answerCall({ call }: { readonly call: AskedCall }) {
  const reply = interrupt<AskedInterrupt, ToolReply>({ v: 1, call });
  const answer: TurnMessage = {
    role: 'tool',
    id: `${call.messageId}/${call.toolCallId}`,
    callId: call.toolCallId,
    tool: call.tool,
    text: reply.text,
    status: reply.status,
  };
  return { messages: [answer], ...(reply.endsTurn && { endTurn: true }) };
}

function sendCalls({ messages, failure }: TurnState) {
  const asker = lastAssistantMessage(messages);
  if (failure !== undefined || !asker || asker.calls.length === 0) return END;
  return asker.calls.map(
    (call, position) => new Send('call', { call: askedCall(asker, position, call) }),
  );
}

function askedCall(
  asker: AssistantMessage,
  position: number,
  call: AssistantMessage['calls'][number],
): AskedCall {
  return {
    messageId: asker.id,
    toolCallId: call.id,
    position,
    siblings: asker.calls.length,
    tool: call.tool,
    argsText: call.args,
    words: asker.text,
  };
}
