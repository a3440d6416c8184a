/** What is said, each once and in order. */
import { ChatError } from '../../domain/ports/chat.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from './channel-rate-limiter.ts';
import { endsLiveAnswer } from './turn-outbox.ts';

type DeliverOutboxDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>;

/** How often words are tried that Slack refuses as they are, or where they were to be said. */
const TRIES: Partial<Readonly<Record<ChatError['code'], number>>> = {
  rejected: 3,
  undeliverable: 30,
};

function isHopeless(error: unknown, { tries }: HeldWork): boolean {
  const most = error instanceof ChatError ? TRIES[error.code] : undefined;
  return most !== undefined && tries + 1 >= most;
}

/** Builds the use case: says what a thread's outbox holds, in order, each once; what Slack keeps refusing does not hold up the rest. */
export function createDeliverOutbox(
  { store, chat, clock, log }: DeliverOutboxDeps,
  pace: ChannelRateLimiter,
) {
  /** What grew in the thread becomes of this say before it counts as said: never of a later one. */
  async function show(each: OutboxMessage, work: HeldWork): Promise<void> {
    const live = endsLiveAnswer(each) ? await store.outbox.liveMessageOf(each.thread) : undefined;
    await work.assertHeld();
    if (!each.clearsLive) await chat.postOutboxMessage(each, { lookFirst: work.tries > 0, live });
    else if (live) await chat.clearLive(each.thread, live);
    if (live) await store.outbox.placeLiveMessage(each.thread, undefined);
  }

  async function deliverOne(each: OutboxMessage, work: HeldWork): Promise<void> {
    try {
      await show(each, work);
    } catch (error) {
      if (!isHopeless(error, work)) throw error;
      log.error({ err: error, say: each.id, thread: each.thread }, 'Words could not be said.');
      if (each.kind === 'answer')
        await store.outbox.add([undeliverableNotice(each, clock.now())], []);
    }
    await store.outbox.markSent(each.id);
  }

  return async function deliverOutbox(thread: ThreadKey, work: HeldWork): Promise<void> {
    for (;;) {
      const [next] = await store.outbox.pendingMessages(thread);
      if (!next) return;
      assertWriteAllowed(
        pace.take(placeOf(thread).channel, `say ${next.id}`, next.patient !== true),
      );
      await deliverOne(next, work);
    }
  };
}

function undeliverableNotice({ id, thread, to }: OutboxMessage, createdAt: number): OutboxMessage {
  const text = 'I had an answer here, and Slack did not take it. Ask me to put it in other words.';
  return { id: `refused:${id}`, thread, kind: 'notice', ...(to && { to }), text, createdAt };
}
