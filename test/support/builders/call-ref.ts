import type { CallRef } from '../../../src/domain/ports/agenda.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';

const NO_THREAD = channelKey({ team: 'T1', channel: 'C1' });

/** The key part of a call that is never read; it belongs to no thread, and so has its own unit of work. */
export function callRef(id: string): CallRef {
  return { id, thread: NO_THREAD };
}
