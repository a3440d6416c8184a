/** Threads that have been inactive for long, calls that ended in channels, and their removal. */
import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import type { History, UntouchedThread } from '../../domain/ports/store.ts';
import { rootOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { MAX_PAGE_SIZE, type Records } from '../records.ts';
import { PLACES } from './calls.ts';
import { deleteCheckpoint } from './checkpoints.ts';
import { deleteDecisions } from './decisions.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { applyEffects } from './documents/effects.ts';
import { ignore, listRecords, walkRecords } from './documents/read-records.ts';
import { CALL, ENDED_IN_CHANNELS, ofFamily } from './documents/stored-call.ts';
import { OPEN_MESSAGES, threadOfOpen } from './documents/stored-message.ts';
import { THREAD, type TouchedThread } from './documents/stored-thread.ts';
import { countTurns, deleteTurns } from './history.ts';
import { LIVE, OUTBOX_MESSAGE, SENT, UNSENT } from './outbox.ts';
import { deleteTurnRecords } from './turn-records.ts';

/** Last activity in a thread, including its calls' steps; how many calls it has, and whether one is open. */
async function touchedByCalls(records: Records, { thread, touchedAt }: TouchedThread) {
  const calls = await listRecords(records, CALL, ofFamily(thread), {}, ignore);
  const last = calls.reduce((newest, { call }) => Math.max(newest, call.updatedAt), touchedAt);
  const isOpen = calls.some(({ call }) => !isTerminal(call));
  return { touchedAt: last, calls: calls.length, isOpen };
}

/** Whether the thread or a child thread has a waiting or current message. */
async function hasOpenMessage(records: Records, root: ThreadKey): Promise<boolean> {
  const page = { partition: OPEN_MESSAGES, prefix: root, limit: MAX_PAGE_SIZE };
  return (await records.range(page)).some(({ at }) => rootOf(threadOfOpen(at)) === root);
}

async function deleteCalls(draft: CommitDraft, calls: readonly Call[]): Promise<void> {
  for (const { id } of calls) {
    await draft.remove(CALL, id);
    await draft.remove(PLACES, id);
    await deleteDecisions(draft, id);
  }
}

/** Removes everything but the markers of received and sent messages. */
async function deleteThread(draft: CommitDraft, root: ThreadKey): Promise<void> {
  const stored = await draft.list(CALL, ofFamily(root), {}, ignore);
  const calls = stored.map(({ call }) => call);
  const listed = await draft.list(OUTBOX_MESSAGE, UNSENT, { prefix: root }, ignore);
  const unsent = listed.filter(({ say }) => say && rootOf(say.thread) === root);
  await deleteTurns(draft, root);
  await deleteCalls(draft, calls);
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

/** Creates the part of the history that retention uses. */
export function createInactiveThreads(records: Records, onDamaged: OnDamaged) {
  return {
    async inactiveThreads(before, { limit, skip }) {
      const found: UntouchedThread[] = [];
      for await (const each of walkRecords(records, THREAD, 'thread.touched', onDamaged)) {
        if (each.touchedAt >= before) break;
        const { calls, touchedAt } = await touchedByCalls(records, each);
        if (touchedAt >= before) continue;
        const turns = await countTurns(records, each.thread);
        found.push({ thread: each.thread, touchedAt, turns, calls });
        if (found.length === skip + limit) break;
      }
      return found.slice(skip);
    },
    async remove({ thread, touchedAt }, effects) {
      return await changeRecords(records, async (draft) => {
        const stored = await draft.read(THREAD, thread);
        if (!stored) return false;
        const [found, hasMessages] = await Promise.all([
          touchedByCalls(records, stored),
          hasOpenMessage(records, thread),
        ]);
        if (found.touchedAt !== touchedAt || found.isOpen || hasMessages) return false;
        await deleteThread(draft, thread);
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
        await deleteCalls(draft, calls);
        await applyEffects(draft, effects);
        return true;
      });
    },
  } satisfies Partial<History>;
}
