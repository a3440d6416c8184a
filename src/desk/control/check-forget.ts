import { isSamePerson, type Person } from '../../domain/people/person.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** More turns than a thread has. */
const ALL = 100_000;

/** Says to a person why a thread can't be forgotten for them now; undefined when it can. */
export async function explainForgetRefused(
  { inbox, history }: Pick<Store, 'inbox' | 'history'>,
  thread: ThreadKey,
  by: Person,
  isAdmin: () => Promise<boolean>,
): Promise<string | undefined> {
  if (await inbox.current(thread)) {
    return 'Nothing was forgotten: something goes on in that thread, and I still need what was said. Write “stop” in it first.';
  }
  const turns = await history.newest(thread, ALL, 0);
  const isTheirs = turns.some(({ messages }) =>
    messages.some((each) => each.role === 'user' && isSamePerson(each.author, by)),
  );
  if (turns.length === 0 || isTheirs || (await isAdmin())) return undefined;
  return 'Nothing was forgotten: only people who asked me something in that thread, and admins, can have it forgotten.';
}
