/** How messages are stored, and how they end. */
import { DamagedRecordError } from '../../../domain/audit/damaged-record.ts';
import type { MessageEnd } from '../../../domain/ports/store.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';
import type { CommitDraft } from './change-records.ts';
import { checkRecord, parseDocument } from './read-record.ts';
import type { RecordKind } from './read-records.ts';

/** After the end only its id and state remain, so that a repeated delivery is still recognized. */
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
    return [
      known,
      { partition: OPEN_MESSAGES, sort: `${openIn(thread, state)}${sortTs(message.ts)}` },
    ];
  },
  read(document, id, { at = '' }) {
    // If the document is unreadable, its position still tells the thread.
    const thread = at.includes('|') ? threadOfOpen(at) : undefined;
    const record = { kind: 'message', id, ...(thread && { thread: thread as ThreadKey }) } as const;
    const stored = parseDocument<StoredMessage>(document, record);
    const isOpen = stored.state === 'waiting' || stored.state === 'current';
    if (
      typeof stored.thread !== 'string' ||
      (isOpen && !stored.message) ||
      !STATES.has(stored.state)
    ) {
      throw new DamagedRecordError('parts of it are missing', { record });
    }
    if (!stored.message) return stored;
    const name = { ...record, thread: stored.thread };
    return { ...stored, message: checkRecord('message', stored.message, name) };
  },
};

/** Waiting and current messages of all threads. */
export const OPEN_MESSAGES = 'message.open';

/** Prefix of the positions of a thread's open messages; thread keys contain no bar. */
export function openIn(thread: ThreadKey, state: StoredMessage['state']): string {
  return `${thread}|${state === 'current' ? 'c' : 'w'}`;
}

/** The thread of an open message's position. */
export function threadOfOpen(at: string): ThreadKey {
  return at.slice(0, at.indexOf('|')) as ThreadKey;
}

/** The seconds may differ in length; the six decimals don't. */
function sortTs(ts: string): string {
  const [seconds = '', decimals = ''] = ts.split('.');
  return `${seconds.padStart(13, '0')}.${decimals}`;
}

/** Ends a waiting or current message; false if it is neither. */
export async function endMessage(
  draft: CommitDraft,
  id: string,
  how: MessageEnd,
): Promise<boolean> {
  const stored = await draft.read(MESSAGE, id);
  if (!stored?.message) return false;
  await draft.put(MESSAGE, id, { thread: stored.thread, state: how });
  return true;
}
