/** Keys with a due time: each is a unit of its own, with one task. */
import type { Agenda, AgendaKey, Lease, ParkedWork } from '../../domain/agenda.ts';
import { StaleFenceError } from '../../domain/store.ts';
import { decodeAgendaKey, encodeAgendaKey } from '../agenda-key.ts';
import { readDocument } from '../read-record.ts';
import { type Commit, type Records, sortTime } from '../records/records.ts';
import { askFor, TASK } from './agenda-task.ts';
import { changeRecords, type Draft } from './change-records.ts';
import { listRecords, type RecordKind } from './read-records.ts';

/** It stays when the work is asked for again; whether that still rests, the task tells. */
const PARKED: RecordKind<ParkedWork> = {
  name: 'parked',
  entriesOf: ({ at }) => [{ partition: 'parked', sort: sortTime(at) }],
  read: (document, id) => readDocument<ParkedWork>(document, { kind: 'turn', id }),
};

/** Why work was put off last, or given up; for whoever looks into the store. */
export function createAgenda(records: Records): Agenda {
  const taskOf = (key: AgendaKey) => ({ unit: encodeAgendaKey(key), id: TASK });

  /** Ends a lease with what is said of its task; nothing happens when it was lost. */
  async function endLease(
    { fence, key }: Lease,
    durable: Commit['durable'],
    work: (draft: Draft) => Promise<void> | void,
  ): Promise<void> {
    const hold = { unit: encodeAgendaKey(key), token: fence };
    try {
      await changeRecords(records, async (draft) => work(draft), {
        durable,
        fence: hold,
        releases: true,
      });
    } catch (error) {
      if (!(error instanceof StaleFenceError)) throw error;
    }
  }

  return {
    async wake(wakes) {
      await changeRecords(records, async (draft) => askFor(draft, wakes));
    },
    async claim(now, leaseMs, most) {
      const { holds, next } = await records.lease(now, leaseMs, { most });
      const leases = holds.flatMap(({ tasks, token, unit, until }) =>
        tasks.map(({ deaths, tries }): Lease => {
          return { key: decodeAgendaKey(unit), fence: token, expiresAt: until, tries, deaths };
        }),
      );
      return { leases, next };
    },
    async renew(lease, now, leaseMs) {
      const hold = { unit: encodeAgendaKey(lease.key), token: lease.fence };
      const [held] = await records.renew([hold], now, leaseMs);
      return held && { ...lease, expiresAt: held.until };
    },
    async finish(lease) {
      await endLease(lease, 'later', (draft) => draft.task({ ...taskOf(lease.key), isDone: true }));
    },
    async backOff(lease, dueAt) {
      await endLease(lease, 'now', (draft) =>
        draft.task({ ...taskOf(lease.key), putOffTo: dueAt, isFailure: true }),
      );
    },
    async postpone(lease, dueAt) {
      await endLease(lease, 'later', (draft) =>
        draft.task({ ...taskOf(lease.key), putOffTo: dueAt, isFailure: false }),
      );
    },
    async park(lease, now, reason) {
      await endLease(lease, 'now', async (draft) => {
        const { key } = lease;
        draft.task({ ...taskOf(key), isParked: true });
        await draft.put(PARKED, encodeAgendaKey(key), { key, reason, at: now });
      });
    },
    async nextDueAt() {
      return (await records.lease(0, 0, { most: 0 })).next;
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
