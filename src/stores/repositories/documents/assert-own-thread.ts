import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';

/** Throws when a write to one thread comes with the fence of another: that fence proves nothing. */
export function assertOwnThread(thread: ThreadKey, fence: ThreadFence | undefined): void {
  if (fence === undefined || thread === fence.thread) return;
  throw new TypeError(`A write to thread ${thread} came with the fence of ${fence.thread}.`);
}
