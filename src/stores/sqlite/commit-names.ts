/**
 * Names of what commits write and results contain: record keys, index partitions, tasks, the audit.
 * A reader of a name waits until the `now` commits that wrote it are durable. If different things
 * share a name, the only effect is a needless wait.
 */
import { type Commit, type Committed, changedNames, type Hold, type Task } from '../records.ts';

export const AUDIT_NAME = 'audit';

export const taskName = ({ id, unit }: Pick<Task, 'unit' | 'id'>): string => `${unit} ${id}`;

/** Names that a commit writes. Finished tasks are left out: if a power cut undoes an end, the task runs twice, which is allowed. */
export function writtenNames(commit: Commit): readonly string[] {
  const { audit = [], records = [], tasks = [], trimAudit } = commit;
  const changesAudit = audit.length > 0 || trimAudit !== undefined;
  return [
    ...changedNames(records),
    ...tasks.filter((change) => 'askedFor' in change).map(taskName),
    ...(changesAudit ? [AUDIT_NAME] : []),
  ];
}

/** Names in a commit's result that come from other commits. */
export function otherCommitNames(done: Committed): readonly string[] {
  if (done.kind === 'stale') return [];
  return done.kind === 'done' ? done.handedOut.map(taskName) : done.newer.map(({ key }) => key);
}

/** Names of the tasks in holds. */
export function handedOutNames(holds: readonly Hold[]): readonly string[] {
  return holds.flatMap(({ tasks }) => tasks.map(taskName));
}

/** Units in which a commit schedules tasks. */
export function requestedUnits({ tasks = [] }: Commit): readonly string[] {
  return [...new Set(tasks.flatMap((change) => ('askedFor' in change ? change.unit : [])))];
}
