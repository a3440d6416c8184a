import type { Wake } from '../../domain/ports/agenda.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { dueImmediately, isRecent, isRecentCall } from '../calls/freshness.ts';
import { outboxWake } from '../delivery/turn-outbox.ts';

/**
 * The turns that somebody is watching: their progress is shown and their messages go first. Turns
 * from before a restart, or that waited for people, count only if a person has just acted on them.
 */
export interface InteractiveTurns {
  /** Call this before working on the turn. */
  watchTurn(message: InboxMessage): Promise<void>;
  has(message: InboxMessage): boolean;
  /** Call this when the turn has ended or waits for people. */
  leave(message: InboxMessage): void;
  /** Marks the messages of a turn that nobody is watching as low priority. */
  mark(message: InboxMessage, messages: readonly OutboxMessage[]): readonly OutboxMessage[];
  /** Schedules the delivery of the turn's messages. */
  deliveryWakes(message: InboxMessage): readonly Wake[];
}

/** Creates the interactive turns of one worker. */
export function createInteractiveTurns({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'ledger'>;
  readonly clock: Clock;
}): InteractiveTurns {
  const turns = new Set<string>();

  async function isRecentlyUsed({ thread, id, receivedAt }: InboxMessage): Promise<boolean> {
    const now = clock.now();
    if (isRecent(receivedAt, now)) return true;
    return (await store.ledger.ofThread(thread, id)).some((call) => isRecentCall(call, now));
  }

  return {
    async watchTurn(message) {
      if (!turns.has(message.id) && (await isRecentlyUsed(message))) turns.add(message.id);
    },
    has: ({ id }) => turns.has(id),
    leave: ({ id }) => void turns.delete(id),
    mark: ({ id }, messages) =>
      turns.has(id) ? messages : messages.map((each) => ({ ...each, patient: true as const })),
    deliveryWakes: (message) =>
      outboxWake(message, dueImmediately(turns.has(message.id), clock.now())),
  };
}
