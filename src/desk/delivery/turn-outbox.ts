import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { isHanded } from '../../domain/calls/call-origin.ts';
import { sayKey, type Wake } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Say } from '../../domain/threads/outbox-message.ts';

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
  const onCards = calls.some((call) => call.route !== undefined && !isHanded(call));
  const words = newestWords(message, state, now);
  return onCards ? words.filter(({ text }) => text.length > CARD_WORDS) : words;
}

/** The agent's newest words, if it wrote any. */
export function newestWords(message: InboxMessage, state: GraphState, now: number): readonly Say[] {
  const last = state.messages.findLast((each) => each.role === 'assistant');
  if (!last || last.text.trim() === '') return [];
  return [sayOf(message, last.id, 'answer', last.text, now)];
}

/** The last words of a turn: the agent's answer with `foot` below it, to be rated by people, what the person should know about it, and what went wrong; a helper's go to whom it works for. */
export function lastWords(
  message: InboxMessage,
  state: GraphState,
  now: number,
  foot?: string,
): readonly Say[] {
  if (message.delegated) return [];
  const says: Say[] = [];
  const last = state.messages.at(-1);
  if (last?.role === 'assistant' && last.text.trim() !== '') {
    const isLast = state.failure === undefined;
    says.push({
      ...sayOf(message, last.id, 'answer', last.text, now),
      ...(isLast && { turn: message.id }),
      ...(foot !== undefined && { foot }),
    });
  }
  if (state.notice) says.push(sayOf(message, 'notice', 'notice', state.notice, now));
  if (state.failure) says.push(...sayFailed(message, state.failure, now));
  if (state.privateNotice)
    says.push(sayOf(message, 'private', 'private', state.privateNotice, now));
  return says;
}

/** Says why a turn ended without a last word; a helper's end is told to whom it works for. */
export function sayFailed(message: InboxMessage, failure: string, now: number): readonly Say[] {
  return message.delegated ? [] : [sayOf(message, 'failure', 'notice', failure, now)];
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

/** Tells whether the thread's growing message ends with this say: it becomes the answer, or is taken away. */
export function takesLive(say: Say): boolean {
  return say.kind === 'answer' || say.clearsLive === true;
}

/** Takes the growing message away, if it still stands at this place when all that was to be said before has been said. */
export function clearLive({ id, thread }: InboxMessage, place: CardPlace, createdAt: number): Say {
  const sayId = `${id}#live:${place.ts || createdAt}`;
  return { id: sayId, thread, kind: 'notice', text: '', createdAt, clearsLive: true };
}

/** Words that people saw and whose end will never come; `foot` says so. */
export function brokenOffWords(
  message: InboxMessage,
  text: string,
  now: number,
  foot = 'It broke off here.',
): readonly Say[] {
  if (text.trim() === '') return [];
  const say = sayOf(message, 'broken-off', 'answer', text.trimEnd(), now);
  return [{ ...say, foot }];
}
