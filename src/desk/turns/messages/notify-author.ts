import type { Call } from '../../../domain/calls/call.ts';
import { callTitlePart } from '../../../domain/cards/call-name.ts';
import { deliverOutboxKey, runCallKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { Effects } from '../../../domain/ports/store.ts';
import { type Sentence, sentence } from '../../../domain/text/sentence.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import { type OutboxMessage, toOutboxWords } from '../../../domain/threads/outbox-message.ts';
import { leafCallsOf, type PendingWork } from '../../calls/pending-work.ts';
import type { DeskDeps } from '../../deps.ts';

type NotifyDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** Ends a message that is only a "yes": its author is told about the buttons. No call changes. */
export async function pointToCard(
  { store, clock }: NotifyDeps,
  message: InboxMessage,
  fence: ThreadFence,
): Promise<false> {
  const effects = notifyAuthor(
    message,
    'use-card',
    'A message does not approve anything. Please use the buttons on the card.',
    clock.now(),
  );
  await store.inbox.end(message.id, 'answered', effects, fence);
  return false;
}

/**
 * Tells the author which calls the message waits for. Also retries runs that were given up, as the
 * notice promised. False: no pending call changes.
 */
export async function notifyWaitingCalls(
  { store, clock }: NotifyDeps,
  message: InboxMessage,
  fence: ThreadFence,
  waiting: PendingWork,
): Promise<false> {
  const now = clock.now();
  const leaves = leafCallsOf(waiting);
  const effects = notifyAuthor(message, 'waits', describeBlockingCalls(leaves), now);
  const approved = leaves.filter(({ status }) => status === 'approved');
  const runs = approved.map((call) => ({ key: runCallKey(call), dueAt: now }));
  await store.outbox.add(effects.outboxMessages, [...effects.wakes, ...runs], fence);
  return false;
}

function notifyAuthor(message: InboxMessage, what: string, words: Sentence, now: number) {
  const outboxMessage: OutboxMessage = {
    id: `${what}:${message.id}`,
    thread: message.thread,
    kind: 'private',
    to: message.author,
    ...toOutboxWords(words),
    createdAt: now,
  };
  return {
    outboxMessages: [outboxMessage],
    wakes: [{ key: deliverOutboxKey(message.thread), dueAt: now }],
  } satisfies Effects;
}

/** Names the call that a message waits for: running or unknown calls before pending ones. */
function describeBlockingCalls(leaves: readonly Call[]): Sentence {
  const [call] = [...leaves.filter(({ status }) => status !== 'pending'), ...leaves];
  if (!call) return 'I’ll read this when the work in this thread is done.';
  const others = leaves.length - 1;
  const more =
    others === 0 ? '' : ` and ${others === 1 ? '1 other call' : `${others} other calls`}`;
  const verb = others === 0 ? 'is' : 'are';
  return sentence`I’ll read this when ${callTitlePart(call)}${more} ${verb} done.`;
}
