import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { isSamePerson, type Person } from '../../domain/people/person.ts';
import { advanceTurnKey, deliverOutboxKey } from '../../domain/ports/agenda.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { askAgainMessage } from '../../domain/threads/ask-again-message.ts';
import { toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';
import { createRecordRefusal } from './refusals.ts';

/** The result of asking again. A turn has started only for `asked`. */
export type AskAgainOutcome =
  | { readonly kind: 'asked' | 'asked-before' | 'not-the-requester' }
  /** The call has not expired, or does not exist. */
  | { readonly kind: 'not-expired' };

/** Builds the use case: starts a new turn that asks for an expired call again. */
export function createAskAgain({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  const recordRefusal = createRecordRefusal({ store, clock });

  return async function askAgain(command: {
    readonly callId: string;
    readonly by: Person;
  }): Promise<AskAgainOutcome> {
    const call = await store.ledger.get(command.callId);
    const action = { ...command, decision: 'ask-again' } as const;
    if (call?.status !== 'expired' || !behaviourOf(call).canAskAgain) {
      await recordRefusal(action, call ? { kind: 'already-decided', call } : { kind: 'not-found' });
      return { kind: 'not-expired' };
    }
    if (!isSamePerson(call.requester, command.by)) {
      await recordRefusal(action, { kind: 'not-allowed', call, why: 'not the requester' });
      return { kind: 'not-the-requester' };
    }
    const now = clock.now();
    const message = askAgainMessage(call, now);
    const audit = {
      at: now,
      event: 'call.ask-again',
      subject: call.id,
      actor: actorOf(command.by),
    };
    const outboxMessage = {
      id: `again:${call.id}`,
      thread: message.thread,
      kind: 'notice' as const,
      ...toOutboxWords(sentence`Asked again: ${callTitlePart(call)}.`),
      createdAt: now,
    };
    const received = await store.inbox.receive(message, {
      audit: [{ ...audit, detail: { message: message.id } }],
      outboxMessages: [outboxMessage],
      wakes: [deliverOutboxKey(message.thread), advanceTurnKey(message.thread)].map((key) => ({
        key,
        dueAt: now,
      })),
    });
    if (received === 'new') return { kind: 'asked' };
    await recordRefusal(action, { kind: 'already-voted', call, missing: 0 });
    return { kind: 'asked-before' };
  };
}
