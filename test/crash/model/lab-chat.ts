import type { Call, CardPlace } from '../../../src/domain/call.ts';
import { type Chat, ChatError, perhapsThere } from '../../../src/domain/chat.ts';
import type { Say } from '../../../src/domain/store.ts';
import type { Passage } from '../../support/faulty-store.ts';

/** What people see in the laboratory's Slack; it outlives every process. */
export interface LabSlack {
  /** Every post of a call's card with all of its drawings, oldest first. */
  readonly cards: { readonly callId: string; readonly ts: string; readonly drawn: Call[] }[];
  readonly said: Say[];
  readonly growing: Set<string>;
  posts: number;
}

/** Creates an empty Slack. */
export function createLabSlack(): LabSlack {
  return { cards: [], said: [], growing: new Set(), posts: 0 };
}

/** Creates the chat of one process over what all of them see. */
export function createLabChat(slack: LabSlack, passage: Passage): Chat {
  function newTs(): string {
    slack.posts += 1;
    return String(slack.posts);
  }

  function cardAt(call: Call, place: CardPlace | undefined, lookFirst: boolean) {
    const at = place && slack.cards.find(({ ts }) => ts === place.ts);
    const found = lookFirst ? slack.cards.find(({ callId }) => callId === call.id) : undefined;
    if (at ?? found) return at ?? found;
    if (place) throw new ChatError('gone', 'The card is not there.');
    const posted = { callId: call.id, ts: newTs(), drawn: [] };
    slack.cards.push(posted);
    return posted;
  }

  return {
    drawCard: (call, place, { lookFirst }) =>
      passage.pass('chat.drawCard', async () => {
        const card = cardAt(call, place, lookFirst);
        card?.drawn.push(call);
        return { channel: 'C1', ts: card?.ts ?? '' };
      }),
    // No route of these runs names a channel.
    drawStub: async () => {
      throw new Error('There is no stub in these runs.');
    },
    closeCard: async () => {
      throw new Error('No card of these runs goes on to another channel.');
    },
    drawBulletin: async ({ channel, id, place }) => place ?? { channel, ts: id },
    say: (say, { lookFirst, live }) =>
      passage.pass('chat.say', async () => {
        const isThere = lookFirst && slack.said.some(({ id }) => id === say.id);
        if (!isThere) slack.said.push(say);
        if (live) slack.growing.delete(live.ts);
      }),
    growLive({ thread }, left) {
      let place = left;
      return {
        place: () => place,
        draw: () =>
          passage.pass('chat.draw', async () => {
            place ??= perhapsThere(thread);
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
