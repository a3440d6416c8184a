import type { StateSnapshot } from '@langchain/langgraph';
import { type GraphState, type OpenCall, UnreadableStateError } from '../../domain/ports/agent.ts';
import type { AssistantMessage, ModelCall, TurnMessage } from '../../domain/threads/message.ts';
import { toUsage } from '../model/usage.ts';
import type { AskedInterrupt, TurnState } from './turn-graph.ts';
import { lastAssistantMessage } from './turn-messages.ts';

/** Reads our graph's state. Throws `UnreadableStateError` for an unknown or incomplete one. */
export function toGraphState({ values, tasks, config }: StateSnapshot): GraphState {
  const state = values as Partial<TurnState>;
  const messages = toMessages(state.messages ?? []);
  const asker = lastAssistantMessage(messages);
  // A finished task still lists its answered interrupt.
  const live = tasks.filter((task) => task.result === undefined);
  const open = live.flatMap((task) => task.interrupts.map((found) => toOpenCall(found, asker)));
  const phase = phaseOf();
  if (phase === 'finished' && state.failure === undefined && isAnswerMissing(asker, messages)) {
    throw new UnreadableStateError(
      'The stored turn has ended, but some of its calls have no answer.',
    );
  }
  return {
    turn: state.turn,
    messages,
    open,
    phase,
    ...(tasks.length > 0 && endsTurn() && { endsTurn: true as const }),
    failure: state.failure,
    ...(state.notice !== undefined && { notice: state.notice }),
    ...(state.privateNotice !== undefined && { privateNotice: state.privateNotice }),
    usage: toUsage(state.spent),
    spent: state.spent,
  };

  /** Until all calls of a batch are answered, each answer is only its task's result. */
  function endsTurn(): boolean {
    const results = tasks.map((task) => task.result as Partial<TurnState> | undefined);
    return state.endTurn === true || results.some((result) => result?.endTurn === true);
  }

  function phaseOf(): GraphState['phase'] {
    if (config.configurable?.checkpoint_id === undefined) return 'none';
    if (tasks.length === 0) return 'finished';
    const isCutOff = live.length === 0 || live.some((task) => task.interrupts.length === 0);
    return isCutOff ? 'stuck' : 'waiting';
  }
}

function toOpenCall(
  found: { readonly id?: string; readonly value?: unknown },
  asker: AssistantMessage | undefined,
): OpenCall {
  const asked = found.value as AskedInterrupt | undefined;
  if (found.id === undefined || asked?.v !== 1) {
    throw new UnreadableStateError(
      'The stored thread has an interrupt that this version does not know.',
    );
  }
  const { messageId, toolCallId } = asked.call;
  if (asker?.id !== messageId || !asker.calls.some(({ id }) => id === toolCallId)) {
    throw new UnreadableStateError(
      'The stored thread waits for a call that is not in its last message.',
    );
  }
  return { interruptId: found.id, ...asked.call };
}

/** Returns whether a call of the message has no answer. */
function isAnswerMissing(
  asker: AssistantMessage | undefined,
  messages: readonly TurnMessage[],
): boolean {
  const ids = new Set(messages.map(({ id }) => id));
  return asker?.calls.some(({ id }) => !ids.has(`${asker.id}/${id}`)) === true;
}

function toMessages(stored: unknown): readonly TurnMessage[] {
  if (Array.isArray(stored) && stored.every(isMessage)) return stored;
  throw new UnreadableStateError('The stored thread has messages that this version does not know.');
}

function isMessage(value: unknown): value is TurnMessage {
  const message = value as Partial<TurnMessage> | null | undefined;
  if (typeof message?.id !== 'string' || typeof message.text !== 'string') return false;
  switch (message.role) {
    case 'user':
      return typeof message.author === 'object';
    case 'assistant':
      return Array.isArray(message.calls) && message.calls.every(isCall);
    case 'tool':
      return typeof message.callId === 'string';
    default:
      return false;
  }
}

function isCall(value: unknown): value is ModelCall {
  const call = value as Partial<ModelCall> | null | undefined;
  return [call?.id, call?.tool, call?.args].every((part) => typeof part === 'string');
}
