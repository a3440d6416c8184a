import type { RunnableConfig } from '@langchain/core/runnables';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** Reads the fence that a checkpoint write must carry; throws if it is missing. */
export function requiredFenceOf(config: RunnableConfig): ThreadFence {
  const thread: unknown = config.configurable?.thread_id;
  const token: unknown = config.configurable?.fence_token;
  if (typeof thread !== 'string' || thread === '') {
    throw new TypeError('configurable.thread_id is missing: pass the key of the thread.');
  }
  if (typeof token !== 'number') {
    throw new TypeError(
      `configurable.fence_token is missing for thread ${thread}: pass the fence of the lease.`,
    );
  }
  return { thread: thread as ThreadKey, token };
}

/** Reads the namespace of a checkpoint; the root's is empty. */
export function checkpointNamespaceOf(config: RunnableConfig): string {
  const ns: unknown = config.configurable?.checkpoint_ns;
  return typeof ns === 'string' ? ns : '';
}

/** Reads the id of the checkpoint that writes belong to; throws if it is missing. */
export function checkpointOfWrites(config: RunnableConfig): string {
  const id: unknown = config.configurable?.checkpoint_id;
  if (typeof id === 'string') return id;
  throw new TypeError('configurable.checkpoint_id is missing: writes belong to a checkpoint.');
}
