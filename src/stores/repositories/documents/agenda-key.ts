import type { AgendaKey, AgendaTask } from '../../../domain/ports/agenda.ts';
import { isChannelItself, placeOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import type { Task } from '../../records.ts';

/** Encodes a key as one text. Ids may contain any character; tasks contain no colon. */
export function encodeAgendaKey(key: AgendaKey): string {
  return `${key.task}:${key.id}`;
}

/**
 * Decodes a key that `encodeAgendaKey` wrote, found in a unit. The task may be unknown here if another
 * version wrote it; its handler must check. Throwing would block all keys behind it.
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

/** The thread that a key belongs to, if any. */
export function threadOfAgendaKey({ id, task, thread }: AgendaKey): ThreadKey | undefined {
  return OF_THREADS.has(task) ? (id as ThreadKey) : thread;
}

/** The unit that a key is worked on in: its thread, a call outside of threads, or the key alone. */
export function leaseUnitOf(key: AgendaKey): string {
  if (OF_THREADS.has(key.task)) return key.id;
  if (key.thread === undefined) return encodeAgendaKey(key);
  return isChannelItself(placeOf(key.thread)) ? `${key.thread}/${key.id}` : key.thread;
}

const POSTS: ReadonlySet<AgendaTask> = new Set(['say', 'redraw', 'stub', 'bulletin']);

/** Whether the work may already be done although nothing recorded it: posts are not confirmed durably, so a restart looks in Slack first. */
export function mayHaveBeenDone({ id, unit }: Pick<Task, 'unit' | 'id'>): boolean {
  return POSTS.has(decodeAgendaKey(id, unit).task);
}
