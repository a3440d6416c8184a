import { deliverOutboxKey } from '../../../domain/ports/agenda.ts';
import type { GraphState } from '../../../domain/ports/agent.ts';
import type { Pause } from '../../../domain/threads/pause.ts';
import { pausedThreadNotice } from '../../control/pause-messages.ts';
import type { DeskDeps } from '../../deps.ts';
import type { HeldTurn, TurnParts } from '../turn-parts.ts';

export type UnlessPaused = ReturnType<typeof createUnlessPaused>;

/**
 * Builds the guard of the steps that call the model: runs one, or during a pause tells the thread
 * once and returns undefined.
 */
export function createUnlessPaused(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  { interactiveTurns, live, progress }: TurnParts,
) {
  return async function unlessPaused(
    { message, fence }: HeldTurn,
    pause: Pause | undefined,
    call: () => Promise<GraphState>,
  ): Promise<GraphState | undefined> {
    if (!pause) {
      if (interactiveTurns.has(message)) {
        await progress.thinking(message);
        live.begin(message);
      }
      return await call();
    }
    const now = clock.now();
    const notice = pausedThreadNotice(message, pause, now);
    const wake = { key: deliverOutboxKey(notice.thread), dueAt: now };
    await store.outbox.add([notice], [wake], fence);
    progress.note(fence.thread, 'is paused', 'suspended');
    return undefined;
  };
}
