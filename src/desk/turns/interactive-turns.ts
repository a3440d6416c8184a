import type { Wake } from '../../domain/ports/agenda.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { dueImmediately, isRecent, isRecentCall } from '../calls/freshness.ts';
import { outboxWake } from '../delivery/turn-outbox.ts';

/**
 * The turns that somebody looks at: their progress is shown, and their words go first. A turn that was
 * taken over from before a restart, or comes back from waiting for people, is not among them unless a
 * person has just touched it: a thousand of those must not flood the workspace.
 */
export interface InteractiveTurns {
  /** To be called before the turn is worked on. */
  watchTurn(message: InboxMessage): Promise<void>;
  has(message: InboxMessage): boolean;
  /** The turn has ended, or waits for people. */
  leave(message: InboxMessage): void;
  /** Marks what is said for a turn that nobody looks at. */
  mark(message: InboxMessage, says: readonly OutboxMessage[]): readonly OutboxMessage[];
  /** Sees to it that what the turn has to say is said. */
  wakeSay(message: InboxMessage): readonly Wake[];
}

/** Creates the list of one worker. */
export function createInteractiveTurns({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'ledger'>;
  readonly clock: Clock;
}): InteractiveTurns {
  const turns = new Set<string>();

  async function isTouched({ thread, id, receivedAt }: InboxMessage): Promise<boolean> {
    const now = clock.now();
    if (isRecent(receivedAt, now)) return true;
    return (await store.ledger.ofThread(thread, id)).some((call) => isRecentCall(call, now));
  }

  return {
    async watchTurn(message) {
      if (!turns.has(message.id) && (await isTouched(message))) turns.add(message.id);
    },
    has: ({ id }) => turns.has(id),
    leave: ({ id }) => void turns.delete(id),
    mark: ({ id }, says) =>
      turns.has(id) ? says : says.map((say) => ({ ...say, patient: true as const })),
    wakeSay: (message) => outboxWake(message, dueImmediately(turns.has(message.id), clock.now())),
  };
}
