import type { Database } from 'better-sqlite3';
import type {
  Commit,
  Fence,
  Hold,
  Leased,
  Records,
  Task,
  TaskChange,
  TaskState,
} from '../records.ts';
import { prepareTasks, type TaskStatements } from './task-statements.ts';

/** Tasks of one file. Leases are in memory; which tasks are handed out is in the file, for the next start. */
export interface SqliteTasks {
  isHeld(fence: Fence): boolean;
  /** Runs inside a commit's transaction, which may still fail; returns the tasks it hands out. */
  change(commit: Pick<Commit, 'tasks' | 'fences' | 'releases' | 'held'>): readonly Task[];
  /** Call after a commit that released units. */
  released(fences: readonly Fence[]): void;
  lease(...args: Parameters<Records['lease']>): Leased;
  renew(...args: Parameters<Records['renew']>): readonly Hold[];
  release(hold: Fence): void;
  stateOf(tasks: readonly Pick<Task, 'unit' | 'id'>[]): readonly (TaskState | undefined)[];
}

/** Whether a task that is due at the start may have been done without a record of it. */
export type MayBeDone = (task: Pick<Task, 'unit' | 'id'>) => boolean;

/** Tokens reserved per start, so that no later process reuses one. */
const TOKENS_PER_START = 1_000_000;
/** Most tasks handed out to one hold at a time. */
const MAX_TASKS = 100;

/** The leases of this process, by unit. */
type Leases = Map<string, { readonly token: number; until: number }>;

type Asked = Extract<TaskChange, { askedFor: number }>;

/** Creates the tasks; `start` is absent on a connection that leases nothing. */
export function createSqliteTasks(
  db: Database,
  start?: { readonly now: number; readonly mayBeDone?: MayBeDone | undefined },
): SqliteTasks {
  const statements = prepareTasks(db);
  const leases: Leases = new Map();
  let token = start ? TOKENS_PER_START * begin(db, statements, start) : 0;

  const takeOver = db.transaction((units: readonly string[], now: number) =>
    units.map((unit) => {
      if (leases.has(unit)) statements.holderDied.run({ unit, now });
      return { unit, ...handOut(statements, unit, now) };
    }),
  );

  /** Memory is updated after the transaction, so that a failed one leases nothing. */
  function lease(units: readonly string[], now: number, until: number): readonly Hold[] {
    // The usual case, which needs no transaction.
    if (units.length === 0) return [];
    return takeOver.immediate(units, now).map((each) => {
      token += 1;
      leases.set(each.unit, { token, until });
      return { ...each, token, until };
    });
  }

  function leaseDue(now: number, leaseMs: number, most: number): readonly Hold[] {
    const holds = lease(leasable(statements, leases, now, most), now, now + leaseMs);
    // An expired lease without tasks leaves nothing to do.
    for (const { tasks, unit } of holds) if (tasks.length === 0) leases.delete(unit);
    return holds.filter(({ tasks }) => tasks.length > 0);
  }

  const renew = db.transaction((holds: readonly Fence[], now: number, leaseMs: number) =>
    holds.flatMap((hold): Hold[] => {
      const found = leases.get(hold.unit);
      if (found?.token !== hold.token) return [];
      found.until = now + leaseMs;
      const { token: own, unit } = hold;
      return [{ unit, token: own, until: found.until, ...handOut(statements, unit, now) }];
    }),
  );

  const isHeld = ({ unit, token: borne }: Fence) => leases.get(unit)?.token === borne;

  return {
    isHeld,
    change({ fences = [], held, releases, tasks = [] }) {
      const { now, units } = held ?? { now: 0, units: [] };
      const own = units.filter(isHeld);
      const again = own.flatMap(({ done, unit }) =>
        done.flatMap((id) => finish(statements, { unit, id }, now)),
      );
      const names = new Set(own.map(({ unit }) => unit));
      const asked = tasks.flatMap((change) => {
        if (!('askedFor' in change) || !names.has(change.unit))
          return changeTask(statements, change);
        return scheduleHeld(statements, change, now);
      });
      if (releases) for (const { unit } of fences) statements.release.run(unit);
      return [...again, ...asked];
    },
    released(fences) {
      for (const { unit } of fences) leases.delete(unit);
    },
    lease(now, leaseMs, want) {
      const holds =
        'unit' in want
          ? lease(
              [want.unit].filter((unit) => isFree(leases, unit, now)),
              now,
              now + leaseMs,
            )
          : leaseDue(now, leaseMs, want.most);
      const next = nextAt(statements, leases);
      return { holds, ...(next !== undefined && { next }) };
    },
    renew: (holds, now, leaseMs) => renew.immediate(holds, now, leaseMs),
    release(hold) {
      if (!isHeld(hold)) return;
      statements.release.run(hold.unit);
      leases.delete(hold.unit);
    },
    stateOf: (tasks) => tasks.map((task) => readState(statements, task)),
  };
}

const isFree = (leases: Leases, unit: string, now: number): boolean =>
  (leases.get(unit)?.until ?? now) <= now;

/** Free units with due tasks and since when, oldest first; at least `most` if there are that many. */
function findFreeDue(
  statements: TaskStatements,
  leases: Leases,
  now: number,
  most: number,
): ReadonlyMap<string, number> {
  for (let limit = most + leases.size; ; limit *= 4) {
    const rows = statements.dueUnits.all(now, limit);
    const free = rows.filter(({ unit }) => isFree(leases, unit, now));
    // After the reversal, a unit's oldest row wins.
    const found = new Map(free.reverse().map(({ due, unit }) => [unit, due]));
    if (rows.length < limit || found.size >= most) return found;
  }
}

/** Units that can be leased: those with due tasks and those with an expired lease, oldest first. */
function leasable(
  statements: TaskStatements,
  leases: Leases,
  now: number,
  most: number,
): readonly string[] {
  const since = new Map(findFreeDue(statements, leases, now, most));
  for (const [unit, { until }] of leases) if (until <= now) since.set(unit, until);
  const units = [...since].sort(([a, atA], [b, atB]) => atA - atB || (a < b ? -1 : 1));
  return units.map(([unit]) => unit).slice(0, most);
}

/** Hands out the due tasks of a unit. */
function handOut(
  statements: TaskStatements,
  unit: string,
  now: number,
): Pick<Hold, 'tasks' | 'next'> {
  const tasks = statements.due.all(unit, now, MAX_TASKS);
  for (const { id } of tasks) statements.take.run(unit, id);
  const next = statements.nextOf.get(unit);
  return {
    tasks: tasks.map((task) => ({ unit, ...task })),
    ...(typeof next === 'number' && { next }),
  };
}

/** When the next task of a free unit is due, or a lease ends. */
function nextAt(statements: TaskStatements, leases: Leases): number | undefined {
  const times = [...leases.values()].map(({ until }) => until);
  for (const { due, unit } of statements.planned.iterate()) {
    if (leases.has(unit)) continue;
    times.push(due);
    break;
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Schedules a task in a held unit; returns it if it is handed out at once. */
function scheduleHeld(
  statements: TaskStatements,
  { askedFor: at, id, unit }: Asked,
  now: number,
): readonly Task[] {
  const task = statements.scheduleHeld.get({ unit, id, at, now });
  if (!task || task.handed === 0) return [];
  return [{ unit, id, due: task.due, tries: task.tries, deaths: task.deaths }];
}

/** Finishes a handed-out task; returns it if it is handed out again. */
function finish(
  statements: TaskStatements,
  { id, unit }: Pick<Task, 'unit' | 'id'>,
  now: number,
): readonly Task[] {
  if (statements.drop.run({ unit, id }).changes > 0) return [];
  const due = statements.startHeld.get({ unit, id, now });
  return typeof due === 'number' && due <= now ? [{ unit, id, due, tries: 0, deaths: 0 }] : [];
}

function readState(
  statements: TaskStatements,
  { id, unit }: Pick<Task, 'unit' | 'id'>,
): TaskState | undefined {
  const row = statements.state.get(unit, id);
  if (!row) return undefined;
  if (row.taken === 1) return 'handed-out';
  return row.due === null ? 'parked' : 'due';
}

function changeTask(statements: TaskStatements, change: TaskChange): readonly [] {
  const { id, unit } = change;
  if ('askedFor' in change) {
    statements.schedule.run({ unit, id, at: change.askedFor });
  } else if ('isCalledOff' in change) {
    statements.cancel.run({ unit, id });
  } else if ('putOffTo' in change) {
    const failures = Number(change.isFailure);
    statements.postpone.run({ unit, id, at: change.putOffTo, failures });
  } else {
    const { changes } = ('isDone' in change ? statements.drop : statements.park).run({ unit, id });
    if (changes === 0) statements.startAfresh.run({ unit, id });
  }
  return [];
}

/** Makes an earlier process's unfinished tasks due again, and numbers this start. */
function begin(
  db: Database,
  statements: TaskStatements,
  { mayBeDone, now }: { readonly now: number; readonly mayBeDone?: MayBeDone | undefined },
): number {
  const run = db.transaction(() => {
    // As if their leases had just expired: tasks that waited meanwhile go first.
    statements.dueNow.run(now);
    for (const unit of statements.taken.all()) statements.holderDied.run({ unit, now });
    const suspects = mayBeDone ? statements.untried.all(now).filter(mayBeDone) : [];
    for (const suspect of suspects) statements.tryOnce.run(suspect);
    const number = statements.start.get();
    if (number === undefined) throw new Error('The database has lost the number of its starts.');
    return number;
  });
  return run.immediate();
}
