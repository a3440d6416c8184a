/**
 * Carries a thread on as far as it goes without people: idempotent, and safe at any time. It runs
 * under the thread's lease; tools do not run here.
 */

import type { ThreadFence } from '../domain/agenda.ts';
import type { GraphState } from '../domain/agent.ts';
import type { Call } from '../domain/call.ts';
import type { InboxMessage } from '../domain/message.ts';
import type { ThreadKey } from '../domain/thread-key.ts';
import type { CloseLive } from './close-live.ts';
import type { DeskDeps, Work } from './deps.ts';
import type { createHear } from './hear.ts';
import type { LiveAnswers } from './live-answer.ts';
import type { createReadOpenCalls } from './open-calls.ts';
import type { StatusLine } from './status-line.ts';
import { wakeSay } from './turn-words.ts';

interface PumpParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly hear: ReturnType<typeof createHear>;
  readonly status: StatusLine;
  readonly live: LiveAnswers;
  readonly closeLive: CloseLive;
}

const THINKING = 'is thinking…';

/** Builds the use case: pumps a thread until it waits for people, for tools, or for the next message. */
export function createPump(deps: DeskDeps, parts: PumpParts) {
  const { store, agent, clock } = deps;
  const { readOpenCalls, hear, status, live, closeLive } = parts;

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
    if (await store.history.has(fence.thread, message.id)) return await close(message, fence);
    let state: GraphState | undefined = await agent.read(fence.thread);
    if (state.turn !== message.id) {
      await closeLive.leftover(message, fence);
      think(message);
      state = await agent.start(message, fence, signal);
    }
    while (state && state.phase !== 'finished')
      state = await advance(message, state, fence, signal);
    if (!state) return false;
    await settle(message, state, fence);
    return await close(message, fence);
  }

  /**
   * Takes the graph one step on; undefined when the thread has to wait. It is resumed once, when all
   * of a message's calls have their outcomes: the model sees them together in any case, and each
   * resume would run every waiting task of the batch again.
   */
  async function advance(
    message: InboxMessage,
    state: GraphState,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState | undefined> {
    const { thread } = fence;
    if (state.phase === 'stuck') {
      live.begin(message);
      return await agent.proceed(thread, fence, signal);
    }
    const open = await readOpenCalls(message, state.open, fence);
    const says = await closeLive.beside(message, state, open.calls);
    if (says.length > 0) await store.outbox.add(says, wakeSay(message, clock.now()), fence);
    const waiting = open.calls.filter((call) => !call.outcome);
    if (waiting.length === 0) {
      think(message);
      const next = await agent.resume(thread, open.replies, fence, signal);
      await store.ledger.markDelivered(open.answered, fence);
      return next;
    }
    if (await hear(waiting, fence)) return state;
    tell(thread, waitingFor(waiting));
    return undefined;
  }

  function think(message: InboxMessage): void {
    tell(message.thread, THINKING);
    live.begin(message);
  }

  /** A message that grows says it better, and setting the status beside it would only flicker. */
  function tell(thread: ThreadKey, text: string): void {
    if (!live.isOpen(thread)) status.set(thread, text);
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
    const says = await closeLive.last(message, state);
    const effects = { says, audit: [audit], wakes: wakeSay(message, now) };
    await store.history.append(
      fence.thread,
      { id: message.id, settledAt: now, messages },
      effects,
      fence,
    );
  }

  /** What a settled turn leaves behind is cleared; every step of it may be repeated. */
  async function close(message: InboxMessage, fence: ThreadFence): Promise<true> {
    await agent.forget(fence.thread, fence);
    await store.inbox.end(message.id, 'turn', {}, fence);
    status.set(fence.thread, '');
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

function waitingFor(calls: readonly Call[]): string {
  const running = calls.filter(({ status }) => status === 'running' || status === 'approved');
  if (running.length > 0) return `is running ${running.map(({ tool }) => tool).join(', ')}…`;
  if (calls.some(({ status }) => status === 'unknown')) {
    return 'waits until somebody says what happened to the interrupted call';
  }
  return 'is waiting for a decision on the card';
}
