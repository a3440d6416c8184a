/** Messages of unfinished turns. */
import type { TurnRecords } from '../../domain/ports/turn-records.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { TurnRecord } from '../../domain/threads/turn-record.ts';
import type { Records } from '../records.ts';
import { assertOwnThread } from './documents/assert-own-thread.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { parseRecord } from './documents/read-record.ts';
import { ignore, keyOf, listRecords, type RecordKind } from './documents/read-records.ts';

const TURN_MESSAGE: RecordKind<TurnRecord> = {
  name: 'turn-message',
  entriesOf: ({ position, thread, turn }) => {
    return [{ partition: inThread(thread), sort: `${turn}|${String(position).padStart(6, '0')}` }];
  },
  read(document, id) {
    const { thread, turn } = parseId(id);
    return parseRecord('turnRecord', document, { kind: 'turn', id: turn, thread });
  },
};

const inThread = (thread: ThreadKey): string => `turn-message|${thread}`;

/** Neither thread keys nor message ids contain a bar. */
const idOf = ({ position, thread, turn }: TurnRecord): string => `${thread}|${turn}|${position}`;

function parseId(id: string): { readonly thread: ThreadKey; readonly turn: string } {
  const [thread = '', turn = ''] = id.split('|');
  return { thread: thread as ThreadKey, turn };
}

/** Adds messages to a commit, assuming they are new; a known position is kept unchanged. */
export async function putTurnRecords(
  draft: CommitDraft,
  messages: readonly TurnRecord[],
): Promise<void> {
  draft.takeForNew(messages.map((each) => keyOf(TURN_MESSAGE, idOf(each))));
  for (const each of messages) {
    const id = idOf(each);
    if (!(await draft.read(TURN_MESSAGE, id))) await draft.put(TURN_MESSAGE, id, each);
  }
}

/** Removes the messages of a thread's unfinished turns in a commit. */
export async function deleteTurnRecords(draft: CommitDraft, thread: ThreadKey): Promise<void> {
  for (const each of await draft.list(TURN_MESSAGE, inThread(thread), {}, ignore)) {
    await draft.remove(TURN_MESSAGE, idOf(each));
  }
}

/** Creates the store of unfinished turns' messages. */
export function createTurnRecords(records: Records): TurnRecords {
  return {
    async keep(messages, fence) {
      for (const { thread } of messages) assertOwnThread(thread, fence);
      await changeRecords(records, (draft) => putTurnRecords(draft, messages), {
        fence: fenceOf(fence),
      });
    },
    ofTurn: (thread, turn) =>
      listRecords(records, TURN_MESSAGE, inThread(thread), { prefix: `${turn}|` }),
  };
}
