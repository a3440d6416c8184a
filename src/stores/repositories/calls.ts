/** The ledger: the only truth about calls, and the only lock on running one. */

import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import {
  CALL_STATUSES,
  type Call,
  type CardPlace,
  type SideMessage,
} from '../../domain/calls/call.ts';
import { isTransition } from '../../domain/calls/transitions.ts';
import type { Group } from '../../domain/people/person.ts';
import type { Effects, Ledger } from '../../domain/ports/store.ts';
import { requestedDecidersOf } from '../../domain/rules/requested-deciders.ts';
import { type Records, sortTime } from '../records.ts';
import { listDecisions, putDecisions } from './decisions.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { applyEffects, keysOf } from './documents/effects.ts';
import { applySteps } from './documents/last-step.ts';
import { nextOrder } from './documents/order.ts';
import { parseDocument } from './documents/read-record.ts';
import {
  keyOf,
  type ListPage,
  listRecords,
  type RecordKind,
  readOne,
} from './documents/read-records.ts';
import {
  CALL,
  callRecordName,
  isSameRef,
  markOutcomesTaken,
  ofFamily,
  ofTurn,
  placeOfCall,
  proposedIn,
  requestedPartition,
} from './documents/stored-call.ts';
import { REPORT } from './documents/stored-report.ts';
import { recordThreadActivity } from './threads.ts';

/** Where a call's messages are in Slack. */
type Places = Readonly<Partial<Record<SideMessage | 'card', CardPlace>>>;

export const PLACES: RecordKind<Places> = {
  name: 'place',
  entriesOf: () => [],
  read: (document, id) => parseDocument<Places>(document, { kind: 'place', id }),
};

/** All groups of a workspace that were ever asked to decide. */
const GROUPS: RecordKind<{ readonly groups: readonly Group[] }> = {
  name: 'asked-groups',
  entriesOf: () => [],
  workspaceOf: (_groups, team) => team,
  read: (document, id) => parseDocument(document, { kind: 'groups', id }),
};

function groupsOf(call: Call): readonly Group[] {
  return (requestedDecidersOf(call) ?? []).filter((who): who is Group => !who.startsWith('user:'));
}

function groupKeysOf(call: Call): readonly string[] {
  return groupsOf(call).length === 0 ? [] : [keyOf(GROUPS, call.requester.team)];
}

/** Keys that a step of a call reads, loaded in one round trip. */
function keysOfStep(before: Call, after: Call, effects: Effects): readonly string[] {
  return [
    keyOf(CALL, after.id),
    ...groupKeysOf(after),
    ...(before.status === 'running' ? [keyOf(REPORT, after.id)] : []),
    ...keysOf(effects),
  ];
}

async function noteGroups(draft: CommitDraft, call: Call): Promise<void> {
  const asked = groupsOf(call);
  if (asked.length === 0) return;
  const { team } = call.requester;
  const { groups: known } = (await draft.read(GROUPS, team)) ?? { groups: [] };
  const added = asked.filter((group) => !known.includes(group));
  if (added.length > 0) await draft.put(GROUPS, team, { groups: [...known, ...added] });
}

/** Replaces a call; false if the stored one has another revision. */
async function replaceCall(draft: CommitDraft, before: Call, after: Call): Promise<boolean> {
  const stored = await draft.read(CALL, before.id);
  if (stored?.call.revision !== before.revision) return false;
  // `delivered` is set independently of steps: a step that doesn't change it must keep it.
  const isMarked = after.delivered === before.delivered;
  const delivered = isMarked ? stored.call.delivered : after.delivered;
  await draft.put(CALL, after.id, { ...stored, call: { ...after, delivered } });
  return true;
}

/** Creates the ledger. */
export function createCalls(records: Records, onDamaged: OnDamaged): Ledger {
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
    async propose(proposed, effects, fence, steps = []) {
      assertOwnThread(proposed.thread, fence);
      if (!isTransition(null, proposed.status, 'propose')) {
        throw new Error(`A call can't be proposed as ${proposed.status}.`);
      }
      const call = steps.length === 0 ? proposed : applySteps(proposed, steps);
      const propose = async (draft: CommitDraft): Promise<Call> => {
        draft.takeForNew([keyOf(CALL, call.id)]);
        const [known] = await Promise.all([
          draft.list(CALL, proposedIn(call), {}, onDamaged),
          draft.load([...groupKeysOf(call), ...keysOf(effects)]),
        ]);
        const same = known.find((each) => isSameRef(each.call, call));
        const stored = same?.call ?? (await draft.read(CALL, call.id))?.call;
        if (stored) return stored;
        await draft.put(CALL, call.id, { call, order: nextOrder(call.createdAt) });
        await noteGroups(draft, call);
        // An agent's call follows a message, which already recorded the thread's activity.
        if (call.outside) await recordThreadActivity(draft, call.thread, call.createdAt);
        await applyEffects(draft, effects);
        return call;
      };
      return await changeRecords(records, propose, { fence: fenceOf(fence) });
    },
    async write(before, steps, effects, seen, fence) {
      const after = applySteps(before, steps);
      const write = async (draft: CommitDraft): Promise<boolean> => {
        if (seen && !draft.expect(seen)) return false;
        await draft.load(keysOfStep(before, after, effects));
        if (!(await replaceCall(draft, before, after))) return false;
        await noteGroups(draft, after);
        await putDecisions(draft, before, after);
        if (before.status === 'running') await draft.remove(REPORT, after.id);
        await applyEffects(draft, effects);
        return true;
      };
      return await changeRecords(records, write, { fence: fenceOf(fence) });
    },
    get: async (id) => (await readOne(records, CALL, id))?.call,
    async ofThread(thread, turn, damaged) {
      const report = damaged === 'leave-out' ? onDamaged : rethrow;
      if (turn !== undefined) return await list(ofTurn(thread, turn), {}, report);
      const family = await list(ofFamily(thread), {}, report);
      return family.filter((call) => call.thread === thread);
    },
    async markDelivered(ids, fence) {
      const mark = (draft: CommitDraft) => markOutcomesTaken(draft, ids, fence?.thread);
      await changeRecords(records, mark, { durable: 'later', fence: fenceOf(fence) });
    },
    placeCard: (id, card) => changePlaces(id, (before) => ({ ...before, card })),
    async cardOf(id) {
      return (await readOne(records, PLACES, id))?.card;
    },
    placeSideMessage: (id, side, place) =>
      changePlaces(id, ({ [side]: _, ...others }) =>
        place ? { ...others, [side]: place } : others,
      ),
    async sideMessagesOf(id) {
      const { card: _, ...sides } = (await readOne(records, PLACES, id)) ?? {};
      return sides;
    },
    ofRequester: (requester, tool, since) =>
      list(`call.tool|${callRecordName(requester)}|${tool}`, { after: sortTime(since) }, rethrow),
    async countPending(requester) {
      return (await records.count([`call.pending-of|${callRecordName(requester)}`]))[0] ?? 0;
    },
    async countPendingOfKey(key) {
      return (await records.count([`call.pending-key|${key}`]))[0] ?? 0;
    },
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
      const unique = new Map(all.flat().map((each) => [each.call.id, each]));
      const inOrder = [...unique.values()].sort((a, b) =>
        placeOfCall(a) < placeOfCall(b) ? -1 : 1,
      );
      return inOrder.slice(0, limit).map(({ call }) => call);
    },
    requestedBy: (requester, { before, isOver, limit }) =>
      page(`call.mine|${callRecordName(requester)}|${isOver ? 'over' : 'open'}`, {
        from: before,
        limit,
        isBackwards: true,
      }),
    async decidedBy(person, { before, limit, since }) {
      const ids = await listDecisions(records, person, { before, limit, since });
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

function rethrow(error: unknown): never {
  throw error;
}
