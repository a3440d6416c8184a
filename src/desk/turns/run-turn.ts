/** Advances one turn, step by step, as far as it goes without people. */

import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { DeskDeps } from '../deps.ts';
import { type ActiveTurn, createRecoverTurn } from './recover-turn.ts';
import { createAnswerOpenCalls } from './steps/answer-open-calls.ts';
import { createFinishTurn } from './steps/finish-turn.ts';
import { createProceedTurn, createResumeTurn } from './steps/resume-turn.ts';
import { createStartTurn } from './steps/start-turn.ts';
import { createUnlessPaused } from './steps/unless-paused.ts';
import type { HeldTurn, TurnParts } from './turn-parts.ts';
import { isWholeTurn } from './turn-records.ts';

/** Builds the use case: true if the turn has ended, false if it waits. */
export function createRunTurn(deps: DeskDeps, parts: TurnParts) {
  const { store } = deps;
  const { graphCallResults, helperThreads } = parts;
  const { read, recover } = createRecoverTurn(deps);
  const { close, finish, endEarly } = createFinishTurn(deps, parts);
  const unlessPaused = createUnlessPaused(deps, parts);
  const startTurn = createStartTurn(deps, parts, unlessPaused);
  const proceedTurn = createProceedTurn(deps, unlessPaused);
  const answerOpenCalls = createAnswerOpenCalls(
    deps,
    parts,
    createResumeTurn(deps, parts, unlessPaused),
  );

  /** Why the turn must end now; undefined while it may continue. */
  async function causeToEnd(message: InboxMessage): Promise<WithdrawalCause | undefined> {
    return message.stopped ? 'stop' : await helperThreads.endedBy(message.thread);
  }

  /** Advances the graph one step; undefined if the thread must wait. */
  async function step(held: HeldTurn, state: GraphState, turn: ActiveTurn) {
    if (state.turn !== held.message.id) return await startTurn(held);
    if (state.phase === 'stuck') return await proceedTurn(held, state);
    return await answerOpenCalls(held, state, turn);
  }

  /** Advances the turn from a complete state. */
  async function runFrom(held: HeldTurn, first: GraphState, turn: ActiveTurn): Promise<boolean> {
    const { message, fence } = held;
    let state: GraphState | undefined = first;
    while (!isEnd(state, message)) {
      const cause = await causeToEnd(message);
      if (cause) return await endEarly(held, cause, turn);
      state = await step(held, state, turn);
      if (!state) return false;
      if (state.phase === 'unreadable' || !isWholeTurn(state, message.id, turn))
        throw new Error(STATE_LOST);
    }
    const { endClosedCalls } = graphCallResults;
    return await finish(held, state, await endClosedCalls(message.id, state, turn.calls, fence));
  }

  return async function runTurn(held: HeldTurn): Promise<boolean> {
    const { message, fence, work } = held;
    const [isSettled, turn] = await Promise.all([
      store.history.has(fence.thread, message.id),
      read(message, fence),
    ]);
    if (isSettled) return await close(held);
    const state = await recover(message, turn, fence, work.signal);
    if (state) return await runFrom(held, state, turn);
    return await endEarly(held, (await causeToEnd(message)) ?? 'lost', turn);
  };
}

/** Thrown so that the task is retried later with backoff; the retry recovers the state. */
const STATE_LOST = 'The stored state of the turn was lost while it was in progress.';

function isEnd(state: GraphState, message: InboxMessage): boolean {
  return state.turn === message.id && state.phase === 'finished';
}
