import type { Profile } from '../../../domain/people/profile.ts';
import { explainRefusedSender, type SenderRefusal } from '../../../domain/people/sender-policy.ts';
import { deliverOutboxKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError } from '../../../domain/ports/chat.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import type { OutboxMessage } from '../../../domain/threads/outbox-message.ts';
import { placeOf } from '../../../domain/threads/thread-key.ts';
import { actorOf } from '../../calls/call-effects.ts';
import type { DeskDeps } from '../../deps.ts';

type CheckSenderDeps = Pick<DeskDeps, 'store' | 'clock' | 'directory' | 'senderPolicy'>;

/** Slack's retry time is kept; any other failed lookup blocks the message until it is fixed. */
export function toBlockedError(error: unknown): unknown {
  if (error instanceof ChatError && error.retryAfterMs !== undefined) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new BlockedUntilFixedError(why, { cause: error });
}

/**
 * Builds the check whether a message's author may talk to the agent in its channel. Throws while
 * the author can't be looked up.
 */
export function createCheckSenderPolicy({
  directory,
  senderPolicy,
}: Pick<CheckSenderDeps, 'directory' | 'senderPolicy'>) {
  return async function explainRefused(message: InboxMessage): Promise<SenderRefusal | undefined> {
    // Helpers get their work from the agent; the person was checked when the turn started.
    if (message.delegated) return undefined;
    const { author, thread } = message;
    return explainRefusedSender(await profileOf(), author, placeOf(thread).channel, senderPolicy);

    async function profileOf(): Promise<Profile> {
      try {
        return await directory.profileOf(author);
      } catch (error) {
        throw toBlockedError(error);
      }
    }
  };
}

/**
 * Builds the check before a message acts: true if it may. Otherwise ends it and tells its author
 * privately.
 */
export function createCheckSender(deps: CheckSenderDeps) {
  const { store, clock } = deps;
  const explainRefused = createCheckSenderPolicy(deps);

  return async function checkSender(message: InboxMessage, fence: ThreadFence): Promise<boolean> {
    const refusal = await explainRefused(message);
    if (!refusal) return true;
    const now = clock.now();
    const { id, thread, author } = message;
    const outboxMessage: OutboxMessage = {
      id: `refused:${id}`,
      thread,
      kind: 'private',
      to: author,
      text: refusal.sentence,
      createdAt: now,
    };
    const audit = {
      at: now,
      event: 'message.refuse',
      subject: id,
      actor: actorOf(author),
      detail: { thread, why: refusal.why },
    };
    const wakes = [{ key: deliverOutboxKey(thread), dueAt: now }];
    await store.inbox.end(
      id,
      'answered',
      { audit: [audit], outboxMessages: [outboxMessage], wakes },
      fence,
    );
    return false;
  };
}
