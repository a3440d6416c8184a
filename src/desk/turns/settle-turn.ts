import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { parentCallOf } from '../../domain/threads/thread-key.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import { describeUsage, turnUsageFacts } from '../delivery/usage-line.ts';
import type { DeskDeps } from '../deps.ts';
import type { InteractiveTurns } from './interactive-turns.ts';

/**
 * Builds the end of a turn: appends it to the history with its final messages, and marks its
 * outcomes as delivered.
 */
export function createSettleTurn(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'showsUsage'>,
  {
    interactiveTurns,
    closeLive,
  }: { readonly interactiveTurns: InteractiveTurns; readonly closeLive: CloseLiveAnswer },
) {
  const { store, clock } = deps;

  /** True if the message was ended in the same write. */
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
    const outboxMessages = interactiveTurns.mark(
      message,
      await closeLive.last(message, state, foot),
    );
    const wakes = outboxMessages.length > 0 ? interactiveTurns.deliveryWakes(message) : [];
    const facts = { ...(failure !== undefined && { failure }), ...(usage && { usage }) };
    await store.history.append(
      fence.thread,
      { id: message.id, settledAt: now, messages, ...facts },
      {
        ...{ outboxMessages, audit: [audit], wakes },
        delivered: await undeliveredCalls(store, message),
        // A helper's message ends once its result is reported.
        ...(isOfPeople && { messageEnds: [{ id: message.id, how: 'turn' }] }),
      },
      fence,
    );
    deps.log.info({ turn: message.id, event: audit.event, ...costs }, 'A turn has ended.');
    return isOfPeople;
  }

  /** A turn may have ended without its last outcomes. */
  async function markDelivered(message: InboxMessage, fence: ThreadFence): Promise<void> {
    const undelivered = await undeliveredCalls(store, message);
    if (undelivered.length > 0) await store.ledger.markDelivered(undelivered, fence);
  }

  return { settle: settleTurn, markDelivered };
}

/** Ids of calls whose outcomes are not marked as delivered. */
async function undeliveredCalls(
  { ledger }: DeskDeps['store'],
  { thread, id }: InboxMessage,
): Promise<readonly string[]> {
  const calls = await ledger.ofThread(thread, id);
  return calls.flatMap((call) => (call.outcome && !call.delivered ? call.id : []));
}
