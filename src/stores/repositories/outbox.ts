/** What the app has yet to say. */

import { DamagedRecordError, type OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { CardPlace } from '../../domain/calls/call.ts';
import type { Outbox } from '../../domain/ports/store.ts';
import type { Say } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { Records } from '../records.ts';
import { askFor } from './documents/agenda-task.ts';
import { changeRecords, type Draft, fenceOf } from './documents/change-records.ts';
import { nextOrder } from './documents/order.ts';
import { readDocument, readRecord } from './documents/read-record.ts';
import { keyOf, listRecords, type RecordKind, readOne } from './documents/read-records.ts';

/** Of one that was said nothing is kept but that it is known. */
interface StoredSay {
  readonly isSaid?: true;
  readonly say?: Say;
  /** In this order they were added. */
  readonly order?: string;
}

export const SAID: StoredSay = { isSaid: true };

/** Of all threads, what is not said yet. */
export const UNSAID = 'say.unsaid';

/** What the places of a thread's words begin with; no thread's key holds a bar. */
const unsaidIn = (thread: ThreadKey): string => `${thread}|`;

export const SAY: RecordKind<StoredSay> = {
  name: 'say',
  entriesOf({ order: sort = '', say }) {
    if (!say) return [];
    return [{ partition: UNSAID, sort: `${unsaidIn(say.thread)}${sort}` }];
  },
  workspaceOf: ({ say }) => say && placeOf(say.thread).team,
  read(document, id, { at = '' }) {
    // Of one that can't be read this tells whose it is.
    const own = at.slice(0, Math.max(0, at.indexOf('|')));
    const record = { kind: 'say', id, ...(own && { thread: own as ThreadKey }) } as const;
    const stored = readDocument<StoredSay>(document, record);
    if (stored.isSaid) return stored;
    if (!stored.say) throw new DamagedRecordError('its words are gone', { record });
    const { thread } = stored.say;
    const say = readRecord('say', JSON.stringify(stored.say), { kind: 'say', id, thread });
    return { ...stored, say };
  },
};

export const LIVE: RecordKind<CardPlace> = {
  name: 'live',
  entriesOf: () => [],
  workspaceOf: (_place, thread) => placeOf(thread as ThreadKey).team,
  read: (document, id) =>
    readDocument<CardPlace>(document, { kind: 'live', id, thread: id as ThreadKey }),
};

/** Adds to a commit what is not known yet. */
export async function addSays(draft: Draft, says: readonly Say[]): Promise<void> {
  draft.takeForNew(says.map(({ id }) => keyOf(SAY, id)));
  for (const say of says) {
    if (await draft.read(SAY, say.id)) continue;
    await draft.put(SAY, say.id, { say, order: nextOrder(say.createdAt) });
  }
}

/** Creates the outbox. */
export function createOutbox(records: Records, onDamaged: OnDamaged): Outbox {
  return {
    async add(says, wakes, fence) {
      const add = async (draft: Draft) => {
        await addSays(draft, says);
        askFor(draft, wakes);
      };
      await changeRecords(records, add, { fence: fenceOf(fence) });
    },
    async unsaid(thread) {
      const found = await listRecords(
        records,
        SAY,
        UNSAID,
        { prefix: unsaidIn(thread) },
        onDamaged,
      );
      return found.flatMap(({ say }) => say ?? []);
    },
    async markSaid(id) {
      const mark = async (draft: Draft) => {
        if (await draft.read(SAY, id)) await draft.put(SAY, id, SAID);
      };
      await changeRecords(records, mark, { durable: 'later' });
    },
    async unsaidThreads() {
      const found = await listRecords(records, SAY, UNSAID, {}, onDamaged);
      return [...new Set(found.flatMap(({ say }) => say?.thread ?? []))];
    },
    async placeLive(thread, place) {
      const set = (draft: Draft) =>
        place ? draft.put(LIVE, thread, place) : draft.remove(LIVE, thread);
      await changeRecords(records, set, { durable: 'later' });
    },
    liveOf: (thread) => readOne(records, LIVE, thread),
  };
}
