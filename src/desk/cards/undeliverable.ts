import type { Call, CallStatus, CardPlace } from '../../domain/calls/call.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { deliverOutboxKey } from '../../domain/ports/agenda.ts';
import type { ChatError } from '../../domain/ports/chat.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** How a call stands that people have to see. */
const WAITING_WORDS: Partial<Readonly<Record<CallStatus, string>>> = {
  pending: 'Nothing was run.',
  unknown: 'It was interrupted, and somebody has to say whether it ran.',
};

const DAY_MS = 86_400_000;

/** What passes by itself within this time alarms nobody. */
const ALARM_AFTER_MS = 60_000;

/** Notes since when a channel has refused a card. */
export function recordCardRefusal(channel: string, now: number): CardPlace {
  return { channel, ts: (now / 1_000).toFixed(3) };
}

/** Tells whether a card has been refused for so long that people have to know. */
export function isLongRefused(refused: CardPlace | undefined, now: number): refused is CardPlace {
  return refused !== undefined && now - Number(refused.ts) * 1_000 >= ALARM_AFTER_MS;
}

/** Builds the words on a card that Slack keeps refusing: the requester hears of it once, however often the card is tried, and each admin once a day for a channel of the routes. */
export function createNotifyUndeliverable({
  store,
  clock,
  admins = new Set(),
}: Pick<DeskDeps, 'store' | 'clock' | 'admins'>) {
  function toRequester(call: Call, error: ChatError, state: string): OutboxMessage {
    const where = describeCardChannel(call);
    return {
      id: `undeliverable:${call.id}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      ...toOutboxWords(
        sentence`I can't show the card for ${callTitlePart(call)} ${where}: ${error.message} ${state} Whoever may decide it can do so on my Home tab meanwhile; I keep trying, and the card comes when that is mended.`,
      ),
      createdAt: clock.now(),
    };
  }

  function toAdmins(call: Call, error: ChatError): readonly OutboxMessage[] {
    if (error.code !== 'undeliverable' || !isInOtherChannel(call)) return [];
    const { channel } = cardLocationOf(call);
    const now = clock.now();
    const { team } = call.requester;
    return [...admins].map((user) => ({
      id: `undeliverable:${channel}:${Math.floor(now / DAY_MS)}:${user}`,
      thread: call.thread,
      kind: 'private' as const,
      to: { team, user },
      isDirect: true as const,
      ...toOutboxWords(
        sentence`The route “${call.route?.name ?? ''}” sends its cards to ${{ channel }}, and I can't post there: ${error.message} Its calls wait; whoever may decide them can do so on my Home tab meanwhile. I keep trying.`,
      ),
      createdAt: now,
    }));
  }

  async function notifyRequester(call: Call, says: readonly OutboxMessage[]): Promise<void> {
    await store.outbox.add(says, [{ key: deliverOutboxKey(call.thread), dueAt: clock.now() }]);
  }

  return {
    async refused(call: Call, error: ChatError): Promise<void> {
      const state = WAITING_WORDS[call.status];
      if (state !== undefined)
        await notifyRequester(call, [toRequester(call, error, state), ...toAdmins(call, error)]);
    },
    /** Takes back what the requester was told, once the card is there. */
    async mended(call: Call): Promise<void> {
      const outboxMessage: OutboxMessage = {
        id: `shown:${call.id}`,
        thread: call.thread,
        kind: 'private',
        to: call.requester,
        ...toOutboxWords(
          sentence`The card for ${callTitlePart(call)} can be shown again ${describeCardChannel(call)}.`,
        ),
        createdAt: clock.now(),
      };
      await notifyRequester(call, [outboxMessage]);
    },
  };
}

function describeCardChannel(call: Call): Sentence {
  const { channel } = cardLocationOf(call);
  if (isInOtherChannel(call)) return sentence`in ${{ channel }}, where it is to be decided`;
  const isThread = !isChannelItself(placeOf(call.thread));
  return isThread ? sentence`in our thread in ${{ channel }}` : sentence`in ${{ channel }}`;
}
