import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { sleep } from '../../domain/runtime/sleep.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { createCheckSender } from './messages/check-sender.ts';
import { isThreadCommand } from './messages/command-words.ts';
import { msUntilOrdered } from './messages/message-order.ts';
import type { createThreadCommands } from './messages/thread-commands.ts';

/** What the choice needs. */
export interface NextTurnParts {
  readonly checkSender: ReturnType<typeof createCheckSender>;
  readonly threadCommands: ReturnType<typeof createThreadCommands>;
}

/**
 * Builds the choice of the next message, and starts its turn if needed. Only the holder of the
 * thread's lease starts turns.
 */
export function createNextTurn(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  { checkSender, threadCommands }: NextTurnParts,
) {
  /** Reads a thread's messages once no earlier one can precede the first waiting ones. */
  async function readInOrder(thread: ThreadKey, { signal }: Pick<HeldWork, 'signal'>) {
    for (;;) {
      const [current, waiting] = await Promise.all([
        store.inbox.current(thread),
        store.inbox.waiting(thread),
      ]);
      const command = waiting.find(isThreadCommand);
      const next = waiting.find((each) => !isThreadCommand(each));
      const firsts = current ? [] : [command, next].filter((each) => each !== undefined);
      const now = clock.now();
      const ms = Math.max(0, ...firsts.map((each) => msUntilOrdered(each, waiting, now)));
      if (ms === 0) return { current, next, hasCommands: command !== undefined };
      await sleep(clock, ms, signal);
    }
  }

  async function begin(message: InboxMessage, fence: ThreadFence): Promise<boolean> {
    if (!(await checkSender(message, fence))) return false;
    const [hasBegun] = await Promise.all([
      store.inbox.begin(message.id, {}, fence),
      store.preload(fence.thread, message.id),
    ]);
    return hasBegun;
  }

  return async function nextTurn(
    fence: ThreadFence,
    work: Pick<HeldWork, 'signal'>,
  ): Promise<InboxMessage | undefined> {
    for (;;) {
      const { current, next, hasCommands } = await readInOrder(fence.thread, work);
      // A message that was refused has ended; look at the next one.
      if (!current && next && !(await begin(next, fence))) continue;
      if (!hasCommands) return current ?? next;
      await threadCommands.endCommands(fence);
      // A later command wakes the thread again.
      return await store.inbox.current(fence.thread);
    }
  };
}
