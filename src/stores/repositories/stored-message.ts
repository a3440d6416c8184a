/** Messages as they are stored, and how they end. */
import { DamagedRecordError } from '../../domain/damage.ts';
import type { InboxMessage } from '../../domain/message.ts';
import type { MessageEnd } from '../../domain/store.ts';
import { placeOf, type ThreadKey } from '../../domain/thread-key.ts';
import { readDocument, readRecord } from '../read-record.ts';
import type { IndexEntry } from '../records/records.ts';
import type { Draft } from './change-records.ts';
import type { RecordKind } from './read-records.ts';

/** Of one that has ended only this much is kept: it is known for ever. */
interface StoredMessage {
  readonly thread: ThreadKey;
  readonly state: 'waiting' | 'current' | MessageEnd;
  readonly message?: InboxMessage;
}

const STATES: ReadonlySet<StoredMessage['state']> = new Set([
  'waiting',
  'current',
  'turn',
  'reply',
  'answered',
]);

export const MESSAGE: RecordKind<StoredMessage> = {
  name: 'message',
  entriesOf({ message, state, thread }) {
    const known = { partition: `message.thread|${thread}`, sort: '0' };
    if (!message) return [known];
    const { channel, team } = placeOf(thread);
    const open = [
      { partition: `message.${state}|${thread}`, sort: sortTs(message.ts) },
      { partition: 'message.open', sort: thread },
      { partition: openOf(thread), sort: '0' },
    ];
    const ongoing: readonly IndexEntry[] =
      state === 'current'
        ? [team, `${team}/${channel}`].map((place) => ({
            partition: `message.ongoing|${place}`,
            sort: thread,
          }))
        : [];
    return [known, ...open, ...ongoing];
  },
  read(document, id, { partition }) {
    // Of one that can't be read this tells whose it is.
    const thread = /^message\.(?:waiting|current)\|(.*)$/s.exec(partition ?? '')?.[1];
    const record = { kind: 'message', id, ...(thread && { thread: thread as ThreadKey }) } as const;
    const stored = readDocument<StoredMessage>(document, record);
    const isOpen = stored.state === 'waiting' || stored.state === 'current';
    if (
      typeof stored.thread !== 'string' ||
      (isOpen && !stored.message) ||
      !STATES.has(stored.state)
    ) {
      throw new DamagedRecordError('parts of it are gone', { record });
    }
    if (!stored.message) return stored;
    const text = JSON.stringify(stored.message);
    return {
      ...stored,
      message: readRecord('message', text, { ...record, thread: stored.thread }),
    };
  },
};

/** The partition of the messages of a family of threads that are waiting or going on. */
export function openOf(thread: ThreadKey): string {
  const { channel, root, team } = placeOf(thread);
  return `message.family|${team}/${channel}/${root}`;
}

/** Seconds may differ in length, their six decimals do not. */
function sortTs(ts: string): string {
  const [seconds = '', decimals = ''] = ts.split('.');
  return `${seconds.padStart(13, '0')}.${decimals}`;
}

/** Ends a message that is waiting or going on; false where it is not. */
export async function endMessage(draft: Draft, id: string, how: MessageEnd): Promise<boolean> {
  const stored = await draft.read(MESSAGE, id);
  if (!stored?.message) return false;
  await draft.put(MESSAGE, id, { thread: stored.thread, state: how });
  return true;
}
