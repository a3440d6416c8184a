/** When a thread was last active. */
import { rootOf, type ThreadKey } from '../../../domain/threads/thread-key.ts';
import { sortTime } from '../../records.ts';
import type { CommitDraft } from './change-records.ts';
import { parseDocument } from './read-record.ts';
import { keyOf, type RecordKind } from './read-records.ts';

export interface TouchedThread {
  readonly thread: ThreadKey;
  readonly touchedAt: number;
}

export const THREAD: RecordKind<TouchedThread> = {
  name: 'thread',
  entriesOf: ({ touchedAt }) => [{ partition: 'thread.touched', sort: sortTime(touchedAt) }],
  read: (document, id) => parseDocument<TouchedThread>(document, { kind: 'thread', id }),
};

export const threadRecordOf = (thread: ThreadKey): string => keyOf(THREAD, rootOf(thread));

/** Records activity in a thread or in one of its child threads. */
export async function recordThreadActivity(
  draft: CommitDraft,
  thread: ThreadKey,
  at: number,
): Promise<void> {
  const root = rootOf(thread);
  const before = await draft.read(THREAD, root);
  if (before && before.touchedAt >= at) return;
  await draft.put(THREAD, root, { thread: root, touchedAt: at });
}
