import type { Call } from '../../domain/calls/call.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';
import type { LiveAnswers } from './live-answer.ts';
import {
  clearLiveMessage,
  finalMessages,
  interruptedMessage,
  newestText,
  outboxWake,
  textBesideCalls,
} from './turn-outbox.ts';

/** Ends a turn's live message when the turn pauses or ends. Returns outbox messages in order. */
export interface CloseLiveAnswer {
  /** Removes the live message that an earlier turn has left. */
  leftover(message: InboxMessage, fence: ThreadFence): Promise<void>;
  /** The text beside open calls. A live message must not seem to grow while people decide. */
  beside(
    message: InboxMessage,
    state: GraphState,
    calls: readonly Call[],
  ): Promise<readonly OutboxMessage[]>;
  /** The final messages of a turn, with `foot` below its answer. */
  last(message: InboxMessage, state: GraphState, foot?: string): Promise<readonly OutboxMessage[]>;
  /**
   * The shown part of a turn that was ended early. `words` is the agent's text; `isStopped` if a
   * person stopped it.
   */
  ended(
    message: InboxMessage,
    words: string,
    isStopped: boolean,
  ): Promise<readonly OutboxMessage[]>;
}

/** Builds the ends of live messages: text that people saw is either posted or removed. */
export function createCloseLiveAnswer(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  live: LiveAnswers,
): CloseLiveAnswer {
  /** Per thread, the agent message whose text has been taken from the live message. */
  const taken = new Map<ThreadKey, string | undefined>();

  return {
    async leftover(message, fence) {
      const left = await live.finish(message.thread);
      if (left === undefined) return;
      const now = clock.now();
      const outboxMessage = clearLiveMessage(message, left.place, now);
      await store.outbox.add([outboxMessage], outboxWake(message, now), fence);
    },
    async beside(message, state, calls) {
      const { thread } = message;
      const now = clock.now();
      const words = textBesideCalls(message, state, calls, now);
      const last = state.messages.findLast(({ role }) => role === 'assistant')?.id;
      const isSaid = words.length === 0 || taken.get(thread) === last;
      if (isSaid && !calls.some(isForPeople)) {
        live.progress(message, calls);
        return words;
      }
      taken.set(thread, last);
      const shown = await live.finish(thread);
      if (!calls.some(isForPeople)) live.progress(message, calls);
      if (shown === undefined) return words;
      const seen = words.length > 0 ? words : newestText(message, state, now);
      return [...seen, clearLiveMessage(message, shown.place, now)];
    },
    async last(message, state, foot) {
      taken.delete(message.thread);
      const now = clock.now();
      const shown = await live.finish(message.thread);
      const outboxMessages = finalMessages(message, state, now, foot);
      if (shown === undefined) return outboxMessages;
      const isAnswered = outboxMessages.some(({ kind }) => kind === 'answer');
      const broken =
        isAnswered || state.failure ? [] : interruptedMessage(message, shown.text, now);
      return [...broken, ...outboxMessages, clearLiveMessage(message, shown.place, now)];
    },
    async ended(message, words, isStopped) {
      taken.delete(message.thread);
      const shown = await live.finish(message.thread);
      if (shown === undefined) return [];
      const now = clock.now();
      const seen = interruptedMessage(
        message,
        words || shown.text,
        now,
        isStopped ? STOPPED : undefined,
      );
      return [...seen, clearLiveMessage(message, shown.place, now)];
    },
  };
}

const STOPPED = 'Stopped here.';

function isForPeople(call: Call): boolean {
  return call.status === 'pending' || call.status === 'unknown' || isDelegated(call);
}

/** A helper may ask people on its own cards as long as it works. */
function isDelegated({ child, outcome }: Call): boolean {
  return child !== undefined && outcome === undefined;
}
