import type { GraphState } from '../../../domain/ports/agent.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import { type PendingWork, readPendingWork, waitsForPeopleOnly } from '../../calls/pending-work.ts';
import type { DeskDeps } from '../../deps.ts';
import type { OpenCalls } from '../graph-calls/open-calls.ts';
import type { ActiveTurn } from '../recover-turn.ts';
import type { HeldTurn, TurnParts } from '../turn-parts.ts';
import type { createResumeTurn } from './resume-turn.ts';

/**
 * Builds the step of a graph that waits for its calls. Our graph is resumed once all calls of a
 * message have outcomes, because each resume runs every waiting task again. Other graphs are
 * resumed as soon as they can continue.
 */
export function createAnswerOpenCalls(
  { store }: Pick<DeskDeps, 'store'>,
  parts: TurnParts,
  resumeTurn: ReturnType<typeof createResumeTurn>,
) {
  const { closeLive, graphCallResults, handleMessages, ingest, readOpenCalls } = parts;
  const { interactiveTurns, progress } = parts;

  /** Posts what the agent wrote beside its calls. */
  async function postText({ message, fence }: HeldTurn, state: GraphState, { calls }: OpenCalls) {
    const text = interactiveTurns.mark(message, await closeLive.beside(message, state, calls));
    if (text.length === 0) return;
    await store.outbox.add(text, interactiveTurns.deliveryWakes(message), fence);
  }

  /** A thread that waits for people may do so for days, so it leaves the interactive turns. */
  async function waitForPeople(message: InboxMessage, waiting: PendingWork): Promise<void> {
    if (interactiveTurns.has(message)) await progress.waiting(message.thread, waiting);
    if (waitsForPeopleOnly(waiting)) interactiveTurns.leave(message);
  }

  return async function answerOpenCalls(
    held: HeldTurn,
    state: GraphState,
    turn: ActiveTurn,
  ): Promise<GraphState | undefined> {
    const { message, fence, work } = held;
    await graphCallResults.endClosedCalls(message.id, state, turn.calls, fence);
    const [open, pause] = await Promise.all([
      readOpenCalls(message, state, turn, fence, work),
      store.pause.read(),
    ]);
    await postText(held, state, open);
    if (open.isDue) return await resumeTurn(held, state, open, pause);
    const unanswered = open.calls.filter((call) => !call.outcome);
    const waiting = await readPendingWork(store, unanswered);
    const ingestReply = (reply: InboxMessage) => ingest(reply, fence, work, 'reply');
    const { signal } = work;
    if (await handleMessages(waiting, fence, { open: ingestReply, signal })) return state;
    await waitForPeople(message, waiting);
    return undefined;
  };
}
