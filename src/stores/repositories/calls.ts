/** The ledger: the only truth about calls, and the only lock on running one. */
import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call, CardPlace, SideMessage } from '../../domain/calls/call.ts';
import { assertStep, isTransition, type Step } from '../../domain/calls/transitions.ts';
import type { Effects, Ledger } from '../../domain/ports/store.ts';
import type { Records } from '../records.ts';
import { createCallLists } from './call-lists.ts';
import { putDecisions } from './decisions.ts';
import { groupKeysOf, noteGroups } from './documents/asked-groups.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { applyEffects, keysOf } from './documents/effects.ts';
import { nextOrder } from './documents/order.ts';
import { parseDocument } from './documents/read-record.ts';
import { keyOf, type RecordKind, readOne } from './documents/read-records.ts';
import { CALL, isSameRef, markOutcomesTaken, proposedIn } from './documents/stored-call.ts';
import { recordThreadActivity } from './documents/stored-thread.ts';
import { REPORT } from './progress-reports.ts';

/** Where a call's messages are in Slack. */
type Places = Readonly<Partial<Record<SideMessage | 'card', CardPlace>>>;

export const PLACES: RecordKind<Places> = {
  name: 'place',
  entriesOf: () => [],
  read: (document, id) => parseDocument<Places>(document, { kind: 'place', id }),
};

/** Keys that a step of a call reads, loaded in one round trip. */
function keysOfStep(before: Call, after: Call, effects: Effects): readonly string[] {
  return [
    keyOf(CALL, after.id),
    ...groupKeysOf(after),
    ...(before.status === 'running' ? [keyOf(REPORT, after.id)] : []),
    ...keysOf(effects),
  ];
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

/** Applies all steps and returns the resulting call. Throws if a step is not allowed, or doesn't follow the one before. */
function applySteps(before: Call, steps: readonly Step[]): Call {
  let last = before;
  for (const step of steps) {
    assertStep(last, step);
    last = step.call;
  }
  if (last === before) throw new Error(`No step was given for call ${before.id}.`);
  return last;
}

/** Stores a new call in a commit, unless the same one is stored already; returns the stored one. */
async function putNewCall(
  draft: CommitDraft,
  call: Call,
  effects: Effects,
  onDamaged: OnDamaged,
): Promise<Call> {
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
}

/** Creates the ledger. */
export function createCalls(records: Records, onDamaged: OnDamaged): Ledger {
  async function changePlaces(id: string, change: (before: Places) => Places): Promise<void> {
    await changeRecords(
      records,
      async (draft) => draft.put(PLACES, id, change((await draft.read(PLACES, id)) ?? {})),
      { durable: 'later' },
    );
  }

  return {
    ...createCallLists(records, onDamaged),
    async propose(proposed, effects, fence, steps = []) {
      assertOwnThread(proposed.thread, fence);
      if (!isTransition(null, proposed.status, 'propose')) {
        throw new Error(`A call can't be proposed as ${proposed.status}.`);
      }
      const call = steps.length === 0 ? proposed : applySteps(proposed, steps);
      const propose = (draft: CommitDraft) => putNewCall(draft, call, effects, onDamaged);
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
  };
}
