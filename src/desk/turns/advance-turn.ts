/**
 * Carries a thread on as far as it goes without people: idempotent, and safe at any time. It runs
 * under the thread's lease; tools do not run here.
 */

import type { Call } from '../../domain/calls/call.ts';
import { isHanded } from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import { sayKey, type ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { heldByPause } from '../control/pause-messages.ts';
import type { CloseLive } from '../delivery/close-live-answer.ts';
import type { LiveAnswers } from '../delivery/live-answer.ts';
import type { Progress } from '../delivery/thread-progress.ts';
import type { DeskDeps, Work } from '../deps.ts';
import type { createEndTurn, EndCause } from './end-turn.ts';
import { type HandedCalls, withUntaken } from './graph-calls/graph-call-results.ts';
import type { createReadOpenCalls, OpenCalls } from './graph-calls/open-calls.ts';
import type { HelperThreads } from './helper-threads.ts';
import { createAwaitedTurns } from './interactive-turns.ts';
import type { createAdmit } from './messages/check-sender.ts';
import type { createTakeIn } from './messages/ingest-attachments.ts';
import type { createHear } from './messages/message-while-waiting.ts';
import type { createHeed } from './messages/thread-commands.ts';
import { createNextTurn } from './next-turn.ts';
import { isForPeople, readWaiting, type Waiting } from './pending-work.ts';
import { createRecoverTurn, type TurnInHand } from './recover-turn.ts';
import { createSettleTurn } from './settle-turn.ts';
import { holdsTurn } from './turn-records.ts';

interface PumpParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly hear: ReturnType<typeof createHear>;
  readonly takeIn: ReturnType<typeof createTakeIn>;
  readonly admit: ReturnType<typeof createAdmit>;
  readonly heed: ReturnType<typeof createHeed>;
  readonly helperThreads: HelperThreads;
  readonly handed: HandedCalls;
  readonly progress: Progress;
  readonly live: LiveAnswers;
  readonly closeLive: CloseLive;
  readonly endTurn: ReturnType<typeof createEndTurn>;
}

/** Builds the use case: pumps a thread until it waits for people, for tools, or for the next message. */
export function createPump(deps: DeskDeps, parts: PumpParts) {
  const { readOpenCalls, hear, takeIn, helperThreads } = parts;
  const { handed, progress, live, closeLive, endTurn } = parts;
  const awaited = createAwaitedTurns(deps);
  const nextTurn = createNextTurn(deps, parts);
  const { settle, markTold } = createSettleTurn(deps, { awaited, closeLive });
  const { read, recover } = createRecoverTurn(deps);
  const { store, agent, clock, signals } = deps;

  /** Goes on to the model; undefined when a pause holds the turn up, which its thread is told once. */
  async function goOn(
    message: InboxMessage,
    fence: ThreadFence,
    pause: Pause | undefined,
    toModel: () => Promise<GraphState>,
  ): Promise<GraphState | undefined> {
    if (!pause) {
      if (awaited.has(message)) {
        await progress.thinking(message);
        live.begin(message);
      }
      return await toModel();
    }
    const now = clock.now();
    const say = heldByPause(message, pause, now);
    await store.outbox.add([say], [{ key: sayKey(say.thread), dueAt: now }], fence);
    progress.note(fence.thread, 'is paused', 'suspended');
    return undefined;
  }

  /** Why the turn must end as it stands; undefined while it may go on. */
  async function causeToEnd(message: InboxMessage): Promise<WithdrawalCause | undefined> {
    return message.stopped ? 'stop' : await helperThreads.endedBy(message.thread);
  }

  /** Carries the message's turn on; resolves with whether it has ended. */
  async function carryOn(message: InboxMessage, fence: ThreadFence, work: Work): Promise<boolean> {
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
    { calls }: TurnInHand,
    fence: ThreadFence,
  ): Promise<readonly Call[]> {
    if (agent.rebuild && !calls.some(isHanded)) return [];
    return await handed.endGone(message.id, state, fence);
  }

  /** Takes the turn on from a state that holds all of it. */
  async function goThrough(
    message: InboxMessage,
    first: GraphState,
    turn: TurnInHand,
    fence: ThreadFence,
    work: Work,
  ): Promise<boolean> {
    let state: GraphState | undefined = first;
    while (!isEnd(state, message)) {
      const cause = await causeToEnd(message);
      if (cause) return await breakOff(message, cause, fence, turn);
      state = await advance(message, state, turn, fence, work);
      if (!state) return false;
      if (state.phase === 'unreadable' || !holdsTurn(state, message.id, turn))
        throw new Error(GONE);
    }
    const untaken = await endGone(message, state, turn, fence);
    const isEnded = await settle(message, withUntaken(state, untaken), fence);
    return await close(message, fence, isEnded);
  }

  /** Ends a turn that can't go on, or that nobody waits for any more, as soon as nothing of it runs; resolves with whether it has ended. */
  async function breakOff(
    message: InboxMessage,
    cause: EndCause,
    fence: ThreadFence,
    { records }: TurnInHand,
  ): Promise<boolean> {
    if (await endTurn(message, cause, fence, { records, mark: awaited.mark }))
      return await close(message, fence);
    // Of a turn that was lost long ago nobody waits for the end.
    if (cause !== 'lost' || awaited.has(message)) progress.note(fence.thread, 'is stopping…');
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
    turn: TurnInHand,
    fence: ThreadFence,
    work: Work,
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
    const says = awaited.mark(message, await closeLive.beside(message, state, open.calls));
    if (says.length > 0) await store.outbox.add(says, awaited.wakeSay(message), fence);
    if (open.isDue) {
      const answers = { ...open, isLast: isLast(state, open) };
      return await resume(message, answers, pause, fence, signal);
    }
    const unanswered = open.calls.filter((call) => !call.outcome);
    const waiting = await readWaiting(store, unanswered);
    const takeReply = (reply: InboxMessage) => takeIn(reply, fence, work, 'reply');
    if (await hear(waiting, fence, { open: takeReply, signal })) return state;
    await rest(message, waiting);
    return undefined;
  }

  /** What waits for people may do so for days, and comes back with a thousand others. */
  async function rest(message: InboxMessage, waiting: Waiting): Promise<void> {
    if (awaited.has(message)) await progress.waiting(message.thread, waiting);
    if (isForPeople(waiting)) awaited.leave(message);
  }

  async function start(
    message: InboxMessage,
    fence: ThreadFence,
    work: Work,
  ): Promise<GraphState | undefined> {
    const [pause] = await Promise.all([store.pause.read(), closeLive.leftover(message, fence)]);
    return await goOn(message, fence, pause, async () => {
      if (message.files) progress.note(fence.thread, 'is reading what is attached…');
      const opened = await takeIn(message, fence, work, 'turn');
      if (message.files && awaited.has(message)) await progress.thinking(message);
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
    return endsTurn ? await go() : await goOn(message, fence, await store.pause.read(), go);
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
    return answers.isLast ? await take() : await goOn(message, fence, pause, take);
  }

  /** What a settled turn leaves behind is cleared; every step of it may be repeated. */
  async function close(message: InboxMessage, fence: ThreadFence, isEnded = false): Promise<true> {
    await helperThreads.report(message);
    await markTold(message, fence);
    await agent.forget(fence.thread, fence);
    if (!isEnded) await store.inbox.end(message.id, 'turn', {}, fence);
    progress.ended(fence.thread, awaited.has(message));
    awaited.leave(message);
    return true;
  }

  /** One turn, as far as it goes; resolves with whether there may be more to do at once. */
  async function pass(fence: ThreadFence, work: Work): Promise<boolean> {
    // Watched before the message is read: a stop is found on it, or comes as the signal.
    const stop = signals.watch(fence.thread);
    try {
      const message = await nextTurn(fence, work);
      if (!message) {
        // Whoever ended its turn may have died before it said so.
        if (work.tries > 0) progress.ended(fence.thread, false);
        return false;
      }
      await awaited.meet(message);
      const signal = AbortSignal.any([work.signal, stop.signal]);
      return await carryOn(message, fence, { ...work, signal }).catch((error: unknown) => {
        if (message.stopped || !stop.signal.aborted || work.signal.aborted) throw error;
        return true;
      });
    } finally {
      stop.release();
    }
  }

  /** Read together it is one round trip, and known as long as the thread is held; whoever needs it is told why it can't be read. */
  async function readAhead(thread: ThreadKey): Promise<void> {
    const { inbox, outbox, pause } = store;
    await Promise.allSettled([
      ...[inbox.current(thread), inbox.waiting(thread), pause.read()],
      ...[outbox.liveOf(thread), outbox.unsaid(thread)],
    ]);
  }

  return async function pump(thread: ThreadKey, work: Work): Promise<void> {
    const fence = { thread, token: work.fence };
    await readAhead(thread);
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
