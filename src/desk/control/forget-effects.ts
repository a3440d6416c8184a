import type { Person } from '../../domain/people/person.ts';
import { deliverOutboxKey } from '../../domain/ports/agenda.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { actorOf } from '../calls/call-effects.ts';

/**
 * The effects of forgetting a thread: an audit entry and a notice. `id` makes the notice unique.
 * `graph` names an agent with its own memory.
 */
export function forgetEffects(
  thread: ThreadKey,
  by: Person,
  id: string,
  now: number,
  graph?: string,
): Effects {
  const rest =
    graph === undefined
      ? 'I no longer remember it.'
      : `I no longer keep it, but “${graph}”, the agent here, has its own memory, which only its operators can clear.`;
  const words = toOutboxWords(
    sentence`${{ person: by.user }} made me forget this thread up to here. Slack still shows it. ${rest}`,
  );
  const outboxMessage: OutboxMessage = {
    id: `forgot:${id}`,
    thread,
    kind: 'notice',
    to: by,
    ...words,
    createdAt: now,
  };
  const audit = { at: now, event: 'thread.forget', subject: thread, actor: actorOf(by) };
  return {
    audit: [{ ...audit, detail: {} }],
    outboxMessages: [outboxMessage],
    wakes: [{ key: deliverOutboxKey(thread), dueAt: now }],
  };
}
