/** What is said, each once and in order. */
import { ChatError } from '../../domain/ports/chat.ts';
import type { Say } from '../../domain/threads/outbox-message.ts';
import { placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, Work } from '../deps.ts';
import { type Pace, waitFor } from './channel-rate-limiter.ts';
import { takesLive } from './turn-outbox.ts';

type SayDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>;

/** How often words are tried that Slack refuses as they are, or where they were to be said. */
const TRIES: Partial<Readonly<Record<ChatError['code'], number>>> = {
  rejected: 3,
  undeliverable: 30,
};

function isHopeless(error: unknown, { tries }: Work): boolean {
  const most = error instanceof ChatError ? TRIES[error.code] : undefined;
  return most !== undefined && tries + 1 >= most;
}

/** Builds the use case: says what a thread's outbox holds, in order, each once; what Slack keeps refusing does not hold up the rest. */
export function createSay({ store, chat, clock, log }: SayDeps, pace: Pace) {
  /** What grew in the thread becomes of this say before it counts as said: never of a later one. */
  async function show(each: Say, work: Work): Promise<void> {
    const live = takesLive(each) ? await store.outbox.liveOf(each.thread) : undefined;
    await work.assertHeld();
    if (!each.clearsLive) await chat.say(each, { lookFirst: work.tries > 0, live });
    else if (live) await chat.clearLive(each.thread, live);
    if (live) await store.outbox.placeLive(each.thread, undefined);
  }

  async function sayOne(each: Say, work: Work): Promise<void> {
    try {
      await show(each, work);
    } catch (error) {
      if (!isHopeless(error, work)) throw error;
      log.error({ err: error, say: each.id, thread: each.thread }, 'Words could not be said.');
      if (each.kind === 'answer') await store.outbox.add([sayRefused(each, clock.now())], []);
    }
    await store.outbox.markSaid(each.id);
  }

  return async function say(thread: ThreadKey, work: Work): Promise<void> {
    for (;;) {
      const [next] = await store.outbox.unsaid(thread);
      if (!next) return;
      waitFor(pace.take(placeOf(thread).channel, `say ${next.id}`, next.patient !== true));
      await sayOne(next, work);
    }
  };
}

function sayRefused({ id, thread, to }: Say, createdAt: number): Say {
  const text = 'I had an answer here, and Slack did not take it. Ask me to put it in other words.';
  return { id: `refused:${id}`, thread, kind: 'notice', ...(to && { to }), text, createdAt };
}
