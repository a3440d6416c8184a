/** The state of our own graph, stored next to the records from which it can be rebuilt. */
import { crc32 } from 'node:zlib';
import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { type Checkpoints, UnreadableStateError } from '../../domain/ports/agent.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { Holds } from '../holds/holds.ts';
import type { Records } from '../records.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import {
  type CommitDraft,
  changeRecords,
  fenceOf,
  staleFenceError,
} from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import { keyOf, type RecordKind, readOne } from './documents/read-records.ts';

/** A text with its checksum: a changed letter would not be a syntax error. */
interface StoredState {
  readonly state: string;
  readonly sum: string;
}

const CHECKPOINT: RecordKind<StoredState> = {
  name: 'checkpoint',
  entriesOf: () => [],
  workspaceOf: (_state, thread) => placeOf(thread as ThreadKey).team,
  read(document, id) {
    const name = { kind: 'turn', id, thread: id as ThreadKey } as const;
    const stored = parseDocument<StoredState>(document, name);
    if (typeof stored.state === 'string' && stored.sum === sumOf(stored.state)) return stored;
    throw new DamagedRecordError('its checksum does not match', { record: name });
  },
};

const sumOf = (state: string): string => crc32(state).toString(16);

export const checkpointKey = (thread: ThreadKey): string => keyOf(CHECKPOINT, thread);

/** Stores a thread's state in a commit, replacing the one before. */
export async function putCheckpoint(
  draft: CommitDraft,
  { state, thread }: { readonly thread: ThreadKey; readonly state: string },
): Promise<void> {
  await draft.put(CHECKPOINT, thread, { state, sum: sumOf(state) });
}

/** Removes a thread's state in a commit. */
export async function deleteCheckpoint(draft: CommitDraft, thread: ThreadKey): Promise<void> {
  await draft.remove(CHECKPOINT, thread);
}

/** Creates the checkpoints. */
export function createCheckpoints(records: Records, holds: Pick<Holds, 'isLost'>): Checkpoints {
  return {
    async read(thread, fence) {
      if (fence && holds.isLost(fenceOf(fence))) throw staleFenceError(thread, fenceOf(fence));
      try {
        return (await readOne(records, CHECKPOINT, thread))?.state;
      } catch (error) {
        if (!(error instanceof DamagedRecordError)) throw error;
        throw new UnreadableStateError('The stored state of a thread is damaged.', {
          cause: error,
        });
      }
    },
    async keep(thread, state, fence) {
      assertOwnThread(thread, fence);
      await changeRecords(records, (draft) => putCheckpoint(draft, { thread, state }), {
        durable: 'later',
        fence: fenceOf(fence),
      });
    },
  };
}
