/** Finished turns, and the removal of inactive threads. */

import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import type { History, UntouchedThread } from '../../domain/ports/store.ts';
import type { Rating, SettledTurn } from '../../domain/threads/message.ts';
import { rootOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { MAX_PAGE_SIZE, type Records } from '../records.ts';
import { PLACES } from './calls.ts';
import { checkpointKey, deleteCheckpoint } from './checkpoints.ts';
import { deleteDecisions } from './decisions.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { applyEffects, keysOf } from './documents/effects.ts';
import { checkRecord, parseDocument } from './documents/read-record.ts';
import { keyOf, listRecords, type RecordKind, walkRecords } from './documents/read-records.ts';
import { CALL, ENDED_IN_CHANNELS, ofFamily } from './documents/stored-call.ts';
import { OPEN_MESSAGES, threadOfOpen } from './documents/stored-message.ts';
import { LIVE, OUTBOX_MESSAGE, SENT, UNSENT } from './outbox.ts';
import { recordThreadActivity, THREAD, type TouchedThread, threadRecordOf } from './threads.ts';
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

/** Creates the history. */
export function createHistory(records: Records, onDamaged: OnDamaged): History {
  const ignore = () => {};
  const nextOrder = async (partition: string): Promise<number> => {
    const [last] = await records.range({ partition, limit: 1, isBackwards: true });
    return last ? Number.parseInt(last.at, 10) + 1 : 1;
  };

  /** Removes the turns and ratings of a thread and its child threads; returns the number of turns. */
  async function dropTurns(draft: CommitDraft, thread: ThreadKey): Promise<number> {
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

  /** Last activity in a thread, including its calls' steps; how many calls it has, and whether one is open. */
  async function touchedByCalls({ thread, touchedAt }: TouchedThread) {
    const calls = await listRecords(records, CALL, ofFamily(thread), {}, ignore);
    const last = calls.reduce((newest, { call }) => Math.max(newest, call.updatedAt), touchedAt);
    const isOpen = calls.some(({ call }) => !isTerminal(call));
    return { touchedAt: last, calls: calls.length, isOpen };
  }

  /** Whether the thread or a child thread has a waiting or current message. */
  async function isOpen(root: ThreadKey): Promise<boolean> {
    const page = { partition: OPEN_MESSAGES, prefix: root, limit: MAX_PAGE_SIZE };
    return (await records.range(page)).some(({ at }) => rootOf(threadOfOpen(at)) === root);
  }

  async function dropCalls(draft: CommitDraft, calls: readonly Call[]): Promise<void> {
    for (const { id } of calls) {
      await draft.remove(CALL, id);
      await draft.remove(PLACES, id);
      await deleteDecisions(draft, records, id);
    }
  }

  /** Removes everything but the markers of received and sent messages. */
  async function dropThread(draft: CommitDraft, root: ThreadKey): Promise<void> {
    const stored = await draft.list(CALL, ofFamily(root), {}, ignore);
    const calls = stored.map(({ call }) => call);
    const listed = await draft.list(OUTBOX_MESSAGE, UNSENT, { prefix: root }, ignore);
    const unsent = listed.filter(({ say }) => say && rootOf(say.thread) === root);
    await dropTurns(draft, root);
    await dropCalls(draft, calls);
    const threads = new Set([
      root,
      ...calls.flatMap(({ child, thread }) => [thread, child ?? thread]),
    ]);
    for (const thread of threads) {
      await deleteTurnRecords(draft, thread);
      await deleteCheckpoint(draft, thread);
      await draft.remove(LIVE, thread);
    }
    for (const { say } of unsent) if (say) await draft.put(OUTBOX_MESSAGE, say.id, SENT);
    await draft.remove(THREAD, root);
  }

  return {
    async append(thread, turn, effects, fence) {
      assertOwnThread(thread, fence);
      const append = async (draft: CommitDraft) => {
        const id = turnId(thread, turn.id);
        const [order] = await Promise.all([
          nextOrder(`turn.thread|${thread}`),
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
        const order = before?.order ?? (await nextOrder(ratingsOf(thread, turn)));
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
        const turns = await dropTurns(draft, thread);
        await applyEffects(draft, effects);
        return turns;
      });
    },
    async inactiveThreads(before, { limit, skip }) {
      const found: UntouchedThread[] = [];
      for await (const each of walkRecords(records, THREAD, 'thread.touched', onDamaged)) {
        if (each.touchedAt >= before) break;
        const { calls, touchedAt } = await touchedByCalls(each);
        if (touchedAt >= before) continue;
        const counted = [`turn.thread|${each.thread}`, ofChildren(each.thread)];
        const [own = 0, children = 0] = await records.count(counted);
        found.push({ thread: each.thread, touchedAt, turns: own + children, calls });
        if (found.length === skip + limit) break;
      }
      return found.slice(skip);
    },
    async remove({ thread, touchedAt }, effects) {
      return await changeRecords(records, async (draft) => {
        const stored = await draft.read(THREAD, thread);
        if (!stored) return false;
        const [found, hasMessages] = await Promise.all([touchedByCalls(stored), isOpen(thread)]);
        if (found.touchedAt !== touchedAt || found.isOpen || hasMessages) return false;
        await dropThread(draft, thread);
        await applyEffects(draft, effects);
        return true;
      });
    },
    async endedChannelCalls(before, limit) {
      const found: Call[] = [];
      for await (const { call } of walkRecords(records, CALL, ENDED_IN_CHANNELS, onDamaged)) {
        if (call.createdAt >= before || found.length === limit) break;
        if (call.updatedAt < before) found.push(call);
      }
      return found;
    },
    async removeCalls(calls, effects) {
      return await changeRecords(records, async (draft) => {
        const stored = await draft.readAll(
          CALL,
          calls.map(({ id }) => id),
        );
        if (!stored.every((each) => each && isTerminal(each.call))) return false;
        await dropCalls(draft, calls);
        await applyEffects(draft, effects);
        return true;
      });
    },
  };
}
