import type { Call, CallStatus, CardPlace } from '../../domain/calls/call.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { deliverOutboxKey } from '../../domain/ports/agenda.ts';
import type { ChatError } from '../../domain/ports/chat.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** What people need to know about the call's state. */
const STATES: Partial<Readonly<Record<CallStatus, string>>> = {
  pending: 'Nothing was run.',
  unknown: 'It was interrupted, and somebody has to say whether it ran.',
};

const DAY_MS = 86_400_000;

/** Shorter outages are not reported. */
const ALARM_AFTER_MS = 60_000;

/** Records since when a channel has refused a card. */
export function recordCardRefusal(channel: string, now: number): CardPlace {
  return { channel, ts: (now / 1_000).toFixed(3) };
}

/** True if a card has been refused for so long that people must be told. */
export function isLongRefused(refused: CardPlace | undefined, now: number): refused is CardPlace {
  return refused !== undefined && now - Number(refused.ts) * 1_000 >= ALARM_AFTER_MS;
}

/**
 * Builds the notices about a card that Slack keeps refusing. The requester is told once; each admin
 * once a day per route channel.
 */
export function createNotifyUndeliverable({
  store,
  clock,
  admins = new Set(),
}: Pick<DeskDeps, 'store' | 'clock' | 'admins'>) {
  async function notifyRequester(call: Call, messages: readonly OutboxMessage[]): Promise<void> {
    await store.outbox.add(messages, [{ key: deliverOutboxKey(call.thread), dueAt: clock.now() }]);
  }

  return {
    async refused(call: Call, error: ChatError): Promise<void> {
      const state = STATES[call.status];
      if (state === undefined) return;
      const now = clock.now();
      const messages = [
        toRequester(call, error, state, now),
        ...[...admins].flatMap((user) => toAdmin(user, call, error, now)),
      ];
      await notifyRequester(call, messages);
    },
    /** Tells the requester that the card is shown again. */
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

function toRequester(call: Call, error: ChatError, state: string, now: number): OutboxMessage {
  const where = describeCardChannel(call);
  return {
    id: `undeliverable:${call.id}`,
    thread: call.thread,
    kind: 'private',
    to: call.requester,
    ...toOutboxWords(
      sentence`I can't show the card for ${callTitlePart(call)} ${where}: ${error.message} ${state} Meanwhile, approvers can decide it on my Home tab. I'll keep trying, and post the card once this is fixed.`,
    ),
    createdAt: now,
  };
}

function toAdmin(
  user: string,
  call: Call,
  error: ChatError,
  now: number,
): readonly OutboxMessage[] {
  if (error.code !== 'undeliverable' || !isInOtherChannel(call)) return [];
  const { channel } = cardLocationOf(call);
  return [
    {
      id: `undeliverable:${channel}:${Math.floor(now / DAY_MS)}:${user}`,
      thread: call.thread,
      kind: 'private',
      to: { team: call.requester.team, user },
      isDirect: true,
      ...toOutboxWords(
        sentence`The route “${call.route?.name ?? ''}” sends its cards to ${{ channel }}, and I can't post there: ${error.message} Its calls are waiting; meanwhile, approvers can decide them on my Home tab. I'll keep trying.`,
      ),
      createdAt: now,
    },
  ];
}

function describeCardChannel(call: Call): Sentence {
  const { channel } = cardLocationOf(call);
  if (isInOtherChannel(call)) return sentence`in ${{ channel }}, where it should be decided`;
  const isThread = !isChannelItself(placeOf(call.thread));
  return isThread ? sentence`in our thread in ${{ channel }}` : sentence`in ${{ channel }}`;
}
