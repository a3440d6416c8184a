import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { deliverOutboxKey, type Wake } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';

/**
 * The most text of the agent that a card quotes, in characters; longer text is also posted in the
 * thread.
 */
const MAX_CARD_TEXT = 300;

/** The agent's text beside its calls, unless the cards show all of it. Empty for helpers. */
export function textBesideCalls(
  message: InboxMessage,
  state: GraphState,
  calls: readonly Call[],
  now: number,
): readonly OutboxMessage[] {
  if (message.delegated) return [];
  const onCards = calls.some(
    (call) => call.route !== undefined && behaviourOf(call).runBy !== 'graph',
  );
  const words = newestText(message, state, now);
  return onCards ? words.filter(({ text }) => text.length > MAX_CARD_TEXT) : words;
}

/** The agent's latest text, if any. */
export function newestText(
  message: InboxMessage,
  state: GraphState,
  now: number,
): readonly OutboxMessage[] {
  const last = state.messages.findLast((each) => each.role === 'assistant');
  if (!last || last.text.trim() === '') return [];
  return [outboxMessageOf(message, last.id, 'answer', last.text, now)];
}

/**
 * The final messages of a turn: the answer with `foot`, which people can rate, a notice, and a
 * failure. Empty for helpers, whose result goes to their parent call.
 */
export function finalMessages(
  message: InboxMessage,
  state: GraphState,
  now: number,
  foot?: string,
): readonly OutboxMessage[] {
  if (message.delegated) return [];
  const outboxMessages: OutboxMessage[] = [];
  const last = state.messages.at(-1);
  if (last?.role === 'assistant' && last.text.trim() !== '') {
    const isLast = state.failure === undefined;
    outboxMessages.push({
      ...outboxMessageOf(message, last.id, 'answer', last.text, now),
      ...(isLast && { turn: message.id }),
      ...(foot !== undefined && { foot }),
    });
  }
  if (state.notice)
    outboxMessages.push(outboxMessageOf(message, 'notice', 'notice', state.notice, now));
  if (state.failure) outboxMessages.push(...failureMessages(message, state.failure, now));
  if (state.privateNotice)
    outboxMessages.push(outboxMessageOf(message, 'private', 'private', state.privateNotice, now));
  return outboxMessages;
}

/**
 * Explains why a turn ended without an answer. Empty for helpers, whose result goes to their parent
 * call.
 */
export function failureMessages(
  message: InboxMessage,
  failure: string,
  now: number,
): readonly OutboxMessage[] {
  return message.delegated ? [] : [outboxMessageOf(message, 'failure', 'notice', failure, now)];
}

/** Schedules the delivery of a thread's outbox. */
export function outboxWake(message: InboxMessage, now: number): readonly Wake[] {
  return [{ key: deliverOutboxKey(message.thread), dueAt: now }];
}

function outboxMessageOf(
  message: InboxMessage,
  id: string,
  kind: OutboxMessage['kind'],
  text: string,
  createdAt: number,
): OutboxMessage {
  const { thread, author: to } = message;
  return { id: `${message.id}#${id}`, thread, kind, to, text, createdAt };
}

/** True if this message ends the thread's live message, by replacing or removing it. */
export function endsLiveAnswer(message: OutboxMessage): boolean {
  return message.kind === 'answer' || message.clearsLive === true;
}

/** Removes the live message if it is still at this place once all earlier messages are sent. */
export function clearLiveMessage(
  { id, thread }: InboxMessage,
  place: CardPlace,
  createdAt: number,
): OutboxMessage {
  const outboxId = `${id}#live:${place.ts || createdAt}`;
  return { id: outboxId, thread, kind: 'notice', text: '', createdAt, clearsLive: true };
}

/** Text that people saw and that will not be completed; `foot` says so. */
export function interruptedMessage(
  message: InboxMessage,
  text: string,
  now: number,
  foot = 'The answer was cut off here.',
): readonly OutboxMessage[] {
  if (text.trim() === '') return [];
  const outboxMessage = outboxMessageOf(message, 'broken-off', 'answer', text.trimEnd(), now);
  return [{ ...outboxMessage, foot }];
}
