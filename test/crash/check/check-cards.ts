import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { STATUS_LABELS } from '../../../src/slack/text/status-labels.ts';
import { ACTIONS } from '../../../src/slack/transport/ids.ts';
import type { SlackEntry } from '../record.ts';
import type { Evidence } from './finding.ts';

type Drawing = Extract<SlackEntry, { op: 'card' }>;

/** I7: one message shows the current call, with buttons while a decision is possible. */
export function* checkCards({ end, slack }: Evidence): Iterable<string> {
  const drawings = slack.flatMap((entry) => (entry.op === 'card' ? [entry] : []));
  for (const call of end.calls) {
    const own = drawings.filter(({ callId }) => callId === call.id);
    const posts = own.filter(({ how }) => how === 'post');
    if (posts.length > 1) {
      yield `${call.id} has ${posts.length} cards: ${posts.map(({ ts }) => ts).join(', ')}`;
    }
    const newest = own.at(-1);
    if (!call.route) continue;
    if (!newest) yield `${call.id} is ${call.status} and has no card`;
    else yield* checkNewest(call, newest, end.places[call.id]?.ts);
  }
}

function* checkNewest(call: Call, newest: Drawing, place: string | undefined): Iterable<string> {
  const card = `the card of ${call.id} (${call.status})`;
  if (newest.ts !== place) yield `${card} is at ${newest.ts}; the store says ${place}`;
  if (newest.attempt !== call.attempt || newest.digest !== shortDigest(call.digest)) {
    yield `${card} shows attempt ${newest.attempt}, digest ${newest.digest}`;
  }
  if (!newest.text.includes(wordsOf(call))) yield `${card} says: ${newest.text}`;
  const isOpen = call.status === 'pending' || call.status === 'unknown';
  const count = (wanted: string) => newest.buttons.filter(({ action }) => action === wanted).length;
  const asksAgain = count(ACTIONS.askAgain);
  const decides = newest.buttons.length - asksAgain - count(ACTIONS.open);
  if (isOpen === (decides === 0)) yield `${card} has ${decides} buttons that decide`;
  if (asksAgain > 0 && call.status !== 'expired') yield `${card} can be asked again`;
}

/** Notifications about a pending call ask for a decision. */
function wordsOf({ status }: Call): string {
  return status === 'pending' ? 'Approve?' : STATUS_LABELS[status];
}

/** I7: the answer of each turn is posted once, nothing is posted twice, and nothing stays unsent. */
export function* checkWords({ end, slack }: Evidence): Iterable<string> {
  const said = slack.flatMap((entry) => (entry.op === 'say' ? [entry] : []));
  const times = new Map<string, number>();
  for (const { sayId } of said) times.set(sayId, (times.get(sayId) ?? 0) + 1);
  for (const [id, count] of times) if (count > 1) yield `“${id}” was said ${count} times`;
  for (const { id } of end.unsaid) yield `“${id}” was never said`;
  for (const turn of Object.values(end.turns).flat()) {
    const last = turn.messages.at(-1);
    const isAnswer = last?.role === 'assistant' && last.calls.length === 0;
    const id = `${turn.id}#${last?.id}`;
    if (isAnswer && last.text.trim() !== '' && !times.has(id))
      yield `the answer ${id} was not said`;
  }
}
