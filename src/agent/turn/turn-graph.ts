/**
 * The pure graph of a turn. It calls the model and waits for outcomes; tools run outside. Its node names
 * and the shape of its interrupts are a contract with stored threads.
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

/** A call in an interrupt: all fields but the interrupt's id. */
type AskedCall = Omit<OpenCall, 'interruptId'>;

/** The value of an interrupt. It is resumed with a `ToolReply`. */
export interface AskedInterrupt {
  readonly v: 1;
  readonly call: AskedCall;
}

const State = Annotation.Root({
  /** Id of the message that started the turn. */
  turn: Annotation<string>,
  /** The helper that works on the turn; undefined for the thread's own agent. */
  agent: Annotation<string | undefined>,
  messages: Annotation<readonly TurnMessage[]>({
    // LangGraph adds the answers of a batch in the order of its calls, not of their arrival.
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

/** The result of asking the model: its message, or why there is none. */
export interface ModelStep {
  readonly message?: AssistantMessage;
  readonly failure?: string;
  /** A note for the person about the answer. */
  readonly notice?: string;
  /** Details of the failure that only the person who asked may see. */
  readonly privateNotice?: string;
  readonly spent?: ModelCost;
}

/** Asks the model. Rejects only if the turn must stop without a result. */
export type RunModelStep = (
  state: TurnState,
  config: LangGraphRunnableConfig,
) => Promise<ModelStep>;

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

/** Re-runs whenever a sibling resumes, so it must have no effects besides the interrupt. */
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
