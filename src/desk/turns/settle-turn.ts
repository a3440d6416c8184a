import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { parentCallOf } from '../../domain/threads/thread-key.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import { describeUsage, turnUsageFacts } from '../delivery/usage-line.ts';
import type { DeskDeps } from '../deps.ts';
import type { InteractiveTurns } from './interactive-turns.ts';

/** Builds the use cases at the end of a turn: it is appended to the history with its last words, and its outcomes are marked as taken. */
export function createSettleTurn(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'showsUsage'>,
  {
    awaited,
    closeLive,
  }: { readonly awaited: InteractiveTurns; readonly closeLive: CloseLiveAnswer },
) {
  const { store, clock } = deps;

  /** Resolves with whether its message has ended with it. */
  async function settleTurn(
    message: InboxMessage,
    state: GraphState,
    fence: ThreadFence,
  ): Promise<boolean> {
    const now = clock.now();
    const { messages, usage, failure } = state;
    const costs = turnUsageFacts(message, usage, now);
    const audit = {
      at: now,
      event: failure ? 'turn.failed' : 'turn.settled',
      subject: message.id,
      actor: 'countersign',
      detail: { messages: messages.length, ...costs },
    };
    const isOfPeople = parentCallOf(fence.thread) === undefined;
    const foot = deps.showsUsage ? describeUsage(usage) : undefined;
    const outboxMessages = awaited.mark(message, await closeLive.last(message, state, foot));
    const wakes = outboxMessages.length > 0 ? awaited.wakeSay(message) : [];
    const facts = { ...(failure !== undefined && { failure }), ...(usage && { usage }) };
    await store.history.append(
      fence.thread,
      { id: message.id, settledAt: now, messages, ...facts },
      {
        ...{ says: outboxMessages, audit: [audit], wakes },
        delivered: await untold(message),
        // The end of a helper's is written once it is reported.
        ...(isOfPeople && { messageEnds: [{ id: message.id, how: 'turn' }] }),
      },
      fence,
    );
    deps.log.info({ turn: message.id, event: audit.event, ...costs }, 'A turn has ended.');
    return isOfPeople;
  }

  /** Calls of a turn whose outcomes are not marked as taken. */
  async function untold({ thread, id }: InboxMessage): Promise<readonly string[]> {
    const calls = await store.ledger.ofThread(thread, id);
    return calls.flatMap((call) => (call.outcome && !call.delivered ? call.id : []));
  }

  /** A turn may have ended without its last answers. */
  async function markTold(message: InboxMessage, fence: ThreadFence): Promise<void> {
    const told = await untold(message);
    if (told.length > 0) await store.ledger.markDelivered(told, fence);
  }

  return { settle: settleTurn, markTold };
}
