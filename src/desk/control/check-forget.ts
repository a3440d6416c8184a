import { isSamePerson, type Person } from '../../domain/people/person.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** More turns than any thread has. */
const ALL = 100_000;

/** Explains to a person why a thread can't be forgotten now; undefined if it can. */
export async function explainForgetRefused(
  { inbox, history }: Pick<Store, 'inbox' | 'history'>,
  thread: ThreadKey,
  by: Person,
  isAdmin: () => Promise<boolean>,
): Promise<string | undefined> {
  if (await inbox.current(thread)) {
    return 'Nothing was forgotten: I am still working in that thread and need its messages. Write “stop” in it first.';
  }
  const turns = await history.newest(thread, ALL, 0);
  const isTheirs = turns.some(({ messages }) =>
    messages.some((each) => each.role === 'user' && isSamePerson(each.author, by)),
  );
  if (turns.length === 0 || isTheirs || (await isAdmin())) return undefined;
  return 'Nothing was forgotten: only admins, and people who asked me something in that thread, can make me forget it.';
}
