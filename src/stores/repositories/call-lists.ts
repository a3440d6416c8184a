/** Lists and counts of calls. */
import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import { CALL_STATUSES, type Call } from '../../domain/calls/call.ts';
import type { Ledger } from '../../domain/ports/store.ts';
import { type Records, sortTime } from '../records.ts';
import { listDecisions } from './decisions.ts';
import { GROUPS } from './documents/asked-groups.ts';
import { type ListPage, listRecords, readOne, rethrow } from './documents/read-records.ts';
import {
  CALL,
  callRecordName,
  ofFamily,
  ofTurn,
  placeOfCall,
  requestedPartition,
  type StoredCall,
} from './documents/stored-call.ts';

/** Creates the lists. */
export function createCallLists(records: Records, onDamaged: OnDamaged) {
  const listStored = (partition: string, page: ListPage = {}, report = onDamaged) =>
    listRecords(records, CALL, partition, page, report);

  async function list(partition: string, page?: ListPage, report?: OnDamaged) {
    return (await listStored(partition, page, report)).map(({ call }) => call);
  }

  /** A page continues after a call, even if the call has moved meanwhile. */
  async function placeIn(id: string | undefined): Promise<string | undefined> {
    const stored = id === undefined ? undefined : await readOne(records, CALL, id);
    return stored && placeOfCall(stored);
  }

  async function newestIn(partition: string, before: string | undefined, limit: number) {
    return await list(partition, { after: await placeIn(before), isBackwards: true, limit });
  }

  const countIn = async (partition: string) => (await records.count([partition]))[0] ?? 0;

  return {
    async ofThread(thread, turn, damaged) {
      const report = damaged === 'leave-out' ? onDamaged : rethrow;
      if (turn !== undefined) return await list(ofTurn(thread, turn), {}, report);
      const family = await list(ofFamily(thread), {}, report);
      return family.filter((call) => call.thread === thread);
    },
    ofRequester: (requester, tool, since) =>
      list(`call.tool|${callRecordName(requester)}|${tool}`, { after: sortTime(since) }, rethrow),
    countPending: (requester) => countIn(`call.pending-of|${callRecordName(requester)}`),
    countPendingOfKey: (key) => countIn(`call.pending-key|${key}`),
    async groupsAskedToDecide(team) {
      const { groups } = (await readOne(records, GROUPS, team)) ?? { groups: [] };
      const counts = await records.count(groups.map((group) => requestedPartition(team, group)));
      return groups.filter((_group, i) => (counts[i] ?? 0) > 0).sort();
    },
    async askingAnyOf(team, asked, { after, limit }) {
      const from = await placeIn(after);
      const all = await Promise.all(
        asked.map((who) => listStored(requestedPartition(team, who), { after: from, limit })),
      );
      return inOrder(all.flat()).slice(0, limit);
    },
    requestedBy: (requester, { before, isOver, limit }) =>
      newestIn(`call.mine|${callRecordName(requester)}|${isOver ? 'over' : 'open'}`, before, limit),
    async decidedBy(person, { before, limit, since }) {
      const ids = await listDecisions(records, person, { before, limit, since });
      const found = await Promise.all(ids.map((id) => readOne(records, CALL, id)));
      return found.flatMap((stored) => stored?.call ?? []);
    },
    newest: ({ before, key, limit }) =>
      newestIn(key === undefined ? 'call.all' : `call.key|${key}`, before, limit),
    withStatus: async (status, page) =>
      await list(`call.status|${status}`, { ...page, after: await placeIn(page?.after) }),
    async count() {
      const counts = await records.count(CALL_STATUSES.map((status) => `call.status|${status}`));
      const pairs = CALL_STATUSES.map((status, i) => [status, counts[i] ?? 0] as const);
      return Object.fromEntries(pairs.filter(([, calls]) => calls > 0));
    },
  } satisfies Partial<Ledger>;
}

/** Calls of several lists, each once, oldest first. */
function inOrder(all: readonly StoredCall[]): readonly Call[] {
  const unique = [...new Map(all.map((each) => [each.call.id, each])).values()];
  unique.sort((a, b) => (placeOfCall(a) < placeOfCall(b) ? -1 : 1));
  return unique.map(({ call }) => call);
}
