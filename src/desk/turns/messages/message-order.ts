/**
 * Slack may deliver two messages of a thread in the wrong order. So the worker waits briefly before
 * it starts a message that an earlier one may still precede. The wait is stored with the message
 * and survives crashes.
 */
import type { InboxMessage } from '../../../domain/threads/message.ts';
import { placeOf } from '../../../domain/threads/thread-key.ts';
import { isThreadCommand } from './command-words.ts';

/** How much later than its successor an earlier message of the thread may arrive. */
export const LATE_MESSAGE_MS = 300;
/** Replicas whose clocks differ by more are not ready. */
const MAX_SKEW_MS = 1_000;

/**
 * Adds the time until which an earlier message may still arrive. Nothing precedes the first message
 * of a thread.
 */
export function withOrderDelay(message: InboxMessage): InboxMessage {
  const isFirst = placeOf(message.thread).root === message.ts;
  // In a direct message, a command also acts on other threads.
  if (isFirst && !isThreadCommand(message)) return message;
  return { ...message, orderedAt: message.receivedAt + LATE_MESSAGE_MS };
}

/** How long to wait (ms) before a message is started. `waiting` must contain it, sorted by `ts`. */
export function msUntilOrdered(
  message: InboxMessage,
  waiting: readonly InboxMessage[],
  now: number,
): number {
  if (message.orderedAt === undefined) return 0;
  const at = waiting.findIndex(({ id }) => id === message.id);
  // A later message that has waited long enough has given this one enough time too.
  const times = waiting.slice(Math.max(0, at)).flatMap(({ orderedAt }) => orderedAt ?? []);
  const ms = Math.min(message.orderedAt, ...times) - now;
  return ms > 0 && ms <= LATE_MESSAGE_MS + MAX_SKEW_MS ? ms : 0;
}
