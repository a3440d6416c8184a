import { sayKey, type Wake } from '../domain/agenda.ts';
import type { GraphState } from '../domain/agent.ts';
import type { Call } from '../domain/call.ts';
import type { InboxMessage } from '../domain/message.ts';
import type { Say } from '../domain/store.ts';

/** What a card quotes of the agent's words at most, in characters; longer ones are said in the thread too. */
const CARD_WORDS = 300;

/** The agent's words beside its calls, unless the cards show them whole; a helper's are for no one else. */
export function wordsBesideCalls(
  message: InboxMessage,
  state: GraphState,
  calls: readonly Call[],
  now: number,
): readonly Say[] {
  if (message.delegated) return [];
  const onCards = calls.some((call) => call.route !== undefined);
  const last = state.messages.findLast((each) => each.role === 'assistant');
  if (!last || last.text.trim() === '' || (onCards && last.text.length <= CARD_WORDS)) return [];
  return [sayOf(message, last.id, 'answer', last.text, now)];
}

/** The last words of a turn: the agent's answer, and what went wrong; a helper's go to whom it works for. */
export function lastWords(message: InboxMessage, state: GraphState, now: number): readonly Say[] {
  if (message.delegated) return [];
  const says: Say[] = [];
  const last = state.messages.at(-1);
  if (last?.role === 'assistant' && last.text.trim() !== '') {
    says.push(sayOf(message, last.id, 'answer', last.text, now));
  }
  if (state.failure) says.push(sayOf(message, 'failure', 'notice', state.failure, now));
  return says;
}

/** Sees to it that what was added to a thread's outbox is said. */
export function wakeSay(message: InboxMessage, now: number): readonly Wake[] {
  return [{ key: sayKey(message.thread), dueAt: now }];
}

function sayOf(
  message: InboxMessage,
  id: string,
  kind: Say['kind'],
  text: string,
  createdAt: number,
): Say {
  const { thread, author: to } = message;
  return { id: `${message.id}#${id}`, thread, kind, to, text, createdAt };
}
