/** A turn as recorded by its records and calls, independent of the agent's state. */

import type { Call } from '../../domain/calls/call.ts';
import { callEditOf } from '../../domain/calls/call-edit.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { type ToolReply, toToolReply, type WithdrawalCause } from '../../domain/calls/outcome.ts';
import type { GraphState, RecordedTurn } from '../../domain/ports/agent.ts';
import type {
  AssistantMessage,
  InboxMessage,
  ToolMessage,
  TurnMessage,
} from '../../domain/threads/message.ts';
import type { TurnRecord } from '../../domain/threads/turn-record.ts';

/** What is stored about a turn in progress, besides the agent's state. */
export interface KnownTurn {
  readonly records: readonly TurnRecord[];
  readonly calls: readonly Call[];
}

type CallIds = Pick<Call, 'messageId' | 'toolCallId' | 'tool'>;

/** The message that tells the agent the outcome of a call. */
export function toToolMessage(
  { messageId, toolCallId: callId, tool }: CallIds,
  { text, status }: Pick<ToolReply, 'text' | 'status'>,
): ToolMessage {
  return { role: 'tool', id: `${messageId}/${callId}`, callId, tool, text, status };
}

/** True if the state contains all recorded messages unchanged, and the messages of all calls. */
export function isWholeTurn(state: GraphState, turn: string, known: KnownTurn): boolean {
  const { records, calls } = known;
  if (state.phase === 'unreadable' || state.turn !== turn) {
    return records.length === 0 && calls.length === 0;
  }
  const ids = new Set(state.messages.map(({ id }) => id));
  return (
    records.every(({ message, position }) => isSame(state.messages[position], message)) &&
    calls.every((call) => call.outside !== undefined || ids.has(call.messageId))
  );
}

/** The records of the state's messages that have none yet. */
export function missingTurnRecords(
  { thread, id: turn }: InboxMessage,
  { messages, spent, notice }: GraphState,
  rejected: readonly ToolMessage[],
  { records, calls }: KnownTurn,
): readonly TurnRecord[] {
  const proposed = new Set(calls.map(({ messageId, toolCallId }) => `${messageId}/${toolCallId}`));
  const answers = [...messages.filter(isTool), ...rejected].filter(({ id }) => !proposed.has(id));
  const due = messages.flatMap((message, position): readonly TurnRecord[] => {
    if (isTool(message) || records.some((each) => each.position === position)) return [];
    const ids = message.role === 'assistant' ? idsOf(message) : [];
    const own = answers.filter(({ id }) => ids.includes(id));
    return [{ v: 1, thread, turn, position, message, rejected: own }];
  });
  const last = due.at(-1);
  if (!last) return due;
  const facts = { ...(spent && { spent }), ...(notice !== undefined && { notice }) };
  return [...due.slice(0, -1), { ...last, ...facts }];
}

/** The turn for the agent to rebuild; undefined if part of it is missing. */
export function toRecordedTurn(
  { id: turn, delegated }: InboxMessage,
  known: KnownTurn,
): RecordedTurn | undefined {
  const { records, calls } = known;
  const last = records.at(-1);
  if (last?.message.role !== 'assistant') return undefined;
  const ids = new Set(records.map(({ message }) => message.id));
  if (!calls.filter(isAsked).every(({ messageId }) => ids.has(messageId))) return undefined;
  const messages: TurnMessage[] = [];
  for (const { message, position } of records) {
    if (position !== messages.length) return undefined;
    messages.push(message);
    if (message.role !== 'assistant' || message === last.message) continue;
    const answers = answersTo(message, known);
    if (answers.length < message.calls.length) return undefined;
    messages.push(...answers);
  }
  const { spent, notice } = last;
  return { turn, agent: delegated?.agent, messages, spent, notice };
}

/** The known messages of an ended turn, with one answer for each call. */
export function toHistoryMessages(
  message: InboxMessage,
  known: KnownTurn,
  cause: WithdrawalCause,
): readonly TurnMessage[] {
  const { id, text, author, receivedAt } = message;
  const user = known.records.find((record) => record.message.role === 'user')?.message;
  const askers = askersOf(known);
  return [
    user ?? { role: 'user', id, text, author, at: receivedAt },
    ...askers.flatMap((asker) => [asker, ...answerUnfinishedCalls(asker, known, cause)]),
  ];
}

/** One answer for each call of a message; unanswered calls count as withdrawn. */
export function answerUnfinishedCalls(
  asker: AssistantMessage,
  known: KnownTurn,
  cause: WithdrawalCause,
): readonly ToolMessage[] {
  const answers = answersTo(asker, known);
  const open = toToolReply({ kind: 'withdrawn', cause });
  return asker.calls.map(({ id: toolCallId, tool }) => {
    const messageId = asker.id;
    const found = answers.find(({ callId }) => callId === toolCallId);
    return found ?? toToolMessage({ messageId, toolCallId, tool }, open);
  });
}

/** The existing answers, in the order of the calls. */
function answersTo(asker: AssistantMessage, { records, calls }: KnownTurn): readonly ToolMessage[] {
  const rejected = records.find(({ message }) => message.id === asker.id)?.rejected ?? [];
  return asker.calls.flatMap(({ id: callId }) => {
    const call = calls.find((each) => each.messageId === asker.id && each.toolCallId === callId);
    if (!call) return rejected.filter((each) => each.callId === callId);
    if (!call.outcome) return [];
    return [toToolMessage(call, toToolReply(call.outcome, callEditOf(call), call.votes))];
  });
}

/**
 * The model's messages, oldest first. An older version kept no records; its messages are rebuilt
 * from their calls and come first.
 */
function askersOf({ records, calls }: KnownTurn): readonly AssistantMessage[] {
  const recorded = records.flatMap(({ message }) =>
    message.role === 'assistant' ? [message] : [],
  );
  const known = new Set(recorded.map(({ id }) => id));
  const asked = calls.filter((call) => isAsked(call) && !known.has(call.messageId));
  const unknown = new Set(asked.map(({ messageId }) => messageId));
  return [...[...unknown].map((id) => messageOf(id, asked)), ...recorded];
}

function messageOf(id: string, all: readonly Call[]): AssistantMessage {
  const calls = all.filter(({ messageId }) => messageId === id);
  return {
    role: 'assistant',
    id,
    text: calls[0]?.words ?? '',
    calls: calls.map(({ toolCallId, tool, proposedArgs: args }) => ({
      id: toolCallId,
      tool,
      args,
    })),
  };
}

function isAsked(call: Call): boolean {
  return behaviourOf(call).partOf === 'message';
}

function idsOf({ id, calls }: AssistantMessage): readonly string[] {
  return calls.map((call) => `${id}/${call.id}`);
}

function isTool(message: TurnMessage): message is ToolMessage {
  return message.role === 'tool';
}

function isSame(a: TurnMessage | undefined, b: TurnMessage): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
