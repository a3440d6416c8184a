/** The inbox: messages that were acknowledged to Slack. */
import type { OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { Effects, Inbox } from '../../domain/ports/store.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { MAX_PAGE_SIZE, type Records } from '../records.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { applyEffects, keysOf } from './documents/effects.ts';
import { ignore, keyOf, listRecords, rethrow } from './documents/read-records.ts';
import {
  endMessage,
  MESSAGE,
  OPEN_MESSAGES,
  openIn,
  threadOfOpen,
} from './documents/stored-message.ts';
import { recordThreadActivity, threadRecordOf } from './documents/stored-thread.ts';

/** Stores a message in a commit, unless its id is known. */
async function putNewMessage(
  draft: CommitDraft,
  message: InboxMessage,
  effects: Effects,
): Promise<'new' | 'known'> {
  const { id, receivedAt, thread } = message;
  draft.takeForNew([keyOf(MESSAGE, id)]);
  // Usually it starts its thread.
  if (id === thread) draft.takeForNew([threadRecordOf(thread)]);
  await draft.load([threadRecordOf(thread), ...keysOf(effects)]);
  if (await draft.read(MESSAGE, id)) return 'known';
  await draft.put(MESSAGE, id, { thread, state: 'waiting', message });
  await recordThreadActivity(draft, thread, receivedAt);
  await applyEffects(draft, effects);
  return 'new';
}

/** Reads only the index, so that a damaged message hides no thread. */
async function threadsWithMessages(records: Records): Promise<readonly ThreadKey[]> {
  const threads = new Set<ThreadKey>();
  for (let after: string | undefined; ; ) {
    const page = await records.range({ partition: OPEN_MESSAGES, limit: MAX_PAGE_SIZE, after });
    for (const { at } of page) threads.add(threadOfOpen(at));
    after = page.at(-1)?.at;
    if (page.length < MAX_PAGE_SIZE) return [...threads];
  }
}

/** Creates the inbox. */
export function createMessages(records: Records, onDamaged: OnDamaged): Inbox {
  /** Open messages by the prefix of their positions. */
  async function list(
    prefix: string,
    state: 'waiting' | 'current',
    report = onDamaged,
  ): Promise<readonly InboxMessage[]> {
    const found = await listRecords(records, MESSAGE, OPEN_MESSAGES, { prefix }, report);
    return found.flatMap(({ message, state: own }) => (own === state && message ? message : []));
  }

  return {
    receive: (message, effects) =>
      changeRecords(records, (draft) => putNewMessage(draft, message, effects)),
    async hasThread(thread) {
      const page = { partition: `message.thread|${thread}`, limit: 1 };
      return (await records.range(page)).length > 0;
    },
    async received(ids) {
      const found = await records.get(ids.map((id) => keyOf(MESSAGE, id)));
      return new Set(ids.filter((_id, i) => (found[i]?.revision ?? 0) > 0));
    },
    async current(thread) {
      const [current] = await list(openIn(thread, 'current'), 'current', rethrow);
      return current;
    },
    waiting: (thread) => list(openIn(thread, 'waiting'), 'waiting'),
    ongoing: ({ channel, team }) =>
      list(channel === undefined ? `${team}/` : `${team}/${channel}/`, 'current'),
    threadsWithMessages: () => threadsWithMessages(records),
    async stop(id, by, at, effects) {
      return await changeRecords(records, async (draft) => {
        const stored = await draft.read(MESSAGE, id);
        if (stored?.state !== 'current' || !stored.message || stored.message.stopped) return false;
        const message = { ...stored.message, stopped: { by, at } };
        await draft.put(MESSAGE, id, { ...stored, message });
        await applyEffects(draft, effects);
        return true;
      });
    },
    async begin(id, effects, fence) {
      const begin = async (draft: CommitDraft): Promise<boolean> => {
        const [stored, current] = await Promise.all([
          draft.read(MESSAGE, id),
          list(openIn(fence.thread, 'current'), 'current', ignore),
        ]);
        if (stored?.state !== 'waiting' || stored.thread !== fence.thread) return false;
        if (current.length > 0) return false;
        await draft.put(MESSAGE, id, { ...stored, state: 'current' });
        await applyEffects(draft, effects);
        return true;
      };
      return await changeRecords(records, begin, { durable: 'later', fence: fenceOf(fence) });
    },
    async end(id, how, effects, fence) {
      const end = async (draft: CommitDraft): Promise<boolean> => {
        await draft.load([keyOf(MESSAGE, id), ...keysOf(effects)]);
        const stored = await draft.read(MESSAGE, id);
        if (stored?.thread !== fence.thread || !(await endMessage(draft, id, how))) return false;
        await applyEffects(draft, effects);
        return true;
      };
      return await changeRecords(records, end, { fence: fenceOf(fence) });
    },
  };
}
