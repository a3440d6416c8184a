/** The message that a requester sends by clicking Ask Again on an expired call. */
import { createHash } from 'node:crypto';
import type { Person } from '../people/person.ts';
import { type InboxMessage, messageId } from './message.ts';
import { placeOf, rootOf, type ThreadKey } from './thread-key.ts';

/** What the message says of the expired call. */
interface ExpiredCall {
  readonly id: string;
  readonly thread: ThreadKey;
  readonly tool: string;
  readonly requester: Person;
  readonly updatedAt: number;
}

/** Creates that message. Its id is derived from the call, so repeated clicks make one message. */
export function askAgainMessage(call: ExpiredCall, now: number): InboxMessage {
  const thread = rootOf(call.thread);
  const { channel } = placeOf(thread);
  const { team } = call.requester;
  const ts = `${Math.floor(call.updatedAt / 1_000)}.${fractionOf(call.id)}`;
  return {
    id: messageId({ team, channel, ts }),
    thread,
    author: call.requester,
    ts,
    text: `Nobody decided on your call of “${call.tool}” in time. I still want it: make the very same call again.`,
    receivedAt: now,
  };
}

/** Nine digits can't collide with Slack's timestamps, which have six. */
function fractionOf(id: string): string {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6) % 1e9;
  return String(number).padStart(9, '0');
}
