import type { ThreadFence } from '../domain/agenda.ts';
import type { GraphState } from '../domain/agent.ts';
import type { InboxMessage } from '../domain/message.ts';
import type { AwaitedTurns } from './awaited-turns.ts';
import type { CloseLive } from './close-live.ts';
import type { DeskDeps } from './deps.ts';
import { turnCosts, usageLine } from './turn-usage.ts';

/** Builds the use cases at the end of a turn: it is appended to the history with its last words, and its outcomes are marked as taken. */
export function createSettleTurn(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'showsUsage'>,
  { awaited, closeLive }: { readonly awaited: AwaitedTurns; readonly closeLive: CloseLive },
) {
  const { store, clock } = deps;

  async function settle(
    message: InboxMessage,
    state: GraphState,
    fence: ThreadFence,
  ): Promise<void> {
    const now = clock.now();
    const { messages, usage, failure } = state;
    const costs = turnCosts(message, usage, now);
    const audit = {
      at: now,
      event: failure ? 'turn.failed' : 'turn.settled',
      subject: message.id,
      actor: 'countersign',
      detail: { messages: messages.length, ...costs },
    };
    const foot = deps.showsUsage ? usageLine(usage) : undefined;
    const says = awaited.mark(message, await closeLive.last(message, state, foot));
    const wakes = says.length > 0 ? awaited.wakeSay(message) : [];
    const facts = { ...(failure !== undefined && { failure }), ...(usage && { usage }) };
    await store.history.append(
      fence.thread,
      { id: message.id, settledAt: now, messages, ...facts },
      { says, audit: [audit], wakes },
      fence,
    );
    deps.log.info({ turn: message.id, event: audit.event, ...costs }, 'A turn has ended.');
  }

  /** A crash may lie between an answer and its mark. */
  async function markTold({ thread, id }: InboxMessage, fence: ThreadFence): Promise<void> {
    const calls = await store.ledger.ofThread(thread, id);
    const told = calls.filter(({ outcome, delivered }) => outcome && !delivered);
    if (told.length === 0) return;
    await store.ledger.markDelivered(
      told.map((call) => call.id),
      fence,
    );
  }

  return { settle, markTold };
}
