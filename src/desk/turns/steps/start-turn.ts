import type { GraphState } from '../../../domain/ports/agent.ts';
import type { DeskDeps } from '../../deps.ts';
import type { HeldTurn, TurnParts } from '../turn-parts.ts';
import type { UnlessPaused } from './unless-paused.ts';

/** Builds the first step of a turn: the agent gets the message and its attachments. */
export function createStartTurn(
  { store, agent }: Pick<DeskDeps, 'store' | 'agent'>,
  { closeLive, ingest, interactiveTurns, progress }: TurnParts,
  unlessPaused: UnlessPaused,
) {
  return async function startTurn(turn: HeldTurn): Promise<GraphState | undefined> {
    const { message, fence, work } = turn;
    const [pause] = await Promise.all([store.pause.read(), closeLive.leftover(message, fence)]);
    return await unlessPaused(turn, pause, async () => {
      if (message.files) progress.note(fence.thread, 'is reading the attachments…');
      const opened = await ingest(message, fence, work, 'turn');
      if (message.files && interactiveTurns.has(message)) await progress.thinking(message);
      return await agent.start(opened, fence, work.signal);
    });
  };
}
