/**
 * Slack may deliver two messages of a thread in the wrong order. The worker that holds the thread
 * therefore waits a moment before it takes up a message that an earlier one may still precede.
 * What may be late is stored with the message, so a crash or another replica changes nothing.
 */
import type { InboxMessage } from '../../../domain/threads/message.ts';
import { placeOf } from '../../../domain/threads/thread-key.ts';
import { isThreadCommand } from './command-words.ts';

/** How long an earlier message of the same thread may take longer to arrive. */
export const LATE_MESSAGE_MS = 300;
/** Replicas whose clocks differ by more are not ready. */
const MAX_SKEW_MS = 1_000;

/** Adds until when an earlier message may still arrive; nothing precedes the message that began its thread. */
export function withOrderDelay(message: InboxMessage): InboxMessage {
  const isFirst = placeOf(message.thread).root === message.ts;
  // In a direct message a command acts on the threads beside it, too.
  if (isFirst && !isThreadCommand(message)) return message;
  return { ...message, orderedAt: message.receivedAt + LATE_MESSAGE_MS };
}

/** Returns how long to wait before a message is taken up; `waiting` holds it, in the order of `ts`. */
export function msUntilOrdered(
  message: InboxMessage,
  waiting: readonly InboxMessage[],
  now: number,
): number {
  if (message.orderedAt === undefined) return 0;
  const at = waiting.findIndex(({ id }) => id === message.id);
  // A later message that has waited long enough has also given this one its time.
  const times = waiting.slice(Math.max(0, at)).flatMap(({ orderedAt }) => orderedAt ?? []);
  const ms = Math.min(message.orderedAt, ...times) - now;
  return ms > 0 && ms <= LATE_MESSAGE_MS + MAX_SKEW_MS ? ms : 0;
}
