import type { GraphState } from '../../../domain/ports/agent.ts';
import type { Pause } from '../../../domain/threads/pause.ts';
import type { DeskDeps } from '../../deps.ts';
import type { OpenCalls } from '../graph-calls/open-calls.ts';
import type { HeldTurn, TurnParts } from '../turn-parts.ts';
import type { UnlessPaused } from './unless-paused.ts';

/** Builds the step that gives a graph the outcomes of its calls. */
export function createResumeTurn(
  { store, agent }: Pick<DeskDeps, 'store' | 'agent'>,
  { graphCallResults }: TurnParts,
  unlessPaused: UnlessPaused,
) {
  return async function resumeTurn(
    turn: HeldTurn,
    state: GraphState,
    open: OpenCalls,
    pause: Pause | undefined,
  ): Promise<GraphState | undefined> {
    const { message, fence, work } = turn;
    const { replies, answered } = open;
    const resume = async () => {
      const next = await agent.resume(fence.thread, replies, fence, work.signal);
      await graphCallResults.finishTaken(message.id, next, answered, fence);
      // For our graph, the end of the turn marks the calls as delivered.
      if (!agent.rebuild) await store.ledger.markDelivered([...answered.keys()], fence);
      return next;
    };
    return endsTurn(state, open) ? await resume() : await unlessPaused(turn, pause, resume);
  };
}

/** The turn ends with these answers, so the model is not called and a pause does not matter. */
function endsTurn(state: GraphState, { replies }: OpenCalls): boolean {
  return state.endsTurn === true || Object.values(replies).some((reply) => reply.endsTurn);
}

/** Builds the step of a graph that stopped between two of its tasks, for example in a crash. */
export function createProceedTurn(
  { store, agent }: Pick<DeskDeps, 'store' | 'agent'>,
  unlessPaused: UnlessPaused,
) {
  return async function proceedTurn(
    turn: HeldTurn,
    state: GraphState,
  ): Promise<GraphState | undefined> {
    const { fence, work } = turn;
    const proceed = () => agent.proceed(fence.thread, fence, work.signal);
    return state.endsTurn
      ? await proceed()
      : await unlessPaused(turn, await store.pause.read(), proceed);
  };
}
