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

/** What becomes of a turn's growing message where the turn pauses or ends: things to say, in order. */
export interface CloseLiveAnswer {
  /** Takes away what an earlier turn has left. */
  leftover(message: InboxMessage, fence: ThreadFence): Promise<void>;
  /** The words beside open calls; people who decide are not to wait beside a message that seems to grow. */
  beside(
    message: InboxMessage,
    state: GraphState,
    calls: readonly Call[],
  ): Promise<readonly OutboxMessage[]>;
  /** The last words of a turn, with `foot` below its answer. */
  last(message: InboxMessage, state: GraphState, foot?: string): Promise<readonly OutboxMessage[]>;
  /** What people saw of a turn that was ended before it was over; `words` is what the agent had written, `isStopped` whether a person stopped it. */
  ended(
    message: InboxMessage,
    words: string,
    isStopped: boolean,
  ): Promise<readonly OutboxMessage[]>;
}

/** Builds the ends of growing messages: whatever people saw is said, or gone. */
export function createCloseLiveAnswer(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  live: LiveAnswers,
): CloseLiveAnswer {
  /** The message of the agent whose words were taken from the growing message. */
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
      const grown = await live.finish(thread);
      if (!calls.some(isForPeople)) live.progress(message, calls);
      if (grown === undefined) return words;
      const seen = words.length > 0 ? words : newestText(message, state, now);
      return [...seen, clearLiveMessage(message, grown.place, now)];
    },
    async last(message, state, foot) {
      taken.delete(message.thread);
      const now = clock.now();
      const grown = await live.finish(message.thread);
      const outboxMessages = finalMessages(message, state, now, foot);
      if (grown === undefined) return outboxMessages;
      const isAnswered = outboxMessages.some(({ kind }) => kind === 'answer');
      const broken =
        isAnswered || state.failure ? [] : interruptedMessage(message, grown.text, now);
      return [...broken, ...outboxMessages, clearLiveMessage(message, grown.place, now)];
    },
    async ended(message, words, isStopped) {
      taken.delete(message.thread);
      const grown = await live.finish(message.thread);
      if (grown === undefined) return [];
      const now = clock.now();
      const seen = interruptedMessage(
        message,
        words || grown.text,
        now,
        isStopped ? STOPPED : undefined,
      );
      return [...seen, clearLiveMessage(message, grown.place, now)];
    },
  };
}

const STOPPED = 'It was stopped here.';

function isForPeople(call: Call): boolean {
  return call.status === 'pending' || call.status === 'unknown' || isDelegated(call);
}

/** A helper may ask people on cards of its own, for as long as it works. */
function isDelegated({ child, outcome }: Call): boolean {
  return child !== undefined && outcome === undefined;
}
