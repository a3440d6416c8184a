import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { renderStubKey } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** Handles the old card when a call's card has moved to another channel. */
export interface SupersededCards {
  /**
   * Stores the first old card before the new place is stored: as the stub if it is in the call's
   * thread. The other old cards are overwritten at once.
   */
  mark(call: Call, old: readonly CardPlace[], next: CardPlace): Promise<void>;
  /** Overwrites the old card in another channel, if any, with a link to `next`. */
  close(call: Call, next: CardPlace): Promise<void>;
}

/** Errors that no retry can fix. */
const PERMANENT: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable', 'rejected']);

/** Creates it; all operations are idempotent. */
export function createSupersededCards({
  store,
  chat,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>): SupersededCards {
  async function overwrite(call: Call, left: CardPlace, next: CardPlace): Promise<void> {
    try {
      await chat.closeCard(call, left, next);
    } catch (error) {
      if (!(error instanceof ChatError) || !PERMANENT.has(error.code)) throw error;
      log.warn({ err: error, call: call.id }, 'Could not update the old card of a call.');
    }
  }

  return {
    async mark(call, [first, ...more], next) {
      for (const old of more) await overwrite(call, old, next);
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
      await overwrite(call, left, next);
      await store.ledger.placeSideMessage(call.id, 'left', undefined);
    },
  };
}
