import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { renderStubKey } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** What becomes of a card whose call has gone on to another channel. */
export interface SupersededCards {
  /** Remembers the first of them before the new place is known: in the thread it is the stub from now on. Any other is drawn over at once. */
  mark(call: Call, old: readonly CardPlace[], next: CardPlace): Promise<void>;
  /** Draws over the one that was left in another channel, if there is one, that the card stands at `next`. */
  close(call: Call, next: CardPlace): Promise<void>;
}

/** What keeps an old card from being drawn over, whenever it is tried. */
const HOPELESS: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable', 'rejected']);

/** Creates it; every step may be repeated. */
export function createSupersededCards({
  store,
  chat,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>): SupersededCards {
  async function drawOver(call: Call, left: CardPlace, next: CardPlace): Promise<void> {
    try {
      await chat.closeCard(call, left, next);
    } catch (error) {
      if (!(error instanceof ChatError) || !HOPELESS.has(error.code)) throw error;
      log.warn({ err: error, call: call.id }, 'The card that a call has left stays as it was.');
    }
  }

  return {
    async mark(call, [first, ...more], next) {
      for (const old of more) await drawOver(call, old, next);
      if (!first) return;
      const place = placeOf(call.thread);
      const isAway = next.channel !== place.channel;
      const inThread = isAway && first.channel === place.channel && !isChannelItself(place);
      const { stub } = inThread ? await store.ledger.sideMessagesOf(call.id) : {};
      const isStub = inThread && (stub === undefined || stub.ts === first.ts);
      await store.ledger.placeSideMessage(call.id, isStub ? 'stub' : 'left', first);
      await store.agenda.wake([{ key: renderStubKey(call), dueAt: clock.now() }]);
    },
    async close(call, next) {
      const { left } = await store.ledger.sideMessagesOf(call.id);
      if (!left) return;
      await drawOver(call, left, next);
      await store.ledger.placeSideMessage(call.id, 'left', undefined);
    },
  };
}
