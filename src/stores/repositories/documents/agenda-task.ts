import type { AgendaKey, Wake } from '../../../domain/ports/agenda.ts';
import type { Task } from '../../records.ts';
import { encodeAgendaKey, unitOf } from './agenda-key.ts';
import type { Draft } from './change-records.ts';

/** The task that a key of the agenda is. */
export function taskOf(key: AgendaKey): Pick<Task, 'unit' | 'id'> {
  return { unit: unitOf(key), id: encodeAgendaKey(key) };
}

/** Asks for work in a commit; of a key that is named twice the earlier time counts. */
export function askFor(draft: Draft, wakes: readonly Wake[]): void {
  const asked = new Map<string, ReturnType<typeof taskOf> & { askedFor: number }>();
  for (const { dueAt, key } of wakes) {
    const task = taskOf(key);
    const name = `${task.unit} ${task.id}`;
    const known = asked.get(name)?.askedFor ?? dueAt;
    asked.set(name, { ...task, askedFor: Math.min(known, dueAt) });
  }
  for (const change of asked.values()) draft.task(change);
}
