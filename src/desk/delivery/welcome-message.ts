import type { Person } from '../../domain/people/person.ts';
import { deliverOutboxKey } from '../../domain/ports/agenda.ts';
import { channelKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** A person who has opened the app, and the welcome text in Slack's markup. */
export interface WelcomedPerson {
  readonly person: Person;
  /** Their direct message channel with the app. */
  readonly channel: string;
  readonly text: string;
}

/** Builds the use case: welcomes each person once, across restarts and replicas. */
export function createWelcomeMessage({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function welcome({ person, channel, text }: WelcomedPerson): Promise<void> {
    const { team, user } = person;
    const thread = channelKey({ team, channel });
    const createdAt = clock.now();
    const outboxMessage = {
      id: `welcome:${team}/${user}`,
      thread,
      kind: 'notice' as const,
      text,
      createdAt,
    };
    await store.outbox.add([outboxMessage], [{ key: deliverOutboxKey(thread), dueAt: createdAt }]);
  };
}
