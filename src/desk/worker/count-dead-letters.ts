import type { AgendaTask, DeadLetter } from '../../domain/ports/agenda.ts';

/** Counts dead letters by task, with the time of the oldest of each. */
export function countDeadLetters(
  parked: readonly DeadLetter[],
): readonly { readonly task: AgendaTask; readonly count: number; readonly since: string }[] {
  const kinds = [...new Set(parked.map(({ key }) => key.task))];
  return kinds.map((task) => {
    const times = parked.filter(({ key }) => key.task === task).map(({ at }) => at);
    // Not spread into Math.min: there may be too many for function arguments.
    const oldest = times.reduce((a, b) => Math.min(a, b));
    return { task, count: times.length, since: new Date(oldest).toISOString() };
  });
}
