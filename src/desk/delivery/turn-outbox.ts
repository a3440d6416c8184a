import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { isRunByGraph } from '../../domain/calls/call-origin.ts';
import { deliverOutboxKey, type Wake } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';

/** What a card quotes of the agent's words at most, in characters; longer ones are said in the thread too. */
const CARD_WORDS = 300;

/** The agent's words beside its calls, unless the cards show them whole; a helper's are for no one else. */
export function textBesideCalls(
  message: InboxMessage,
  state: GraphState,
  calls: readonly Call[],
  now: number,
): readonly OutboxMessage[] {
  if (message.delegated) return [];
  const onCards = calls.some((call) => call.route !== undefined && !isRunByGraph(call));
  const words = newestText(message, state, now);
  return onCards ? words.filter(({ text }) => text.length > CARD_WORDS) : words;
}

/** The agent's newest words, if it wrote any. */
export function newestText(
  message: InboxMessage,
  state: GraphState,
  now: number,
): readonly OutboxMessage[] {
  const last = state.messages.findLast((each) => each.role === 'assistant');
  if (!last || last.text.trim() === '') return [];
  return [outboxMessageOf(message, last.id, 'answer', last.text, now)];
}

/** The last words of a turn: the agent's answer with `foot` below it, to be rated by people, what the person should know about it, and what went wrong; a helper's go to whom it works for. */
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

/** Says why a turn ended without a last word; a helper's end is told to whom it works for. */
export function failureMessages(
  message: InboxMessage,
  failure: string,
  now: number,
): readonly OutboxMessage[] {
  return message.delegated ? [] : [outboxMessageOf(message, 'failure', 'notice', failure, now)];
}

/** Sees to it that what was added to a thread's outbox is said. */
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

/** Tells whether the thread's growing message ends with this say: it becomes the answer, or is taken away. */
export function endsLiveAnswer(say: OutboxMessage): boolean {
  return say.kind === 'answer' || say.clearsLive === true;
}

/** Takes the growing message away, if it still stands at this place when all that was to be said before has been said. */
export function clearLiveMessage(
  { id, thread }: InboxMessage,
  place: CardPlace,
  createdAt: number,
): OutboxMessage {
  const outboxId = `${id}#live:${place.ts || createdAt}`;
  return { id: outboxId, thread, kind: 'notice', text: '', createdAt, clearsLive: true };
}

/** Words that people saw and whose end will never come; `foot` says so. */
export function interruptedMessage(
  message: InboxMessage,
  text: string,
  now: number,
  foot = 'It broke off here.',
): readonly OutboxMessage[] {
  if (text.trim() === '') return [];
  const outboxMessage = outboxMessageOf(message, 'broken-off', 'answer', text.trimEnd(), now);
  return [{ ...outboxMessage, foot }];
}
