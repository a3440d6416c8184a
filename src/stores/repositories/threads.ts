/** When something happened in a thread of people last. */
import { rootOf, type ThreadKey } from '../../domain/thread-key.ts';
import { readDocument } from '../read-record.ts';
import { sortTime } from '../records/records.ts';
import type { Draft } from './change-records.ts';
import { keyOf, type RecordKind } from './read-records.ts';

export interface TouchedThread {
  readonly thread: ThreadKey;
  readonly touchedAt: number;
}

export const THREAD: RecordKind<TouchedThread> = {
  name: 'thread',
  entriesOf: ({ touchedAt }) => [{ partition: 'thread.touched', sort: sortTime(touchedAt) }],
  read: (document, id) => readDocument<TouchedThread>(document, { kind: 'history', id }),
};

export const threadRecordOf = (thread: ThreadKey): string => keyOf(THREAD, rootOf(thread));

/** Notes when something happened in a thread, for it and its child threads. */
export async function touchThread(draft: Draft, thread: ThreadKey, at: number): Promise<void> {
  const root = rootOf(thread);
  const before = await draft.read(THREAD, root);
  if (before && before.touchedAt >= at) return;
  await draft.put(THREAD, root, { thread: root, touchedAt: at });
}
