import type { Person } from '../../domain/people/person.ts';
import type { Rating } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';

/** A person's rating of the answer at the end of a turn. */
export interface RateCommand {
  readonly thread: ThreadKey;
  /** Id of the message that started the turn. */
  readonly turn: string;
  readonly by: Person;
  readonly value: Rating['value'];
}

/**
 * Builds the use case: stores a person's latest rating of a turn; false if the thread has no such
 * turn.
 */
export function createRate({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function rate({ thread, turn, by, value }: RateCommand): Promise<boolean> {
    const at = clock.now();
    const audit = {
      at,
      event: 'turn.rate',
      subject: turn,
      actor: actorOf(by),
      detail: { thread, value },
    };
    return await store.history.rate(thread, turn, { by, value, at }, { audit: [audit] });
  };
}
