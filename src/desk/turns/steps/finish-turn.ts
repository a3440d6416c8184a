import type { Call } from '../../../domain/calls/call.ts';
import type { GraphState } from '../../../domain/ports/agent.ts';
import type { DeskDeps } from '../../deps.ts';
import type { EndCause } from '../end-turn.ts';
import { withUnusedDecision } from '../graph-calls/undelivered-decisions.ts';
import type { ActiveTurn } from '../recover-turn.ts';
import { createSettleTurn } from '../settle-turn.ts';
import type { HeldTurn, TurnParts } from '../turn-parts.ts';

/** Builds the last steps of a turn: each answers whether the turn has ended. */
export function createFinishTurn(
  deps: Pick<DeskDeps, 'store' | 'agent' | 'clock' | 'log' | 'showsUsage'>,
  parts: TurnParts,
) {
  const { store, agent } = deps;
  const { endTurn, helperThreads, interactiveTurns, progress } = parts;
  const { settle, markDelivered } = createSettleTurn(deps, parts);

  /** Cleans up after a settled turn; every step is idempotent. */
  async function close({ message, fence }: HeldTurn, isMessageEnded = false): Promise<true> {
    await helperThreads.report(message);
    await markDelivered(message, fence);
    await agent.forget(fence.thread, fence);
    if (!isMessageEnded) await store.inbox.end(message.id, 'turn', {}, fence);
    progress.ended(fence.thread, interactiveTurns.has(message));
    interactiveTurns.leave(message);
    return true;
  }

  /** Settles a turn whose agent has finished. */
  async function finish(held: HeldTurn, state: GraphState, undelivered: readonly Call[]) {
    const { message, fence } = held;
    return await close(held, await settle(message, withUnusedDecision(state, undelivered), fence));
  }

  /** Ends a turn early once nothing of it runs any more. */
  async function endEarly(
    held: HeldTurn,
    cause: EndCause,
    { records }: ActiveTurn,
  ): Promise<boolean> {
    const { message, fence } = held;
    if (await endTurn(message, cause, fence, { records, mark: interactiveTurns.mark }))
      return await close(held);
    // Nobody waits for the end of a turn that was lost long ago.
    if (cause !== 'lost' || interactiveTurns.has(message))
      progress.note(fence.thread, 'is stopping…');
    return false;
  }

  return { close, finish, endEarly };
}
