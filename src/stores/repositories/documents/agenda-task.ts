import type { AgendaKey, Wake } from '../../../domain/ports/agenda.ts';
import type { Task } from '../../records.ts';
import { encodeAgendaKey, leaseUnitOf } from './agenda-key.ts';
import type { CommitDraft } from './change-records.ts';

/** The task of an agenda key. */
export function agendaTaskOf(key: AgendaKey): Pick<Task, 'unit' | 'id'> {
  return { unit: leaseUnitOf(key), id: encodeAgendaKey(key) };
}

/** Schedules work in a commit; if a key occurs twice, the earlier time wins. */
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
