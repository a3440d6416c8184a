import { sayKey } from '../domain/agenda.ts';
import type { Call, CallStatus } from '../domain/call.ts';
import { homeOf, isElsewhere } from '../domain/card-home.ts';
import type { ChatError } from '../domain/chat.ts';
import { type Sentence, sentence } from '../domain/sentence.ts';
import { inWords, type Say } from '../domain/store.ts';
import { isChannelItself, placeOf } from '../domain/thread-key.ts';
import type { DeskDeps } from './deps.ts';

/** How a call stands that people have to see. */
const WAITING_WORDS: Partial<Readonly<Record<CallStatus, string>>> = {
  pending: 'Nothing was run.',
  unknown: 'It was interrupted, and somebody has to say whether it ran.',
};

const DAY_MS = 86_400_000;

/** Builds the words on a card that Slack refuses: the requester hears of it once, however often the card is tried, and each admin once a day for a channel of the routes. */
export function createTellRefused({
  store,
  clock,
  admins = new Set(),
}: Pick<DeskDeps, 'store' | 'clock' | 'admins'>) {
  function toRequester(call: Call, error: ChatError, state: string): Say {
    const where = sayWhere(call);
    return {
      id: `undeliverable:${call.id}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      ...inWords(
        sentence`I can't show the card for “${call.tool}” ${where}: ${error.message} ${state} Whoever may decide it can do so on my Home tab meanwhile; I keep trying, and the card comes when that is mended.`,
      ),
      createdAt: clock.now(),
    };
  }

  function toAdmins(call: Call, error: ChatError): readonly Say[] {
    if (error.code !== 'undeliverable' || !isElsewhere(call)) return [];
    const { channel } = homeOf(call);
    const now = clock.now();
    const { team } = call.requester;
    return [...admins].map((user) => ({
      id: `undeliverable:${channel}:${Math.floor(now / DAY_MS)}:${user}`,
      thread: call.thread,
      kind: 'private' as const,
      to: { team, user },
      isDirect: true as const,
      ...inWords(
        sentence`The route “${call.route?.name ?? ''}” sends its cards to ${{ channel }}, and I can't post there: ${error.message} Its calls wait; whoever may decide them can do so on my Home tab meanwhile. I keep trying.`,
      ),
      createdAt: now,
    }));
  }

  return async function tellRefused(call: Call, error: ChatError): Promise<void> {
    const state = WAITING_WORDS[call.status];
    if (state === undefined) return;
    const wakes = [{ key: sayKey(call.thread), dueAt: clock.now() }];
    const says = [toRequester(call, error, state), ...toAdmins(call, error)];
    await store.outbox.add(says, wakes);
  };
}

function sayWhere(call: Call): Sentence {
  const { channel } = homeOf(call);
  if (isElsewhere(call)) return sentence`in ${{ channel }}, where it is to be decided`;
  const isThread = !isChannelItself(placeOf(call.thread));
  return isThread ? sentence`in our thread in ${{ channel }}` : sentence`in ${{ channel }}`;
}
