import type { Database } from 'better-sqlite3';
import type { Task } from '../records.ts';

type DueTask = Omit<Task, 'unit'>;

export type TaskStatements = ReturnType<typeof prepareTasks>;

/** Schedules a known task: an earlier time wins, and a parked one starts afresh. */
const RESCHEDULE = `ON CONFLICT (unit, id) DO UPDATE SET
        again = iif(taken, min(coalesce(again, @at), @at), again),
        tries = iif(taken OR due IS NOT NULL, tries, 0),
        deaths = iif(taken OR due IS NOT NULL, deaths, 0),
        due = iif(taken, due, min(coalesce(due, @at), @at))`;

/** Prepares the statements for tasks. */
export function prepareTasks(db: Database) {
  return {
    schedule: db.prepare<{ unit: string; id: string; at: number }>(`
      INSERT INTO tasks (unit, id, due) VALUES (@unit, @id, @at) ${RESCHEDULE}`),
    // `again` is set only if the task was already handed out.
    scheduleHeld: db.prepare<
      { unit: string; id: string; at: number; now: number },
      DueTask & { handed: number }
    >(`
      INSERT INTO tasks (unit, id, due, taken) VALUES (@unit, @id, @at, @at <= @now)
      ${RESCHEDULE},
        taken = taken OR min(coalesce(due, @at), @at) <= @now
      RETURNING due, tries, deaths, taken = 1 AND again IS NULL AS handed`),
    drop: db.prepare<{ unit: string; id: string }>(
      'DELETE FROM tasks WHERE unit = @unit AND id = @id AND taken = 1 AND again IS NULL',
    ),
    cancel: db.prepare<{ unit: string; id: string }>(
      'DELETE FROM tasks WHERE unit = @unit AND id = @id AND taken = 0',
    ),
    nextOf: db
      .prepare<[unit: string], number | null>(
        'SELECT min(due) FROM tasks WHERE unit = ? AND taken = 0',
      )
      .pluck(),
    startAfresh: db.prepare<{ unit: string; id: string }>(`
      UPDATE tasks SET due = again, again = NULL, taken = 0, tries = 0, deaths = 0
      WHERE unit = @unit AND id = @id AND again IS NOT NULL`),
    startHeld: db
      .prepare<{ unit: string; id: string; now: number }, number>(`
        UPDATE tasks SET due = again, again = NULL, taken = again <= @now, tries = 0, deaths = 0
        WHERE unit = @unit AND id = @id AND again IS NOT NULL RETURNING due`)
      .pluck(),
    postpone: db.prepare<{ unit: string; id: string; at: number; failures: number }>(`
      UPDATE tasks SET due = min(coalesce(again, @at), @at), again = NULL, taken = 0,
        tries = tries + @failures, deaths = 0
      WHERE unit = @unit AND id = @id`),
    park: db.prepare<{ unit: string; id: string }>(`
      UPDATE tasks SET due = NULL, taken = 0, tries = tries + 1, deaths = 0
      WHERE unit = @unit AND id = @id AND again IS NULL`),
    dueUnits: db.prepare<[now: number, limit: number], { unit: string; due: number }>(`
      SELECT unit, due FROM tasks WHERE taken = 0 AND due <= ? ORDER BY due, unit LIMIT ?`),
    planned: db.prepare<[], { unit: string; due: number }>(`
      SELECT unit, due FROM tasks WHERE taken = 0 AND due IS NOT NULL ORDER BY due, unit`),
    due: db.prepare<[unit: string, now: number, limit: number], DueTask>(`
      SELECT id, due, tries, deaths FROM tasks
      WHERE unit = ? AND taken = 0 AND due <= ? ORDER BY due, id LIMIT ?`),
    take: db.prepare<[unit: string, id: string]>(
      'UPDATE tasks SET taken = 1 WHERE unit = ? AND id = ?',
    ),
    holderDied: db.prepare<{ unit: string; now: number }>(`
      UPDATE tasks SET taken = 0, tries = tries + 1, deaths = deaths + 1,
        again = iif(again <= @now, NULL, again)
      WHERE unit = @unit AND taken = 1`),
    dueNow: db.prepare<[now: number]>('UPDATE tasks SET due = ? WHERE taken = 1'),
    release: db.prepare<[unit: string]>(`
      UPDATE tasks SET taken = 0, again = iif(again <= due, NULL, again)
      WHERE unit = ? AND taken = 1`),
    taken: db.prepare<[], string>('SELECT DISTINCT unit FROM tasks WHERE taken = 1').pluck(),
    untried: db.prepare<[now: number], { unit: string; id: string }>(
      'SELECT unit, id FROM tasks WHERE taken = 0 AND due <= ? AND tries = 0',
    ),
    tryOnce: db.prepare<{ unit: string; id: string }>(
      'UPDATE tasks SET tries = 1 WHERE unit = @unit AND id = @id',
    ),
    start: db.prepare<[], number>('UPDATE starts SET number = number + 1 RETURNING number').pluck(),
    state: db.prepare<[unit: string, id: string], { due: number | null; taken: number }>(
      'SELECT due, taken FROM tasks WHERE unit = ? AND id = ?',
    ),
  };
}
