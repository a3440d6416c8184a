/** Posts the outbox messages of a thread, each once and in order. */
import { ChatError } from '../../domain/ports/chat.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from './channel-rate-limiter.ts';
import { endsLiveAnswer } from './turn-outbox.ts';

type DeliverOutboxDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>;

/** Maximum tries for a message that Slack refuses, or whose place can't be reached. */
const TRIES: Partial<Readonly<Record<ChatError['code'], number>>> = {
  rejected: 3,
  undeliverable: 30,
};

function isGivenUp(error: unknown, { tries }: HeldWork): boolean {
  const most = error instanceof ChatError ? TRIES[error.code] : undefined;
  return most !== undefined && tries + 1 >= most;
}

/**
 * Builds the use case: posts a thread's outbox messages in order, each once. A message that Slack
 * keeps refusing does not block the rest.
 */
export function createDeliverOutbox(
  { store, chat, clock, log }: DeliverOutboxDeps,
  rateLimiter: ChannelRateLimiter,
) {
  /**
   * Replaces or removes the live message before this message counts as sent, so that no later one
   * does.
   */
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
      if (!isGivenUp(error, work)) throw error;
      log.error(
        { err: error, say: each.id, thread: each.thread },
        'Could not post an outbox message.',
      );
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
        rateLimiter.take(placeOf(thread).channel, `say ${next.id}`, next.patient !== true),
      );
      await deliverOne(next, work);
    }
  };
}

function undeliverableNotice({ id, thread, to }: OutboxMessage, createdAt: number): OutboxMessage {
  const text = 'I had an answer here, but Slack did not accept it. Please ask me to rephrase it.';
  return { id: `refused:${id}`, thread, kind: 'notice', ...(to && { to }), text, createdAt };
}
