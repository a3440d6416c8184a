/** The outbox: messages that are still to be sent to Slack. */
import { DamagedRecordError, type OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { CardPlace } from '../../domain/calls/call.ts';
import type { Outbox } from '../../domain/ports/store.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { Records } from '../records.ts';
import { requestTask } from './documents/agenda-task.ts';
import { type CommitDraft, changeRecords, fenceOf } from './documents/change-records.ts';
import { nextOrder } from './documents/order.ts';
import { checkRecord, parseDocument } from './documents/read-record.ts';
import { keyOf, listRecords, type RecordKind, readOne } from './documents/read-records.ts';

/** After sending, only the fact that it was sent is kept. */
interface StoredOutboxMessage {
  readonly isSaid?: true;
  readonly say?: OutboxMessage;
  /** Order in which messages were added. */
  readonly order?: string;
}

export const SENT: StoredOutboxMessage = { isSaid: true };

/** Unsent messages of all threads. */
export const UNSENT = 'say.unsaid';

/** Prefix of the positions of a thread's messages; thread keys contain no bar. */
const unsentPrefixOf = (thread: ThreadKey): string => `${thread}|`;

export const OUTBOX_MESSAGE: RecordKind<StoredOutboxMessage> = {
  name: 'say',
  entriesOf({ order: sort = '', say }) {
    if (!say) return [];
    return [{ partition: UNSENT, sort: `${unsentPrefixOf(say.thread)}${sort}` }];
  },
  workspaceOf: ({ say }) => say && placeOf(say.thread).team,
  read(document, id, { at = '' }) {
    // If the document is unreadable, its position still tells the thread.
    const own = at.slice(0, Math.max(0, at.indexOf('|')));
    const record = { kind: 'say', id, ...(own && { thread: own as ThreadKey }) } as const;
    const stored = parseDocument<StoredOutboxMessage>(document, record);
    if (stored.isSaid) return stored;
    if (!stored.say) throw new DamagedRecordError('its text is missing', { record });
    const { thread } = stored.say;
    return { ...stored, say: checkRecord('say', stored.say, { kind: 'say', id, thread }) };
  },
};

export const LIVE: RecordKind<CardPlace> = {
  name: 'live',
  entriesOf: () => [],
  workspaceOf: (_place, thread) => placeOf(thread as ThreadKey).team,
  read: (document, id) =>
    parseDocument<CardPlace>(document, { kind: 'live', id, thread: id as ThreadKey }),
};

/** Adds messages to a commit; known ones are skipped. */
export async function addOutboxMessages(
  draft: CommitDraft,
  says: readonly OutboxMessage[],
): Promise<void> {
  draft.takeForNew(says.map(({ id }) => keyOf(OUTBOX_MESSAGE, id)));
  for (const outboxMessage of says) {
    if (await draft.read(OUTBOX_MESSAGE, outboxMessage.id)) continue;
    await draft.put(OUTBOX_MESSAGE, outboxMessage.id, {
      say: outboxMessage,
      order: nextOrder(outboxMessage.createdAt),
    });
  }
}

/** Creates the outbox. */
export function createOutbox(records: Records, onDamaged: OnDamaged): Outbox {
  return {
    async add(says, wakes, fence) {
      const add = async (draft: CommitDraft) => {
        await addOutboxMessages(draft, says);
        requestTask(draft, wakes);
      };
      await changeRecords(records, add, { fence: fenceOf(fence) });
    },
    async pendingMessages(thread) {
      const found = await listRecords(
        records,
        OUTBOX_MESSAGE,
        UNSENT,
        { prefix: unsentPrefixOf(thread) },
        onDamaged,
      );
      return found.flatMap(({ say }) => say ?? []);
    },
    async markSent(id) {
      const mark = async (draft: CommitDraft) => {
        if (await draft.read(OUTBOX_MESSAGE, id)) await draft.put(OUTBOX_MESSAGE, id, SENT);
      };
      await changeRecords(records, mark, { durable: 'later' });
    },
    async threadsWithPendingMessages() {
      const found = await listRecords(records, OUTBOX_MESSAGE, UNSENT, {}, onDamaged);
      return [...new Set(found.flatMap(({ say }) => say?.thread ?? []))];
    },
    async placeLiveMessage(thread, place) {
      const set = (draft: CommitDraft) =>
        place ? draft.put(LIVE, thread, place) : draft.remove(LIVE, thread);
      await changeRecords(records, set, { durable: 'later' });
    },
    liveMessageOf: (thread) => readOne(records, LIVE, thread),
  };
}
