/**
 * Advances a thread as far as it goes without people. Idempotent; runs under the thread's lease;
 * runs no tools.
 */

import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { createInteractiveTurns } from './interactive-turns.ts';
import { createNextTurn, type NextTurnParts } from './next-turn.ts';
import { createRunTurn } from './run-turn.ts';
import type { TurnParts } from './turn-parts.ts';

/** Builds the use case: advances a thread until it waits for people, tools, or the next message. */
export function createAdvanceTurn(
  deps: DeskDeps,
  parts: Omit<TurnParts, 'interactiveTurns'> & NextTurnParts,
) {
  const { store, agent, signals } = deps;
  const interactiveTurns = createInteractiveTurns(deps);
  const nextTurn = createNextTurn(deps, parts);
  const runTurn = createRunTurn(deps, { ...parts, interactiveTurns });

  /** Advances one turn; true if there may be more to do at once. */
  async function advanceNext(fence: ThreadFence, work: HeldWork): Promise<boolean> {
    // Watch first, then read the message: a stop is found by one of the two.
    const stop = signals.watch(fence.thread);
    try {
      const message = await nextTurn(fence, work);
      if (!message) {
        // The worker that ended the turn may have died before it set the status.
        if (work.tries > 0) parts.progress.ended(fence.thread, false);
        return false;
      }
      await interactiveTurns.watchTurn(message);
      const signal = AbortSignal.any([work.signal, stop.signal]);
      const held = { message, fence, work: { ...work, signal } };
      return await runTurn(held).catch((error: unknown) => {
        if (message.stopped || !stop.signal.aborted || work.signal.aborted) throw error;
        return true;
      });
    } finally {
      stop.release();
    }
  }

  return async function advanceThread(thread: ThreadKey, work: HeldWork): Promise<void> {
    const fence = { thread, token: work.fence };
    await store.preload(thread);
    try {
      while (await advanceNext(fence, work));
    } catch (error) {
      // Keeps the model's answer for the next try, if the store accepts it.
      await agent.rest?.(fence).catch((cause: unknown) => {
        deps.log.debug({ err: cause, thread }, 'Could not save the state of a turn.');
      });
      throw error;
    }
    await agent.rest?.(fence);
  };
}
