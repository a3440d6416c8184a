/**
 * Advances a thread as far as it goes without people. Idempotent; runs under the thread's lease;
 * runs no tools.
 */

import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import { deliverOutboxKey, type ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { HelperThreads } from '../calls/execution/helper-threads.ts';
import { type PendingWork, readPendingWork, waitsForPeopleOnly } from '../calls/pending-work.ts';
import { pausedThreadNotice } from '../control/pause-messages.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import type { LiveAnswers } from '../delivery/live-answer.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { createEndTurn, EndCause } from './end-turn.ts';
import { type GraphCallResults, withUnusedDecision } from './graph-calls/graph-call-results.ts';
import type { createReadOpenCalls, OpenCalls } from './graph-calls/open-calls.ts';
import { createInteractiveTurns } from './interactive-turns.ts';
import type { createCheckSender } from './messages/check-sender.ts';
import type { createIngestAttachments } from './messages/ingest-attachments.ts';
import type { createMessageWhileWaiting } from './messages/message-while-waiting.ts';
import type { createThreadCommands } from './messages/thread-commands.ts';
import { createNextTurn, preloadThread } from './next-turn.ts';
import { type ActiveTurn, createRecoverTurn } from './recover-turn.ts';
import { createSettleTurn } from './settle-turn.ts';
import { isWholeTurn } from './turn-records.ts';

interface AdvanceTurnParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly handleMessages: ReturnType<typeof createMessageWhileWaiting>;
  readonly ingest: ReturnType<typeof createIngestAttachments>;
  readonly checkSender: ReturnType<typeof createCheckSender>;
  readonly threadCommands: ReturnType<typeof createThreadCommands>;
  readonly helperThreads: HelperThreads;
  readonly graphCallResults: GraphCallResults;
  readonly progress: ThreadProgress;
  readonly live: LiveAnswers;
  readonly closeLive: CloseLiveAnswer;
  readonly endTurn: ReturnType<typeof createEndTurn>;
}

/** Builds the use case: advances a thread until it waits for people, tools, or the next message. */
export function createAdvanceTurn(deps: DeskDeps, parts: AdvanceTurnParts) {
  const { readOpenCalls, handleMessages, ingest, helperThreads } = parts;
  const { graphCallResults, progress, live, closeLive, endTurn } = parts;
  const interactiveTurns = createInteractiveTurns(deps);
  const nextTurn = createNextTurn(deps, parts);
  const { settle, markDelivered } = createSettleTurn(deps, { interactiveTurns, closeLive });
  const { read, recover } = createRecoverTurn(deps);
  const { store, agent, clock, signals } = deps;

  /** Calls the model; undefined while a pause blocks the turn, which its thread is told once. */
  async function runAgentStep(
    message: InboxMessage,
    fence: ThreadFence,
    pause: Pause | undefined,
    callModel: () => Promise<GraphState>,
  ): Promise<GraphState | undefined> {
    if (!pause) {
      if (interactiveTurns.has(message)) {
        await progress.thinking(message);
        live.begin(message);
      }
      return await callModel();
    }
    const now = clock.now();
    const outboxMessage = pausedThreadNotice(message, pause, now);
    await store.outbox.add(
      [outboxMessage],
      [{ key: deliverOutboxKey(outboxMessage.thread), dueAt: now }],
      fence,
    );
    progress.note(fence.thread, 'is paused', 'suspended');
    return undefined;
  }

  /** Why the turn must end now; undefined while it may continue. */
  async function causeToEnd(message: InboxMessage): Promise<WithdrawalCause | undefined> {
    return message.stopped ? 'stop' : await helperThreads.endedBy(message.thread);
  }

  /** Advances the message's turn; true if it has ended. */
  async function advanceTurn(
    message: InboxMessage,
    fence: ThreadFence,
    work: HeldWork,
  ): Promise<boolean> {
    const [isSettled, turn] = await Promise.all([
      store.history.has(fence.thread, message.id),
      read(message, fence),
    ]);
    if (isSettled) return await close(message, fence);
    const state = await recover(message, turn, fence, work.signal);
    if (state) return await runTurn(message, state, turn, fence, work);
    return await endEarly(message, (await causeToEnd(message)) ?? 'lost', fence, turn);
  }

  /** Our graph leaves no open calls, but another graph may have started the turn. */
  async function endClosedCalls(
    message: InboxMessage,
    state: GraphState,
    { calls }: ActiveTurn,
    fence: ThreadFence,
  ): Promise<readonly Call[]> {
    if (agent.rebuild && !calls.some((call) => behaviourOf(call).runBy === 'graph')) return [];
    return await graphCallResults.endClosedCalls(message.id, state, fence);
  }

  /** Advances the turn from a complete state. */
  async function runTurn(
    message: InboxMessage,
    first: GraphState,
    turn: ActiveTurn,
    fence: ThreadFence,
    work: HeldWork,
  ): Promise<boolean> {
    let state: GraphState | undefined = first;
    while (!isEnd(state, message)) {
      const cause = await causeToEnd(message);
      if (cause) return await endEarly(message, cause, fence, turn);
      state = await step(message, state, turn, fence, work);
      if (!state) return false;
      if (state.phase === 'unreadable' || !isWholeTurn(state, message.id, turn))
        throw new Error(STATE_LOST);
    }
    const undelivered = await endClosedCalls(message, state, turn, fence);
    const isEnded = await settle(message, withUnusedDecision(state, undelivered), fence);
    return await close(message, fence, isEnded);
  }

  /** Ends a turn early once nothing of it runs any more; true if it has ended. */
  async function endEarly(
    message: InboxMessage,
    cause: EndCause,
    fence: ThreadFence,
    { records }: ActiveTurn,
  ): Promise<boolean> {
    if (await endTurn(message, cause, fence, { records, mark: interactiveTurns.mark }))
      return await close(message, fence);
    // Nobody waits for the end of a turn that was lost long ago.
    if (cause !== 'lost' || interactiveTurns.has(message))
      progress.note(fence.thread, 'is stopping…');
    return false;
  }

  /**
   * Advances the graph one step; undefined if the thread must wait. Our graph is resumed once all
   * calls of a message have outcomes, because each resume runs every waiting task again.
   * Other graphs are resumed as soon as they can continue.
   */
  async function step(
    message: InboxMessage,
    state: GraphState,
    turn: ActiveTurn,
    fence: ThreadFence,
    work: HeldWork,
  ): Promise<GraphState | undefined> {
    const { signal } = work;
    if (state.turn !== message.id) return await start(message, fence, work);
    if (state.phase === 'stuck') {
      return await proceed(message, state, fence, signal);
    }
    await endClosedCalls(message, state, turn, fence);
    const [open, pause] = await Promise.all([
      readOpenCalls(message, state, turn, fence, work),
      store.pause.read(),
    ]);
    const outboxMessages = interactiveTurns.mark(
      message,
      await closeLive.beside(message, state, open.calls),
    );
    if (outboxMessages.length > 0)
      await store.outbox.add(outboxMessages, interactiveTurns.deliveryWakes(message), fence);
    if (open.isDue) {
      const answers = { ...open, isLast: isLast(state, open) };
      return await resume(message, answers, pause, fence, signal);
    }
    const unanswered = open.calls.filter((call) => !call.outcome);
    const waiting = await readPendingWork(store, unanswered);
    const ingestReply = (reply: InboxMessage) => ingest(reply, fence, work, 'reply');
    if (await handleMessages(waiting, fence, { open: ingestReply, signal })) return state;
    await waitForPeople(message, waiting);
    return undefined;
  }

  /** A thread that waits for people may do so for days, so it leaves the interactive turns. */
  async function waitForPeople(message: InboxMessage, waiting: PendingWork): Promise<void> {
    if (interactiveTurns.has(message)) await progress.waiting(message.thread, waiting);
    if (waitsForPeopleOnly(waiting)) interactiveTurns.leave(message);
  }

  async function start(
    message: InboxMessage,
    fence: ThreadFence,
    work: HeldWork,
  ): Promise<GraphState | undefined> {
    const [pause] = await Promise.all([store.pause.read(), closeLive.leftover(message, fence)]);
    return await runAgentStep(message, fence, pause, async () => {
      if (message.files) progress.note(fence.thread, 'is reading the attachments…');
      const opened = await ingest(message, fence, work, 'turn');
      if (message.files && interactiveTurns.has(message)) await progress.thinking(message);
      return await agent.start(opened, fence, work.signal);
    });
  }

  async function proceed(
    message: InboxMessage,
    { endsTurn }: GraphState,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState | undefined> {
    const go = () => agent.proceed(fence.thread, fence, signal);
    return endsTurn ? await go() : await runAgentStep(message, fence, await store.pause.read(), go);
  }

  async function resume(
    message: InboxMessage,
    answers: OpenCalls & { readonly isLast: boolean },
    pause: Pause | undefined,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState | undefined> {
    const { replies, answered } = answers;
    const take = async () => {
      const next = await agent.resume(fence.thread, replies, fence, signal);
      await graphCallResults.finishTaken(answered, next);
      // For our graph, the end of the turn marks the calls as delivered.
      if (!agent.rebuild) await store.ledger.markDelivered([...answered.keys()], fence);
      return next;
    };
    return answers.isLast ? await take() : await runAgentStep(message, fence, pause, take);
  }

  /** Cleans up after a settled turn; every step is idempotent. */
  async function close(message: InboxMessage, fence: ThreadFence, isEnded = false): Promise<true> {
    await helperThreads.report(message);
    await markDelivered(message, fence);
    await agent.forget(fence.thread, fence);
    if (!isEnded) await store.inbox.end(message.id, 'turn', {}, fence);
    progress.ended(fence.thread, interactiveTurns.has(message));
    interactiveTurns.leave(message);
    return true;
  }

  /** Advances one turn; true if there may be more to do at once. */
  async function pass(fence: ThreadFence, work: HeldWork): Promise<boolean> {
    // Watch first, then read the message: a stop is found by one of the two.
    const stop = signals.watch(fence.thread);
    try {
      const message = await nextTurn(fence, work);
      if (!message) {
        // The worker that ended the turn may have died before it set the status.
        if (work.tries > 0) progress.ended(fence.thread, false);
        return false;
      }
      await interactiveTurns.watchTurn(message);
      const signal = AbortSignal.any([work.signal, stop.signal]);
      return await advanceTurn(message, fence, { ...work, signal }).catch((error: unknown) => {
        if (message.stopped || !stop.signal.aborted || work.signal.aborted) throw error;
        return true;
      });
    } finally {
      stop.release();
    }
  }

  return async function advanceThread(thread: ThreadKey, work: HeldWork): Promise<void> {
    const fence = { thread, token: work.fence };
    await preloadThread(store, thread);
    try {
      while (await pass(fence, work));
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

/** Thrown so that the task is retried later with backoff; the retry recovers the state. */
const STATE_LOST = 'The stored state of the turn was lost while it was in progress.';

/** The turn ends with these answers, so the model is not called and a pause does not matter. */
function isLast({ endsTurn }: GraphState, { replies }: OpenCalls): boolean {
  return endsTurn === true || Object.values(replies).some((reply) => reply.endsTurn);
}

function isEnd(state: GraphState, message: InboxMessage): boolean {
  return state.turn === message.id && state.phase === 'finished';
}
