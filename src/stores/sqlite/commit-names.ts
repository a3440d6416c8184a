/**
 * What commits write and reads answer, as names: records by their keys, partitions of the index, tasks,
 * the audit. Who reads a name waits for the promised commits that have written it. Different things with
 * the same name do no harm: somebody waits who need not.
 */
import type { Commit, Committed, Hold, RecordChange, Task } from '../records.ts';

export const AUDIT_NAME = 'audit';

export const taskName = ({ id, unit }: Pick<Task, 'unit' | 'id'>): string => `${unit} ${id}`;

/** What a commit writes. Of tasks only those that it asks for: where a power cut takes the end of one back, it is done twice, which every task may be. */
export function writtenNames(commit: Commit): readonly string[] {
  const { audit = [], records = [], tasks = [], trimAudit } = commit;
  const changesAudit = audit.length > 0 || trimAudit !== undefined;
  return [
    ...records.flatMap(namesChanged),
    ...tasks.filter((change) => 'askedFor' in change).map(taskName),
    ...(changesAudit ? [AUDIT_NAME] : []),
  ];
}

function namesChanged(change: RecordChange): readonly string[] {
  if ('expects' in change) return [];
  const added = 'isDeletion' in change ? [] : (change.add ?? []);
  return [change.key, ...[...added, ...(change.drop ?? [])].map(({ partition }) => partition)];
}

/** What the answer to a commit tells of others' commits. */
export function otherCommitNames(done: Committed): readonly string[] {
  if (done.kind === 'stale') return [];
  return done.kind === 'done' ? done.handedOut.map(taskName) : done.newer.map(({ key }) => key);
}

/** What holds tell of. */
export function handedOutNames(holds: readonly Hold[]): readonly string[] {
  return holds.flatMap(({ tasks }) => tasks.map(taskName));
}

/** The units in which a commit asks for tasks. */
export function requestedUnits({ tasks = [] }: Commit): readonly string[] {
  return [...new Set(tasks.flatMap((change) => ('askedFor' in change ? change.unit : [])))];
}
