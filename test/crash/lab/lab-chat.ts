import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import { type Chat, ChatError, uncertainLivePlace } from '../../../src/domain/ports/chat.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import type { Passage } from '../../support/store/faulty-store.ts';

/** What people see in the simulated Slack; it outlives every process. */
export interface LabSlack {
  /** Every call that a message shows as its card does, with all its renderings there, oldest first. */
  cards: { readonly callId: string; readonly ts: string; readonly drawn: Call[] }[];
  readonly said: OutboxMessage[];
  readonly growing: Set<string>;
  posts: number;
}

/** Creates an empty Slack. */
export function createLabSlack(): LabSlack {
  return { cards: [], said: [], growing: new Set(), posts: 0 };
}

/** Creates the chat of one process over the shared Slack. */
export function createLabChat(slack: LabSlack, passage: Passage): Chat {
  function newTs(): string {
    slack.posts += 1;
    return String(slack.posts);
  }

  function tsOf(call: Call, place: CardPlace | undefined, lookFirst: boolean): string {
    const at = place && slack.cards.find(({ ts }) => ts === place.ts);
    const found = lookFirst ? slack.cards.find(({ callId }) => callId === call.id) : undefined;
    const shown = at ?? found;
    if (shown) return shown.ts;
    if (place) throw new ChatError('gone', 'The card is not there.');
    return newTs();
  }

  /** Calls that a message no longer shows are removed from it. */
  function show(ts: string, calls: readonly Call[]): void {
    const isGone = (card: LabSlack['cards'][number]) =>
      card.ts === ts && !calls.some(({ id }) => id === card.callId);
    slack.cards = slack.cards.filter((card) => !isGone(card));
    for (const call of calls) {
      const shown = slack.cards.find((card) => card.ts === ts && card.callId === call.id);
      if (shown) shown.drawn.push(call);
      else slack.cards.push({ callId: call.id, ts, drawn: [call] });
    }
  }

  return {
    drawCard: (call, place, { lookFirst, shared = [{ call }] }) =>
      passage.pass('chat.drawCard', async () => {
        const ts = tsOf(call, place, lookFirst);
        show(
          ts,
          shared.map((each) => each.call),
        );
        return { channel: 'C1', ts };
      }),
    // No route of these runs names a channel.
    drawStub: async () => {
      throw new Error('There is no stub in these runs.');
    },
    closeCard: async () => {
      throw new Error('No card of these runs goes on to another channel.');
    },
    drawDigest: async ({ channel, id, place }) => place ?? { channel, ts: id },
    postOutboxMessage: (say, { lookFirst, live }) =>
      passage.pass('chat.postOutboxMessage', async () => {
        const isThere = lookFirst && slack.said.some(({ id }) => id === say.id);
        if (!isThere) slack.said.push(say);
        if (live) slack.growing.delete(live.ts);
      }),
    openLiveMessage({ thread }, left) {
      let place = left;
      return {
        place: () => place,
        draw: () =>
          passage.pass('chat.draw', async () => {
            place ??= uncertainLivePlace(thread);
            if (place.ts === '') place = { ...place, ts: newTs() };
            slack.growing.add(place.ts);
            return 'drawn' as const;
          }),
      };
    },
    clearLive: (_thread, live) =>
      passage.pass('chat.clearLive', async () => void slack.growing.delete(live.ts)),
    setStatus: async () => 'session',
  };
}
