import type { Call } from '../../src/domain/call.ts';
import type { Chat, ChatError } from '../../src/domain/chat.ts';
import type { Say } from '../../src/domain/store.ts';

/** A chat that remembers what people would see, and fails when told to. */
export interface RecordingChat extends Chat {
  /** The newest drawing of each call, by call id. */
  readonly cards: Map<string, Call>;
  /** How many card messages were posted, by call id. */
  readonly posts: Map<string, number>;
  readonly said: Say[];
  readonly statuses: string[];
  /** The next drawing or saying rejects with this. */
  failNext(error: ChatError): void;
  /** From now on every drawing rejects with this; undefined ends it. */
  failCards(error: ChatError | undefined): void;
}

/** Creates a chat that remembers what people would see. */
export function createRecordingChat(): RecordingChat {
  const failures: ChatError[] = [];
  const cards = new Map<string, Call>();
  const posts = new Map<string, number>();
  const said: Say[] = [];
  const statuses: string[] = [];
  let cardFailure: ChatError | undefined;
  let ts = 0;

  function failIfTold(): void {
    const error = failures.shift();
    if (error) throw error;
  }

  return {
    cards,
    posts,
    said,
    statuses,
    failNext: (error) => failures.push(error),
    failCards(error) {
      cardFailure = error;
    },
    async drawCard(call, place) {
      failIfTold();
      if (cardFailure) throw cardFailure;
      cards.set(call.id, call);
      if (place) return place;
      posts.set(call.id, (posts.get(call.id) ?? 0) + 1);
      ts += 1;
      return { channel: 'C1', ts: String(ts) };
    },
    async say(say) {
      failIfTold();
      said.push(say);
    },
    growLive: () => ({ place: () => undefined, draw: async () => 'drawn' }),
    async clearLive() {},
    async setStatus(_thread, text) {
      statuses.push(text);
    },
  };
}
