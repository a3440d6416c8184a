import type { Wake } from '../../domain/agenda.ts';
import { encodeAgendaKey } from '../agenda-key.ts';
import type { Draft } from './change-records.ts';

/** What is done to a unit that is one key of the agenda. */
export const TASK = 'do';

/** Asks for work in a commit. */
export function askFor(draft: Draft, wakes: readonly Wake[]): void {
  for (const { dueAt, key } of wakes) {
    draft.task({ unit: encodeAgendaKey(key), id: TASK, askedFor: dueAt });
  }
}
