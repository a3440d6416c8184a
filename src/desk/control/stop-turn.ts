import type { Person } from '../../domain/people/person.ts';
import { advanceTurnKey, deliverOutboxKey } from '../../domain/ports/agenda.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { sentence } from '../../domain/text/sentence.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { depthOf } from '../../domain/threads/thread-key.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';

/**
 * Builds the use case: stops a message's turn and its helpers. False if it has ended or was stopped
 * before.
 */
export function createStopTurn({
  store,
  clock,
  signals,
}: Pick<DeskDeps, 'store' | 'clock' | 'signals'>) {
  /** Stores the stop before anything is aborted, so that aborted work can find the reason. */
  async function markStopped(
    message: InboxMessage,
    by: Person,
    messageEnds: Effects['messageEnds'],
  ): Promise<boolean> {
    const now = clock.now();
    const { id, thread } = message;
    const audit = { at: now, event: 'turn.stop', subject: id, actor: actorOf(by) };
    const outboxMessages = depthOf(thread) === 0 ? [stoppedTurnNotice(message, by, now)] : [];
    return await store.inbox.stop(id, by, now, {
      audit: [{ ...audit, detail: { thread } }],
      outboxMessages,
      wakes: [advanceTurnKey(thread), deliverOutboxKey(thread)].map((key) => ({ key, dueAt: now })),
      ...(messageEnds && { messageEnds }),
    });
  }

  return async function stopTurn(
    message: InboxMessage,
    by: Person,
    /** Written in the same commit. */
    extra: Pick<Effects, 'messageEnds'> = {},
  ): Promise<boolean> {
    if (!(await markStopped(message, by, extra.messageEnds))) return false;
    const [team = '', channel = ''] = message.thread.split('/');
    for (const each of await store.inbox.ongoing({ team, channel })) {
      if (each.thread.startsWith(`${message.thread}/`)) await markStopped(each, by, undefined);
    }
    signals.stop(message.thread);
    return true;
  };
}

function stoppedTurnNotice(
  { id, thread, author }: InboxMessage,
  by: Person,
  createdAt: number,
): OutboxMessage {
  const words = toOutboxWords(sentence`${{ person: by.user }} stopped this.`);
  return { id: `stopped:${id}`, thread, kind: 'notice', to: author, ...words, createdAt };
}
