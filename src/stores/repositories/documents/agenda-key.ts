import type { AgendaKey, AgendaTask } from '../../../domain/ports/agenda.ts';
import { isChannelItself, placeOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';

/** Writes a key as one text; ids may hold any character, tasks hold no colon. */
export function encodeAgendaKey(key: AgendaKey): string {
  return `${key.task}:${key.id}`;
}

/**
 * Reads what `encodeAgendaKey` wrote, found in a unit. The task is what stands there, be it one that
 * another version has written: who gets it must see, for a key that can't be read would hold up all
 * behind it.
 */
export function decodeAgendaKey(text: string, unit: string): AgendaKey {
  const colon = text.indexOf(':');
  const task = text.slice(0, Math.max(colon, 0)) as AgendaTask;
  const id = text.slice(colon + 1);
  if (unit === text || unit === id) return { task, id };
  const thread = unit.endsWith(`/${id}`) ? unit.slice(0, -id.length - 1) : unit;
  return { task, id, thread: thread as ThreadKey };
}

const OF_THREADS: ReadonlySet<AgendaTask> = new Set(['pump', 'say', 'heed']);

/** The thread that a key belongs to, if it belongs to one. */
export function threadOfAgendaKey({ id, task, thread }: AgendaKey): ThreadKey | undefined {
  return OF_THREADS.has(task) ? (id as ThreadKey) : thread;
}

/** The unit in which a key is worked on: a thread, with all that there is to do in it; a call outside of threads; or the key alone. */
export function leaseUnitOf(key: AgendaKey): string {
  if (OF_THREADS.has(key.task)) return key.id;
  if (key.thread === undefined) return encodeAgendaKey(key);
  return isChannelItself(placeOf(key.thread)) ? `${key.thread}/${key.id}` : key.thread;
}

const POSTS: ReadonlySet<AgendaTask> = new Set(['say', 'redraw', 'stub', 'bulletin']);

/** Whether work may have been done though nothing says so: that a post stands is not waited for, so whoever begins it anew looks in Slack first. */
export function mayHaveBeenDone({
  id,
  unit,
}: {
  readonly unit: string;
  readonly id: string;
}): boolean {
  return POSTS.has(decodeAgendaKey(id, unit).task);
}
