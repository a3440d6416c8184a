import { isChannelItself, placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';

/** Returns where a thread’s messages are posted. Without `root` it is the top level: the key is a channel’s. */
export function threadLocationOf(thread: ThreadKey): {
  readonly channel: string;
  readonly root?: string;
} {
  const place = placeOf(thread);
  const { channel, root } = place;
  return isChannelItself(place) ? { channel } : { channel, root };
}
