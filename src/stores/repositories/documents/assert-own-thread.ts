import type { ThreadFence } from '../../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../../domain/threads/thread-key.ts';

/** Throws if a write to one thread carries the fence of another, which would prove nothing. */
export function assertOwnThread(thread: ThreadKey, fence: ThreadFence | undefined): void {
  if (fence === undefined || thread === fence.thread) return;
  throw new TypeError(`A write to thread ${thread} came with the fence of ${fence.thread}.`);
}
