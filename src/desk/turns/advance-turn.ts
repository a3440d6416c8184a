/**
 * Carries a thread on as far as it goes without people: idempotent, and safe at any time. It runs
 * under the thread's lease; tools do not run here.
 */

import type { Call } from '../../domain/calls/call.ts';
import { isRunByGraph } from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import { deliverOutboxKey, type ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { pausedThreadNotice } from '../control/pause-messages.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import type { LiveAnswers } from '../delivery/live-answer.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { createEndTurn, EndCause } from './end-turn.ts';
import { type GraphCallResults, withUnusedDecision } from './graph-calls/graph-call-results.ts';
import type { createReadOpenCalls, OpenCalls } from './graph-calls/open-calls.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createInteractiveTurns } from './interactive-turns.ts';
import type { createCheckSender } from './messages/check-sender.ts';
import type { createIngestAttachments } from './messages/ingest-attachments.ts';
import type { createMessageWhileWaiting } from './messages/message-while-waiting.ts';
import type { createThreadCommands } from './messages/thread-commands.ts';
import { createNextTurn, preloadThread } from './next-turn.ts';
import { type PendingWork, readPendingWork, waitsForPeopleOnly } from './pending-work.ts';
import { type ActiveTurn, createRecoverTurn } from './recover-turn.ts';
import { createSettleTurn } from './settle-turn.ts';
import { isWholeTurn } from './turn-records.ts';

interface AdvanceTurnParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly hear: ReturnType<typeof createMessageWhileWaiting>;
  readonly takeIn: ReturnType<typeof createIngestAttachments>;
  readonly admit: ReturnType<typeof createCheckSender>;
  readonly heed: ReturnType<typeof createThreadCommands>;
  readonly helperThreads: HelperThreads;
  readonly handed: GraphCallResults;
  readonly progress: ThreadProgress;
  readonly live: LiveAnswers;
  readonly closeLive: CloseLiveAnswer;
  readonly endTurn: ReturnType<typeof createEndTurn>;
}

/** Builds the use case: pumps a thread until it waits for people, for tools, or for the next message. */
export function createAdvanceTurn(deps: DeskDeps, parts: AdvanceTurnParts) {
  const { readOpenCalls, hear, takeIn, helperThreads } = parts;
  const { handed, progress, live, closeLive, endTurn } = parts;
  const interactiveTurns = createInteractiveTurns(deps);
  const nextTurn = createNextTurn(deps, parts);
  const { settle, markTold } = createSettleTurn(deps, { awaited: interactiveTurns, closeLive });
  const { read, recover } = createRecoverTurn(deps);
  const { store, agent, clock, signals } = deps;

  /** Goes on to the model; undefined when a pause holds the turn up, which its thread is told once. */
  async function runAgentStep(
    message: InboxMessage,
    fence: ThreadFence,
    pause: Pause | undefined,
    toModel: () => Promise<GraphState>,
  ): Promise<GraphState | undefined> {
    if (!pause) {
      if (interactiveTurns.has(message)) {
        await progress.thinking(message);
        live.begin(message);
      }
      return await toModel();
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

  /** Why the turn must end as it stands; undefined while it may go on. */
  async function causeToEnd(message: InboxMessage): Promise<WithdrawalCause | undefined> {
    return message.stopped ? 'stop' : await helperThreads.endedBy(message.thread);
  }

  /** Carries the message's turn on; resolves with whether it has ended. */
  async function carryOn(
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
    if (state) return await goThrough(message, state, turn, fence, work);
    return await breakOff(message, (await causeToEnd(message)) ?? 'lost', fence, turn);
  }

  /** Ours leaves no calls behind, but one of another graph may have begun the turn. */
  async function endGone(
    message: InboxMessage,
    state: GraphState,
    { calls }: ActiveTurn,
    fence: ThreadFence,
  ): Promise<readonly Call[]> {
    if (agent.rebuild && !calls.some(isRunByGraph)) return [];
    return await handed.endGone(message.id, state, fence);
  }

  /** Takes the turn on from a state that holds all of it. */
  async function goThrough(
    message: InboxMessage,
    first: GraphState,
    turn: ActiveTurn,
    fence: ThreadFence,
    work: HeldWork,
  ): Promise<boolean> {
    let state: GraphState | undefined = first;
    while (!isEnd(state, message)) {
      const cause = await causeToEnd(message);
      if (cause) return await breakOff(message, cause, fence, turn);
      state = await advance(message, state, turn, fence, work);
      if (!state) return false;
      if (state.phase === 'unreadable' || !isWholeTurn(state, message.id, turn))
        throw new Error(GONE);
    }
    const untaken = await endGone(message, state, turn, fence);
    const isEnded = await settle(message, withUnusedDecision(state, untaken), fence);
    return await close(message, fence, isEnded);
  }

  /** Ends a turn that can't go on, or that nobody waits for any more, as soon as nothing of it runs; resolves with whether it has ended. */
  async function breakOff(
    message: InboxMessage,
    cause: EndCause,
    fence: ThreadFence,
    { records }: ActiveTurn,
  ): Promise<boolean> {
    if (await endTurn(message, cause, fence, { records, mark: interactiveTurns.mark }))
      return await close(message, fence);
    // Of a turn that was lost long ago nobody waits for the end.
    if (cause !== 'lost' || interactiveTurns.has(message))
      progress.note(fence.thread, 'is stopping…');
    return false;
  }

  /**
   * Takes the graph one step on; undefined when the thread has to wait. Ours is resumed once, when all
   * of a message's calls have their outcomes: the model sees them together in any case, and each
   * resume would run every waiting task of the batch again. One that runs its own tools is as soon as
   * it can go on with any.
   */
  async function advance(
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
    await endGone(message, state, turn, fence);
    const [open, pause] = await Promise.all([
      readOpenCalls(message, state, turn, fence, work),
      store.pause.read(),
    ]);
    const outboxMessages = interactiveTurns.mark(
      message,
      await closeLive.beside(message, state, open.calls),
    );
    if (outboxMessages.length > 0)
      await store.outbox.add(outboxMessages, interactiveTurns.wakeSay(message), fence);
    if (open.isDue) {
      const answers = { ...open, isLast: isLast(state, open) };
      return await resume(message, answers, pause, fence, signal);
    }
    const unanswered = open.calls.filter((call) => !call.outcome);
    const waiting = await readPendingWork(store, unanswered);
    const takeReply = (reply: InboxMessage) => takeIn(reply, fence, work, 'reply');
    if (await hear(waiting, fence, { open: takeReply, signal })) return state;
    await rest(message, waiting);
    return undefined;
  }

  /** What waits for people may do so for days, and comes back with a thousand others. */
  async function rest(message: InboxMessage, waiting: PendingWork): Promise<void> {
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
      if (message.files) progress.note(fence.thread, 'is reading what is attached…');
      const opened = await takeIn(message, fence, work, 'turn');
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
      await handed.finishTaken(answered, next);
      // Ours is told by its messages what it has taken; the end of the turn marks it.
      if (!agent.rebuild) await store.ledger.markDelivered([...answered.keys()], fence);
      return next;
    };
    return answers.isLast ? await take() : await runAgentStep(message, fence, pause, take);
  }

  /** What a settled turn leaves behind is cleared; every step of it may be repeated. */
  async function close(message: InboxMessage, fence: ThreadFence, isEnded = false): Promise<true> {
    await helperThreads.report(message);
    await markTold(message, fence);
    await agent.forget(fence.thread, fence);
    if (!isEnded) await store.inbox.end(message.id, 'turn', {}, fence);
    progress.ended(fence.thread, interactiveTurns.has(message));
    interactiveTurns.leave(message);
    return true;
  }

  /** One turn, as far as it goes; resolves with whether there may be more to do at once. */
  async function pass(fence: ThreadFence, work: HeldWork): Promise<boolean> {
    // Watched before the message is read: a stop is found on it, or comes as the signal.
    const stop = signals.watch(fence.thread);
    try {
      const message = await nextTurn(fence, work);
      if (!message) {
        // Whoever ended its turn may have died before it said so.
        if (work.tries > 0) progress.ended(fence.thread, false);
        return false;
      }
      await interactiveTurns.watchTurn(message);
      const signal = AbortSignal.any([work.signal, stop.signal]);
      return await carryOn(message, fence, { ...work, signal }).catch((error: unknown) => {
        if (message.stopped || !stop.signal.aborted || work.signal.aborted) throw error;
        return true;
      });
    } finally {
      stop.release();
    }
  }

  return async function pump(thread: ThreadKey, work: HeldWork): Promise<void> {
    const fence = { thread, token: work.fence };
    await preloadThread(store, thread);
    try {
      while (await pass(fence, work));
    } catch (error) {
      // What the model has said is kept for the next try, where the store takes it.
      await agent.rest?.(fence).catch((cause: unknown) => {
        deps.log.debug({ err: cause, thread }, 'The state of a turn was not kept.');
      });
      throw error;
    }
    await agent.rest?.(fence);
  };
}

/** It is tried again, and recovered then; at once and for ever would be too often. */
const GONE = 'The stored state of the turn was lost while it was worked on.';

/** An answer that ends the turn keeps the model out of it, and a pause does not matter. */
function isLast({ endsTurn }: GraphState, { replies }: OpenCalls): boolean {
  return endsTurn === true || Object.values(replies).some((reply) => reply.endsTurn);
}

function isEnd(state: GraphState, message: InboxMessage): boolean {
  return state.turn === message.id && state.phase === 'finished';
}
