/** The agenda: keys with a due time. Each is a task of its thread, or of a unit of its own. */
import type { Agenda, DeadLetter, Lease } from '../../domain/ports/agenda.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { Holds } from '../holds/holds.ts';
import type { HeldTask } from '../holds/unit-hold.ts';
import { type Commit, type Records, sortTime, type TaskChange } from '../records.ts';
import { decodeAgendaKey, encodeAgendaKey, threadOfAgendaKey } from './documents/agenda-key.ts';
import { agendaTaskOf, requestTask } from './documents/agenda-task.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import { listRecords, type RecordKind } from './documents/read-records.ts';

/** Kept when the work is scheduled again; the task's state tells whether it is still parked. */
const PARKED: RecordKind<DeadLetter> = {
  name: 'parked',
  entriesOf: ({ at }) => [{ partition: 'parked', sort: sortTime(at) }],
  workspaceOf({ key }) {
    const thread = threadOfAgendaKey(key);
    return thread && placeOf(thread).team;
  },
  read: (document, id) => parseDocument<DeadLetter>(document, { kind: 'task', id }),
};

/** How a lease's task ends. */
type TaskEnd =
  | { readonly isDone: true }
  | { readonly putOffTo: number; readonly isFailure: boolean }
  | { readonly isParked: true };

/** Ends a lease with a change of its task; no-op if the lease was lost. */
async function endLease(
  { holds, records }: { readonly records: Records; readonly holds: Holds },
  { fence: token, key }: Lease,
  how: { readonly change: TaskEnd; readonly durable: Commit['durable'] },
  work: (draft: CommitDraft) => Promise<void> | void = () => {},
): Promise<void> {
  const task = agendaTaskOf(key);
  const changed: TaskChange = { ...task, ...how.change };
  const { unit } = task;
  const hold = { unit, token };
  const end = holds.end({ ...task, token }, changed);
  if (end === 'later') return;
  if (end === 'again') return await holds.flush(hold);
  const make = async (draft: CommitDraft) => {
    for (const id of end.done) draft.task({ unit, id, isDone: true });
    draft.task(changed);
    await work(draft);
  };
  const { durable } = how;
  const options = { durable, fence: hold, ...(end.releases && { releases: true as const }) };
  try {
    await changeRecords(records, make, options);
  } catch (error) {
    if (!(error instanceof StaleFenceError)) throw error;
  } finally {
    end.over();
  }
}

/** Creates the agenda of a process. It leases units and hands out their tasks as keys. */
export function createAgenda(records: Records, holds: Holds): Agenda {
  const deps = { records, holds };
  return {
    async wake(wakes) {
      await changeRecords(holds.records, async (draft) => requestTask(draft, wakes));
    },
    async claim(now, leaseMs, most) {
      const { next, tasks } = await holds.take(now, leaseMs, most);
      return { leases: tasks.map(toLease), next };
    },
    async openVisit(key, leaseMs) {
      const visit = await holds.enter(agendaTaskOf(key).unit, leaseMs);
      return (
        visit && {
          hold: { thread: visit.unit as ThreadKey, token: visit.token },
          within: (work) => holds.within(visit, work),
          leave: visit.leave,
        }
      );
    },
    within: ({ fence, key }, work) =>
      holds.within({ unit: agendaTaskOf(key).unit, token: fence }, work),
    async renew(lease, now, leaseMs) {
      const hold = { unit: agendaTaskOf(lease.key).unit, token: lease.fence };
      const until = await holds.renew(hold, now, leaseMs);
      return until === undefined ? undefined : { ...lease, expiresAt: until };
    },
    finish: (lease) => endLease(deps, lease, { change: { isDone: true }, durable: 'later' }),
    backOff(lease, putOffTo) {
      const change = { putOffTo, isFailure: true };
      return endLease(deps, lease, { change, durable: 'now' });
    },
    postpone(lease, putOffTo) {
      const change = { putOffTo, isFailure: false };
      return endLease(deps, lease, { change, durable: 'later' });
    },
    moveToDeadLetters(lease, at, reason) {
      const { key } = lease;
      const park = (draft: CommitDraft) =>
        draft.put(PARKED, encodeAgendaKey(key), { key, reason, at });
      return endLease(deps, lease, { change: { isParked: true }, durable: 'now' }, park);
    },
    async nextDueAt() {
      const { next } = await records.lease(0, 0, { most: 0 });
      const waiting = holds.waitingAt();
      return next === undefined || waiting === undefined
        ? (next ?? waiting)
        : Math.min(next, waiting);
    },
    async deadLetters() {
      const found = await listRecords(records, PARKED, 'parked');
      const states = await records.stateOf(found.map(({ key }) => agendaTaskOf(key)));
      return found.filter((_work, i) => states[i] === 'parked');
    },
    async unscheduled(keys) {
      const states = await records.stateOf(keys.map(agendaTaskOf));
      return keys.filter((_key, i) => states[i] === undefined);
    },
  };
}

function toLease({ deaths, id, token, tries, unit, until }: HeldTask): Lease {
  return { key: decodeAgendaKey(id, unit), fence: token, expiresAt: until, tries, deaths };
}
