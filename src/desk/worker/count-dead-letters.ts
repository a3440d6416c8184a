import type { DeadLetter } from '../../domain/ports/agenda.ts';

/** Counts what was given up by its kind, with the time since when the oldest of each stands still. */
export function countDeadLetters(
  parked: readonly DeadLetter[],
): readonly { readonly task: string; readonly count: number; readonly since: string }[] {
  const kinds = [...new Set(parked.map(({ key }) => key.task))];
  return kinds.map((task) => {
    const times = parked.filter(({ key }) => key.task === task).map(({ at }) => at);
    // Not spread: there may be more than a call takes arguments.
    const oldest = times.reduce((a, b) => Math.min(a, b));
    return { task, count: times.length, since: new Date(oldest).toISOString() };
  });
}
