import type { AgendaKey, Wake } from '../../../domain/ports/agenda.ts';
import type { Task } from '../../records.ts';
import { encodeAgendaKey, leaseUnitOf } from './agenda-key.ts';
import type { CommitDraft } from './change-records.ts';

/** The task that a key of the agenda is. */
export function agendaTaskOf(key: AgendaKey): Pick<Task, 'unit' | 'id'> {
  return { unit: leaseUnitOf(key), id: encodeAgendaKey(key) };
}

/** Asks for work in a commit; of a key that is named twice the earlier time counts. */
export function requestTask(draft: CommitDraft, wakes: readonly Wake[]): void {
  const asked = new Map<string, ReturnType<typeof agendaTaskOf> & { askedFor: number }>();
  for (const { dueAt, key } of wakes) {
    const task = agendaTaskOf(key);
    const name = `${task.unit} ${task.id}`;
    const known = asked.get(name)?.askedFor ?? dueAt;
    asked.set(name, { ...task, askedFor: Math.min(known, dueAt) });
  }
  for (const change of asked.values()) draft.task(change);
}
