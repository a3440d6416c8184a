import type { Person } from '../../domain/people/person.ts';
import { deliverOutboxKey } from '../../domain/ports/agenda.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { actorOf } from '../calls/call-effects.ts';

/** What goes with the forgetting of a thread: the audit, and a sentence in it; `id` tells one forgetting from another, `graph` names the agent that keeps a memory of its own. */
export function forgetEffects(
  thread: ThreadKey,
  by: Person,
  id: string,
  now: number,
  graph?: string,
): Effects {
  const rest =
    graph === undefined
      ? 'I don’t remember it.'
      : `I don’t keep it any more, but “${graph}”, the agent here, has a memory of its own, which only those who run it can clear.`;
  const words = toOutboxWords(
    sentence`${{ person: by.user }} had me forget what was said in this thread until now. Slack still shows it; ${rest}`,
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
    says: [outboxMessage],
    wakes: [{ key: deliverOutboxKey(thread), dueAt: now }],
  };
}
