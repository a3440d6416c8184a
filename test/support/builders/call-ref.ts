import type { CallRef } from '../../../src/domain/ports/agenda.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';

const NO_THREAD = channelKey({ team: 'T1', channel: 'C1' });

/** What keys are made of for a call that nobody looks at; it belongs to no thread, and so is worked on by itself. */
export function callRef(id: string): CallRef {
  return { id, thread: NO_THREAD };
}
