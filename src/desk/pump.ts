/**
 * Carries a thread on as far as it goes without people: idempotent, and safe at any time. It runs
 * under the thread's lease; tools do not run here.
 */

import type { ThreadFence } from '../domain/agenda.ts';
import type { GraphState } from '../domain/agent.ts';
import type { InboxMessage } from '../domain/message.ts';
import type { WithdrawalCause } from '../domain/outcome.ts';
import type { ThreadKey } from '../domain/thread-key.ts';
import type { DeskDeps, Work } from './deps.ts';
import type { createHear } from './hear.ts';
import type { HelperThreads } from './helper-threads.ts';
import type { createReadOpenCalls } from './open-calls.ts';
import type { Progress } from './progress.ts';
import { lastWords, wakeSay, wordsBesideCalls } from './turn-words.ts';
import { readWaiting } from './waiting.ts';

interface PumpParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly hear: ReturnType<typeof createHear>;
  readonly helperThreads: HelperThreads;
  readonly progress: Progress;
}

/** Builds the use case: pumps a thread until it waits for people, for tools, or for the next message. */
export function createPump(
  deps: DeskDeps,
  { readOpenCalls, hear, helperThreads, progress }: PumpParts,
) {
  const { store, agent, clock } = deps;

  async function beginNext({ thread, token }: ThreadFence): Promise<InboxMessage | undefined> {
    const [next] = await store.inbox.waiting(thread);
    if (!next) return undefined;
    return (await store.inbox.begin(next.id, {}, { thread, token })) ? next : undefined;
  }

  /** Carries the message's turn on; resolves with whether it has ended. */
  async function carryOn(
    message: InboxMessage,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { thread } = fence;
    if (await store.history.has(thread, message.id)) return await close(message, fence);
    let state: GraphState | undefined = await agent.read(thread);
    while (state && !isEnd(state, message)) {
      const cause = await helperThreads.endedBy(thread);
      if (cause) return await breakOff(message, cause, fence);
      state = await advance(message, state, fence, signal);
    }
    if (!state) return false;
    await settle(message, state, fence);
    return await close(message, fence);
  }

  /** Ends a turn that nobody waits for any more, as soon as nothing of it runs; resolves with whether it has ended. */
  async function breakOff(
    message: InboxMessage,
    cause: WithdrawalCause,
    fence: ThreadFence,
  ): Promise<boolean> {
    return (await helperThreads.withdrawAll(message, cause)) && (await close(message, fence));
  }

  /**
   * Takes the graph one step on, from the turn's beginning; undefined when the thread has to wait.
   * It is resumed once, when all of a message's calls have their outcomes: the model sees them
   * together in any case, and each resume would run every waiting task of the batch again.
   */
  async function advance(
    message: InboxMessage,
    state: GraphState,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState | undefined> {
    const { thread } = fence;
    if (state.turn !== message.id) {
      await progress.thinking(thread);
      return await agent.start(message, fence, signal);
    }
    if (state.phase === 'stuck') return await agent.proceed(thread, fence, signal);
    const open = await readOpenCalls(message, state.open, fence);
    const now = clock.now();
    const says = wordsBesideCalls(message, state, open.calls, now);
    if (says.length > 0) await store.outbox.add(says, wakeSay(message, now), fence);
    const unanswered = open.calls.filter((call) => !call.outcome);
    if (unanswered.length === 0) {
      await progress.thinking(thread);
      const next = await agent.resume(thread, open.replies, fence, signal);
      await store.ledger.markDelivered(open.answered, fence);
      return next;
    }
    const waiting = await readWaiting(store, unanswered);
    if (await hear(waiting, fence)) return state;
    await progress.waiting(thread, waiting);
    return undefined;
  }

  async function settle(
    message: InboxMessage,
    state: GraphState,
    fence: ThreadFence,
  ): Promise<void> {
    const now = clock.now();
    const { messages } = state;
    const audit = {
      at: now,
      event: state.failure ? 'turn.failed' : 'turn.settled',
      subject: message.id,
      actor: 'countersign',
      detail: { messages: messages.length },
    };
    const says = lastWords(message, state, now);
    const wakes = says.length > 0 ? wakeSay(message, now) : [];
    const effects = { says, audit: [audit], wakes };
    await store.history.append(
      fence.thread,
      {
        id: message.id,
        settledAt: now,
        messages,
        ...(state.failure !== undefined && { failure: state.failure }),
      },
      effects,
      fence,
    );
  }

  /** What a settled turn leaves behind is cleared; every step of it may be repeated. */
  async function close(message: InboxMessage, fence: ThreadFence): Promise<true> {
    await helperThreads.report(message);
    await agent.forget(fence.thread, fence);
    await store.inbox.end(message.id, 'turn', {}, fence);
    progress.ended(fence.thread);
    return true;
  }

  return async function pump(thread: ThreadKey, work: Work): Promise<void> {
    const fence = { thread, token: work.fence };
    for (;;) {
      const message = (await store.inbox.current(thread)) ?? (await beginNext(fence));
      if (!message || !(await carryOn(message, fence, work.signal))) return;
    }
  };
}

function isEnd(state: GraphState, message: InboxMessage): boolean {
  return state.turn === message.id && state.phase === 'finished';
}
