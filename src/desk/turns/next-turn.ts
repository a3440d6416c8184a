import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { sleep } from '../../domain/runtime/sleep.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { createCheckSender } from './messages/check-sender.ts';
import { isThreadCommand } from './messages/command-words.ts';
import { msUntilOrdered } from './messages/message-order.ts';
import type { createThreadCommands } from './messages/thread-commands.ts';

/** Builds the choice of the message whose turn it is, begun if it had not; whoever holds the thread's lease is the only one to begin one. */
export function createNextTurn(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  {
    admit,
    heed,
  }: {
    readonly admit: ReturnType<typeof createCheckSender>;
    readonly heed: ReturnType<typeof createThreadCommands>;
  },
) {
  /** Reads a thread's messages, once no earlier one can precede the first of those that wait. */
  async function readInOrder(thread: ThreadKey, { signal }: Pick<HeldWork, 'signal'>) {
    for (;;) {
      const [current, waiting] = await Promise.all([
        store.inbox.current(thread),
        store.inbox.waiting(thread),
      ]);
      const words = waiting.find(isThreadCommand);
      const next = waiting.find((each) => !isThreadCommand(each));
      const firsts = current ? [] : [words, next].filter((each) => each !== undefined);
      const now = clock.now();
      const ms = Math.max(0, ...firsts.map((each) => msUntilOrdered(each, waiting, now)));
      if (ms === 0) return { current, next, hasWords: words !== undefined };
      await sleep(clock, ms, signal);
    }
  }

  async function begin(message: InboxMessage, fence: ThreadFence): Promise<boolean> {
    return (await admit(message, fence)) && (await store.inbox.begin(message.id, {}, fence));
  }

  return async function nextTurn(
    fence: ThreadFence,
    work: Pick<HeldWork, 'signal'>,
  ): Promise<InboxMessage | undefined> {
    for (;;) {
      const { current, next, hasWords } = await readInOrder(fence.thread, work);
      // A message that may not begin has ended: the next one is looked at.
      if (!current && next && !(await begin(next, fence))) continue;
      if (!hasWords) return current ?? next;
      await heed.endWords(fence);
      // A word that comes later wakes the thread once more.
      return await store.inbox.current(fence.thread);
    }
  };
}

/** Reads what a turn needs in one round trip: it is cached while the thread is held. A read that fails fails again where it is needed. */
export async function preloadThread(
  { inbox, outbox, pause }: DeskDeps['store'],
  thread: ThreadKey,
): Promise<void> {
  await Promise.allSettled([
    ...[inbox.current(thread), inbox.waiting(thread), pause.read()],
    ...[outbox.liveMessageOf(thread), outbox.pendingMessages(thread)],
  ]);
}
