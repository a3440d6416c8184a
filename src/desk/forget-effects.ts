import { sayKey } from '../domain/agenda.ts';
import type { Person } from '../domain/person.ts';
import { inWords, type Say } from '../domain/say.ts';
import { sentence } from '../domain/sentence.ts';
import type { Effects } from '../domain/store.ts';
import type { ThreadKey } from '../domain/thread-key.ts';
import { actorOf } from './effects.ts';

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
  const words = inWords(
    sentence`${{ person: by.user }} had me forget what was said in this thread until now. Slack still shows it; ${rest}`,
  );
  const say: Say = { id: `forgot:${id}`, thread, kind: 'notice', to: by, ...words, createdAt: now };
  const audit = { at: now, event: 'thread.forget', subject: thread, actor: actorOf(by) };
  return {
    audit: [{ ...audit, detail: {} }],
    says: [say],
    wakes: [{ key: sayKey(thread), dueAt: now }],
  };
}
