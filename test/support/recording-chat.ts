import type { Call, CardPlace } from '../../src/domain/call.ts';
import {
  type Chat,
  type ChatError,
  type LiveMessage,
  type LiveView,
  perhapsThere,
} from '../../src/domain/chat.ts';
import type { Outlook } from '../../src/domain/outlook.ts';
import type { Say } from '../../src/domain/store.ts';

/** A chat that remembers what people would see, and fails when told to. */
export interface RecordingChat extends Chat {
  /** The newest drawing of each call, by call id. */
  readonly cards: Map<string, Call>;
  /** Whom the newest drawing of each pending call said that it waits for, by call id. */
  readonly outlooks: Map<string, Outlook>;
  /** How many card messages were posted, by call id. */
  readonly posts: Map<string, number>;
  readonly said: Say[];
  readonly statuses: string[];
  /** Every drawing of a growing message. */
  readonly views: LiveView[];
  /** Growing messages that people see now, by their timestamps. */
  readonly growing: Set<string>;
  /** The next drawing of a growing message waits for this, which may reject. */
  nextView(outcome: () => Promise<void>): void;
  /** The next drawing or saying rejects with this. */
  failNext(error: ChatError): void;
  /** From now on every drawing rejects with this; undefined ends it. */
  failCards(error: ChatError | undefined): void;
}

/** Creates a chat that remembers what people would see. */
export function createRecordingChat(): RecordingChat {
  const failures: ChatError[] = [];
  const cards = new Map<string, Call>();
  const outlooks = new Map<string, Outlook>();
  const posts = new Map<string, number>();
  const said: Say[] = [];
  const statuses: string[] = [];
  const views: LiveView[] = [];
  const growing = new Set<string>();
  const outcomes: (() => Promise<void>)[] = [];
  let cardFailure: ChatError | undefined;
  let ts = 0;

  function failIfTold(): void {
    const error = failures.shift();
    if (error) throw error;
  }

  return {
    cards,
    outlooks,
    posts,
    said,
    statuses,
    views,
    growing,
    nextView: (outcome) => void outcomes.push(outcome),
    failNext: (error) => failures.push(error),
    failCards(error) {
      cardFailure = error;
    },
    async drawCard(call, place, { outlook }) {
      failIfTold();
      if (cardFailure) throw cardFailure;
      cards.set(call.id, call);
      if (outlook) outlooks.set(call.id, outlook);
      else outlooks.delete(call.id);
      if (place) return place;
      posts.set(call.id, (posts.get(call.id) ?? 0) + 1);
      ts += 1;
      return { channel: 'C1', ts: String(ts) };
    },
    async say(say, { live }) {
      failIfTold();
      said.push(say);
      if (live) growing.delete(live.ts);
    },
    growLive({ thread }, left): LiveMessage {
      let place: CardPlace | undefined = left;
      return {
        place: () => place,
        async draw(view) {
          views.push(view);
          place ??= perhapsThere(thread);
          await outcomes.shift()?.();
          ts += 1;
          if (place.ts === '') place = { ...place, ts: `live-${ts}` };
          growing.add(place.ts);
          return 'drawn';
        },
      };
    },
    async clearLive(_thread, live) {
      growing.delete(live.ts);
    },
    async setStatus(_thread, text) {
      statuses.push(text);
    },
  };
}
