/** Finished turns and their ratings. */
import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { History } from '../../domain/ports/store.ts';
import type { Rating, SettledTurn } from '../../domain/threads/message.ts';
import { rootOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { Records } from '../records.ts';
import { checkpointKey, deleteCheckpoint } from './checkpoints.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { applyEffects, keysOf } from './documents/effects.ts';
import { checkRecord, parseDocument } from './documents/read-record.ts';
import { ignore, keyOf, listRecords, type RecordKind } from './documents/read-records.ts';
import { recordThreadActivity, threadRecordOf } from './documents/stored-thread.ts';
import { deleteTurnRecords } from './turn-records.ts';

interface StoredTurn {
  readonly thread: ThreadKey;
  /** Position in the thread, from 1: the clocks of several processes may differ. */
  readonly order: number;
  readonly turn: SettledTurn;
}

const TURN: RecordKind<StoredTurn> = {
  name: 'turn',
  entriesOf: ({ order, thread }) => {
    const sort = String(order).padStart(8, '0');
    const own = { partition: `turn.thread|${thread}`, sort };
    return rootOf(thread) === thread ? [own] : [own, { partition: ofChildren(thread), sort }];
  },
  read(document, id) {
    const [thread = ''] = id.split('|');
    const record = { kind: 'history', id: thread, thread: thread as ThreadKey } as const;
    const stored = parseDocument<StoredTurn>(document, record);
    checkRecord('turn', stored.turn, record);
    return stored;
  },
};

interface StoredRating {
  readonly thread: ThreadKey;
  readonly turn: string;
  /** Position among the ratings of its turn, from 1. */
  readonly order: number;
  readonly rating: Rating;
}

const RATING: RecordKind<StoredRating> = {
  name: 'rating',
  entriesOf: ({ order, thread, turn }) => {
    const sort = String(order).padStart(8, '0');
    return [
      { partition: ratingsOf(thread, turn), sort },
      { partition: `rating.family|${rootOf(thread)}`, sort },
    ];
  },
  read(document, id) {
    const [thread = ''] = id.split('|');
    return parseDocument(document, { kind: 'history', id: thread, thread: thread as ThreadKey });
  },
};

/** The turns of a thread's child threads. */
const ofChildren = (thread: ThreadKey): string => `turn.children|${rootOf(thread)}`;

const turnId = (thread: ThreadKey, turn: string): string => `${thread}|${turn}`;
const ratingsOf = (thread: ThreadKey, turn: string): string => `rating.turn|${thread}|${turn}`;
const ratingId = ({ rating, thread, turn }: StoredRating): string =>
  `${thread}|${turn}|${rating.by.team}/${rating.by.user}`;

/** Removes the turns and ratings of a thread and its child threads in a commit; returns the number of turns. */
export async function deleteTurns(draft: CommitDraft, thread: ThreadKey): Promise<number> {
  const isBelow = (other: { readonly thread: ThreadKey }) =>
    other.thread === thread || other.thread.startsWith(`${thread}/`);
  const [own, children, ratings] = await Promise.all([
    draft.list(TURN, `turn.thread|${rootOf(thread)}`, {}, ignore),
    draft.list(TURN, ofChildren(thread), {}, ignore),
    draft.list(RATING, `rating.family|${rootOf(thread)}`, {}, ignore),
  ]);
  const old = [...own, ...children].filter(isBelow);
  for (const each of old) await draft.remove(TURN, turnId(each.thread, each.turn.id));
  for (const each of ratings.filter(isBelow)) await draft.remove(RATING, ratingId(each));
  return old.length;
}

/** Number of turns of a root thread and its child threads. */
export async function countTurns(records: Records, thread: ThreadKey): Promise<number> {
  const counted = [`turn.thread|${thread}`, ofChildren(thread)];
  const [own = 0, children = 0] = await records.count(counted);
  return own + children;
}

/** The next position in a partition whose sort keys are numbers from 1. */
async function nextPosition(records: Records, partition: string): Promise<number> {
  const [last] = await records.range({ partition, limit: 1, isBackwards: true });
  return last ? Number.parseInt(last.at, 10) + 1 : 1;
}

/** Creates the history of turns. */
export function createHistory(records: Records, onDamaged: OnDamaged) {
  return {
    async append(thread, turn, effects, fence) {
      assertOwnThread(thread, fence);
      const append = async (draft: CommitDraft) => {
        const id = turnId(thread, turn.id);
        const [order] = await Promise.all([
          nextPosition(records, `turn.thread|${thread}`),
          draft.load([
            ...[threadRecordOf(thread), keyOf(TURN, id), checkpointKey(thread)],
            ...keysOf(effects),
          ]),
        ]);
        await recordThreadActivity(draft, thread, turn.settledAt);
        if (await draft.read(TURN, id)) return;
        await draft.put(TURN, id, { thread, order, turn });
        await deleteTurnRecords(draft, thread);
        await deleteCheckpoint(draft, thread);
        await applyEffects(draft, effects);
      };
      await changeRecords(records, append, { fence: fenceOf(fence) });
    },
    async newest(thread, limit, skip) {
      const page = { isBackwards: true, limit: Math.max(0, limit) + skip };
      const found = await listRecords(records, TURN, `turn.thread|${thread}`, page, onDamaged);
      return found.slice(skip).map(({ turn }) => turn);
    },
    async has(thread, turn) {
      const [found] = await records.get([keyOf(TURN, turnId(thread, turn))]);
      return (found?.revision ?? 0) > 0;
    },
    async rate(thread, turn, rating, effects) {
      return await changeRecords(records, async (draft) => {
        if (!(await draft.read(TURN, turnId(thread, turn)))) return false;
        const id = ratingId({ thread, turn, rating, order: 0 });
        const before = await draft.read(RATING, id);
        const order = before?.order ?? (await nextPosition(records, ratingsOf(thread, turn)));
        await draft.put(RATING, id, { thread, turn, order, rating });
        await applyEffects(draft, effects);
        return true;
      });
    },
    async ratings(thread, turn) {
      const found = await listRecords(records, RATING, ratingsOf(thread, turn), {}, onDamaged);
      return found.map(({ rating }) => rating);
    },
    async clear(thread, effects) {
      return await changeRecords(records, async (draft) => {
        const turns = await deleteTurns(draft, thread);
        await applyEffects(draft, effects);
        return turns;
      });
    },
  } satisfies Partial<History>;
}
