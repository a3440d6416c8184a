/** The calls: the only truth about them, and the only lock on running one. */
import { type Asked, askedOf } from '../../domain/asked-of.ts';
import {
  CALL_STATUSES,
  type Call,
  type CardPlace,
  isTerminal,
  type SidePost,
} from '../../domain/call.ts';
import { DamagedRecordError, type OnDamaged } from '../../domain/damage.ts';
import type { Person } from '../../domain/person.ts';
import type { Group } from '../../domain/route.ts';
import type { Ledger } from '../../domain/store.ts';
import { isChannelItself, placeOf, rootOf, type ThreadKey } from '../../domain/thread-key.ts';
import { isEdge } from '../../domain/transitions.ts';
import { assertOwnThread } from '../assert-own-thread.ts';
import { lastStep } from '../last-step.ts';
import { readDocument, readRecord } from '../read-record.ts';
import { type IndexEntry, type Records, sortTime } from '../records/records.ts';
import {
  changeRecords,
  type Draft,
  fenceOf,
  keyOf,
  type ListPage,
  listRecords,
  type RecordKind,
  readOne,
} from './change-records.ts';
import { listDecided, noteDecided } from './decided.ts';
import { carryOut } from './effects.ts';
import { nextOrder } from './order.ts';
import { REPORT } from './stored-report.ts';
import { touchThread } from './threads.ts';

/** A call with its place among those of the same millisecond. */
export interface StoredCall {
  readonly call: Call;
  readonly order: string;
}

/** What is stored with a call. */
interface Wrapping {
  readonly order: string;
  /** How far the revision of its record is ahead of its own: it is marked as delivered apart from its steps. */
  readonly ahead: number;
}

export const CALL: RecordKind<StoredCall> = {
  name: 'call',
  entriesOf({ call, order }) {
    const sort = sortCall({ call, order });
    return partitionsOf(call).map((partition): IndexEntry => ({ partition, sort }));
  },
  read(document, id, { revision }) {
    const record = { kind: 'call', id } as const;
    const {
      ahead = 0,
      order = '',
      ...call
    }: Call & Partial<Wrapping> = readRecord('call', document, record);
    // An earlier state that was put back has a right seal.
    if (call.revision + ahead !== revision) {
      throw new DamagedRecordError('its document is of another revision', { record });
    }
    return { call, order };
  },
  write: ({ call, order }, revision) =>
    JSON.stringify({ ...call, order, ahead: revision - call.revision } satisfies Call & Wrapping),
};

/** In the order of their creation, and of their places in a message. */
function sortCall({ call: { createdAt, position }, order }: StoredCall): string {
  return `${sortTime(createdAt)}.${String(position).padStart(3, '0')}.${order}`;
}

function partitionsOf(call: Call): readonly string[] {
  const { outside, requester, status, thread, tool } = call;
  const [by, key] = [nameOf(requester), outside?.key];
  const isOver = isTerminal(call);
  const isPending = status === 'pending';
  return [
    'call.all',
    `call.status|${status}`,
    `call.thread|${thread}`,
    `call.family|${rootOf(thread)}`,
    `call.mine|${by}|${isOver ? 'over' : 'open'}`,
    `call.tool|${by}|${tool}`,
    refOf(call),
    ...(key === undefined ? [] : [`call.key|${key}`]),
    ...(isOver ? [] : [openCallsOf(thread)]),
    ...(isOver && isChannelItself(placeOf(thread)) ? [OVER_IN_CHANNELS] : []),
    ...(isPending ? [`call.pending-of|${by}`] : []),
    ...(isPending && key !== undefined ? [`call.pending-key|${key}`] : []),
    ...(askedOf(call) ?? []).map((who) => askedPartition(requester.team, who)),
  ];
}

const nameOf = ({ team, user }: Person): string => `${team}/${user}`;
const askedPartition = (team: string, who: Asked): string => `call.asked|${team}/${who}`;

/** Of a family of threads, the calls that are not over. */
export const openCallsOf = (thread: ThreadKey): string => `call.open|${rootOf(thread)}`;

/** Calls of channels themselves that are over. */
export const OVER_IN_CHANNELS = 'call.over-in-channels';

/** Which tool call of which message it is. */
function refOf({ messageId, thread, toolCallId }: Call): string {
  return `call.ref|${JSON.stringify([thread, messageId, toolCallId])}`;
}

/** Where the messages of a call stand in Slack. */
type Places = Readonly<Partial<Record<SidePost | 'card', CardPlace>>>;

export const PLACES: RecordKind<Places> = {
  name: 'place',
  entriesOf: () => [],
  read: (document, id) => readDocument<Places>(document, { kind: 'place', id }),
};

/** The groups of a workspace of which anything was ever asked. */
const GROUPS: RecordKind<readonly Group[]> = {
  name: 'asked-groups',
  entriesOf: () => [],
  read: (document, id) => readDocument<readonly Group[]>(document, { kind: 'routes', id }),
};

async function noteGroups(draft: Draft, call: Call): Promise<void> {
  const asked = (askedOf(call) ?? []).filter((who): who is Group => !who.startsWith('user:'));
  if (asked.length === 0) return;
  const { team } = call.requester;
  const known = (await draft.read(GROUPS, team)) ?? [];
  const added = asked.filter((group) => !known.includes(group));
  if (added.length > 0) await draft.put(GROUPS, team, [...known, ...added]);
}

/** Creates the ledger. */
export function createCalls(records: Records, onDamaged: OnDamaged): Ledger {
  const listStored = (partition: string, page: ListPage = {}, told = onDamaged) =>
    listRecords(records, CALL, partition, page, told);

  async function list(partition: string, page?: ListPage, told?: OnDamaged) {
    return (await listStored(partition, page, told)).map(({ call }) => call);
  }

  /** A page goes on behind a call, wherever that has moved meanwhile. */
  async function placeIn(id: string | undefined): Promise<string | undefined> {
    const stored = id === undefined ? undefined : await readOne(records, CALL, id);
    return stored && placeOfCall(stored);
  }

  async function page(
    partition: string,
    at: {
      readonly from?: string | undefined;
      readonly limit: number;
      readonly isBackwards?: boolean;
    },
  ): Promise<readonly Call[]> {
    const { from, isBackwards = false, limit } = at;
    return await list(partition, { after: await placeIn(from), isBackwards, limit });
  }

  async function changePlaces(id: string, change: (before: Places) => Places): Promise<void> {
    await changeRecords(
      records,
      async (draft) => draft.put(PLACES, id, change((await draft.read(PLACES, id)) ?? {})),
      { durable: 'later' },
    );
  }

  return {
    async propose(call, effects, fence) {
      assertOwnThread(call.thread, fence);
      if (!isEdge(null, call.status, 'propose')) {
        throw new Error(`A call can't be proposed as ${call.status}.`);
      }
      const propose = async (draft: Draft): Promise<Call> => {
        const [known] = await list(refOf(call), { limit: 1 });
        const stored = known ?? (await draft.read(CALL, call.id))?.call;
        if (stored) return stored;
        await draft.put(CALL, call.id, { call, order: nextOrder(call.createdAt) });
        await noteGroups(draft, call);
        await carryOut(draft, effects);
        return call;
      };
      return await changeRecords(records, propose, { fence: fenceOf(fence) });
    },
    async write(before, steps, effects) {
      const after = lastStep(before, steps);
      return await changeRecords(records, async (draft) => {
        const stored = await draft.read(CALL, before.id);
        if (stored?.call.revision !== before.revision) return false;
        // Marking as delivered is apart from the steps: one that does not speak of it keeps it.
        const isMarked = after.delivered === before.delivered;
        const delivered = isMarked ? stored.call.delivered : after.delivered;
        await draft.put(CALL, after.id, { ...stored, call: { ...after, delivered } });
        await noteGroups(draft, after);
        await noteDecided(draft, before, after);
        if (before.status === 'running') await draft.remove(REPORT, after.id);
        await touchThread(draft, after.thread, after.updatedAt);
        await carryOut(draft, effects);
        return true;
      });
    },
    get: async (id) => (await readOne(records, CALL, id))?.call,
    async ofThread(thread, turn, damaged) {
      const found = await list(
        `call.thread|${thread}`,
        {},
        damaged === 'leave-out' ? onDamaged : rethrow,
      );
      return turn === undefined ? found : found.filter((call) => call.turn === turn);
    },
    async markDelivered(ids, fence) {
      const mark = async (draft: Draft) => {
        for (const id of ids) {
          const stored = await draft.read(CALL, id);
          const call = stored?.call;
          if (!call || call.delivered || (fence && call.thread !== fence.thread)) continue;
          await draft.put(CALL, id, { ...stored, call: { ...call, delivered: true } });
        }
      };
      await changeRecords(records, mark, { durable: 'later', fence: fenceOf(fence) });
    },
    placeCard: (id, card) => changePlaces(id, (before) => ({ ...before, card })),
    async cardOf(id) {
      return (await readOne(records, PLACES, id))?.card;
    },
    placeSide: (id, side, place) =>
      changePlaces(id, ({ [side]: _, ...others }) =>
        place ? { ...others, [side]: place } : others,
      ),
    async sidesOf(id) {
      const { card: _, ...sides } = (await readOne(records, PLACES, id)) ?? {};
      return sides;
    },
    ofRequester: (requester, tool, since) =>
      list(`call.tool|${nameOf(requester)}|${tool}`, { after: sortTime(since) }, rethrow),
    async countPending(requester) {
      return (await records.count([`call.pending-of|${nameOf(requester)}`]))[0] ?? 0;
    },
    async countPendingOfKey(key) {
      return (await records.count([`call.pending-key|${key}`]))[0] ?? 0;
    },
    async askedGroups(team) {
      const groups = (await readOne(records, GROUPS, team)) ?? [];
      const counts = await records.count(groups.map((group) => askedPartition(team, group)));
      return groups.filter((_group, i) => (counts[i] ?? 0) > 0).sort();
    },
    async askingAny(team, asked, { after, limit }) {
      const from = await placeIn(after);
      const all = await Promise.all(
        asked.map((who) => listStored(askedPartition(team, who), { after: from, limit })),
      );
      const unique = new Map(all.flat().map((each) => [each.call.id, each]));
      const inOrder = [...unique.values()].sort((a, b) =>
        placeOfCall(a) < placeOfCall(b) ? -1 : 1,
      );
      return inOrder.slice(0, limit).map(({ call }) => call);
    },
    madeBy: (requester, { before, isOver, limit }) =>
      page(`call.mine|${nameOf(requester)}|${isOver ? 'over' : 'open'}`, {
        from: before,
        limit,
        isBackwards: true,
      }),
    async decidedBy(person, { before, limit, since }) {
      const ids = await listDecided(records, person, { before, limit, since });
      const found = await Promise.all(ids.map((id) => readOne(records, CALL, id)));
      return found.flatMap((stored) => stored?.call ?? []);
    },
    newest: ({ before, key, limit }) =>
      page(key === undefined ? 'call.all' : `call.key|${key}`, {
        from: before,
        limit,
        isBackwards: true,
      }),
    withStatus: (status, at) =>
      at
        ? page(`call.status|${status}`, { from: at.after, limit: at.limit })
        : list(`call.status|${status}`),
    async count() {
      const counts = await records.count(CALL_STATUSES.map((status) => `call.status|${status}`));
      const pairs = CALL_STATUSES.map((status, i) => [status, counts[i] ?? 0] as const);
      return Object.fromEntries(pairs.filter(([, calls]) => calls > 0));
    },
  };
}

/** Behind which a page goes on. */
const placeOfCall = (stored: StoredCall): string =>
  `${sortCall(stored)} ${keyOf(CALL, stored.call.id)}`;

function rethrow(error: unknown): never {
  throw error;
}
