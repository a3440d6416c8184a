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

/** Creates the agenda of a process. It leases units and hands out their tasks as keys. */
export function createAgenda(records: Records, holds: Holds): Agenda {
  /** Ends a lease with a change of its task; no-op if the lease was lost. */
  async function endLease(
    { fence, key }: Lease,
    change: (task: ReturnType<typeof agendaTaskOf>) => TaskChange,
    durable: Commit['durable'],
    work: (draft: CommitDraft) => Promise<void> | void = () => {},
  ): Promise<void> {
    const task = agendaTaskOf(key);
    const changed = change(task);
    const { unit } = task;
    const end = holds.end({ ...task, token: fence }, changed);
    if (end === 'later') return;
    if (end === 'again') return await holds.flush({ unit, token: fence });
    const make = async (draft: CommitDraft) => {
      for (const id of end.done) draft.task({ unit, id, isDone: true });
      draft.task(changed);
      await work(draft);
    };
    const hold = { unit, token: fence };
    const options = { durable, fence: hold, ...(end.releases && { releases: true as const }) };
    try {
      await changeRecords(records, make, options);
    } catch (error) {
      if (!(error instanceof StaleFenceError)) throw error;
    } finally {
      end.over();
    }
  }

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
    async finish(lease) {
      await endLease(lease, (task) => ({ ...task, isDone: true }), 'later');
    },
    async backOff(lease, dueAt) {
      await endLease(lease, (task) => ({ ...task, putOffTo: dueAt, isFailure: true }), 'now');
    },
    async postpone(lease, dueAt) {
      await endLease(lease, (task) => ({ ...task, putOffTo: dueAt, isFailure: false }), 'later');
    },
    async moveToDeadLetters(lease, now, reason) {
      const { key } = lease;
      const parked = { key, reason, at: now };
      await endLease(
        lease,
        (task) => ({ ...task, isParked: true }),
        'now',
        (draft) => draft.put(PARKED, encodeAgendaKey(key), parked),
      );
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
