/** Keys with a due time: tasks of the thread in which they are worked on, or of a unit of their own. */
import type { Agenda, Lease, ParkedWork } from '../../domain/ports/agenda.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { HeldTask } from '../holds/held-units.ts';
import type { Holds } from '../holds/holds.ts';
import { type Commit, type Records, sortTime, type TaskChange } from '../records.ts';
import { decodeAgendaKey, encodeAgendaKey, threadOf } from './documents/agenda-key.ts';
import { askFor, taskOf } from './documents/agenda-task.ts';
import { changeRecords, type Draft } from './documents/change-records.ts';
import { readDocument } from './documents/read-record.ts';
import { listRecords, type RecordKind } from './documents/read-records.ts';

/** It stays when the work is asked for again; whether that still rests, the task tells. */
const PARKED: RecordKind<ParkedWork> = {
  name: 'parked',
  entriesOf: ({ at }) => [{ partition: 'parked', sort: sortTime(at) }],
  workspaceOf({ key }) {
    const thread = threadOf(key);
    return thread && placeOf(thread).team;
  },
  read: (document, id) => readDocument<ParkedWork>(document, { kind: 'turn', id }),
};

/** Creates the agenda of a process: it leases units, and hands out their tasks as keys. */
export function createAgenda(records: Records, holds: Holds): Agenda {
  /** Ends a lease with what is said of its task; nothing happens when it was lost. */
  async function endLease(
    { fence, key }: Lease,
    change: (task: ReturnType<typeof taskOf>) => TaskChange,
    durable: Commit['durable'],
    work: (draft: Draft) => Promise<void> | void = () => {},
  ): Promise<void> {
    const task = taskOf(key);
    const changed = change(task);
    const { unit } = task;
    const end = holds.end({ ...task, token: fence }, changed);
    if (end === 'later') return;
    if (end === 'again') return await holds.flush({ unit, token: fence });
    const make = async (draft: Draft) => {
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
      await changeRecords(holds.records, async (draft) => askFor(draft, wakes));
    },
    async claim(now, leaseMs, most) {
      const { next, tasks } = await holds.take(now, leaseMs, most);
      return { leases: tasks.map(toLease), next };
    },
    async enter(key, leaseMs) {
      const visit = await holds.enter(taskOf(key).unit, leaseMs);
      return (
        visit && {
          hold: { thread: visit.unit as ThreadKey, token: visit.token },
          within: (work) => holds.within(visit, work),
          leave: visit.leave,
        }
      );
    },
    within: ({ fence, key }, work) => holds.within({ unit: taskOf(key).unit, token: fence }, work),
    async renew(lease, now, leaseMs) {
      const hold = { unit: taskOf(lease.key).unit, token: lease.fence };
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
    async park(lease, now, reason) {
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
    async parked() {
      const found = await listRecords(records, PARKED, 'parked');
      const states = await records.stateOf(found.map(({ key }) => taskOf(key)));
      return found.filter((_work, i) => states[i] === 'parked');
    },
    async unplanned(keys) {
      const states = await records.stateOf(keys.map(taskOf));
      return keys.filter((_key, i) => states[i] === undefined);
    },
  };
}

function toLease({ deaths, id, token, tries, unit, until }: HeldTask): Lease {
  return { key: decodeAgendaKey(id, unit), fence: token, expiresAt: until, tries, deaths };
}
